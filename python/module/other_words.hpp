// SPDX-License-Identifier: BSD-3-Clause
// What other programs' parameters are called here.
#pragma once

#include <string_view>

namespace reber::python {

/// "box and step" for rms_box, in any case; empty for a word that is none of other programs'.
[[nodiscard]] std::string_view word_here(std::string_view other);

}  // namespace reber::python
