// SPDX-License-Identifier: BSD-3-Clause
// The version comes from CMake.
#include "app/terminal/program_name.hpp"

namespace reber::app {

std::string program_name() { return "reber " REBER_VERSION; }

}  // namespace reber::app
