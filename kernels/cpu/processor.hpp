// SPDX-License-Identifier: BSD-3-Clause
// What processor this is.
#pragma once

#include <string>

namespace reber::cpu {

/// Name as the operating system gives it.
[[nodiscard]] std::string processor_name();

}  // namespace reber::cpu
