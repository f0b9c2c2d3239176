// SPDX-License-Identifier: BSD-3-Clause
// How many errors, and which part, a difference must be before it is taken for one, in all that measures.
#pragma once

namespace reber {

/// More may be there: sums go on, the pixels are asked.
inline constexpr double kDoubted = 2;
/// Two numbers differ.
inline constexpr double kClear = 3;
/// Something is there that would be a source by itself.
inline constexpr double kSure = 5;

/// Part of a flux that no two ways of summing agree to.
inline constexpr double kSlight = 0.02;
/// Part of it that is worth another row, or another fit.
inline constexpr double kNotable = 0.05;
/// Part of a whole below which it says nothing of the whole.
inline constexpr double kLeastShare = 0.25;
/// Areas of the beam to which a source is compact.
inline constexpr double kCompactAreas = 1.5;

}  // namespace reber
