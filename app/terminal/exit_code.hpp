// SPDX-License-Identifier: BSD-3-Clause
// What the program ends with: one table of exit codes.
#pragma once

namespace reber::app {

/// Exit codes beside those of failures (exit_code_of).
inline constexpr int kDone = 0;
inline constexpr int kCheckFailed = 1;
inline constexpr int kInputError = 2;
inline constexpr int kDataError = 3;
inline constexpr int kDeviceError = 4;
inline constexpr int kInternalError = 70;

}  // namespace reber::app
