// SPDX-License-Identifier: BSD-3-Clause
// Text of a header or a user, made safe for a terminal or a document.
#pragma once

#include <string>

namespace reber {

/// Control bytes, malformed UTF-8 and marks that turn the direction of writing become \xNN; the rest stays.
[[nodiscard]] std::string printable(const std::string& text);

/// printable(), of which the characters that mean something in XML and HTML are entities: for text and for attributes.
[[nodiscard]] std::string printable_in_markup(const std::string& text);

}  // namespace reber
