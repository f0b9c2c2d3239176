// SPDX-License-Identifier: BSD-3-Clause
// Limits of time.
#pragma once

namespace reber::testing {

/// How much longer a program may take that a sanitizer watches.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr double kSlower = 10;
#else
inline constexpr double kSlower = 1;
#endif

}  // namespace reber::testing
