// SPDX-License-Identifier: BSD-3-Clause
// Text of a header or a user, made safe for a terminal.
#pragma once

#include <string>

namespace reber {

/// Control bytes, malformed UTF-8 and marks that turn the direction of writing become \xNN; the rest stays.
[[nodiscard]] std::string printable(const std::string& text);

}  // namespace reber
