// SPDX-License-Identifier: BSD-3-Clause
// What the program calls itself, in HISTORY and in messages.
#pragma once

#include <string>

namespace reber::app {

/// "reber 0.1.0"
[[nodiscard]] std::string program_name();

}  // namespace reber::app
