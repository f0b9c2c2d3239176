// SPDX-License-Identifier: BSD-3-Clause
// How many errors a difference must be before it is taken for one, in all that measures.
#pragma once

namespace reber {

/// More may be there: sums go on, the pixels are asked.
inline constexpr double kDoubted = 2;
/// Two numbers differ.
inline constexpr double kClear = 3;
/// Something is there that would be a source by itself.
inline constexpr double kSure = 5;

}  // namespace reber
