// SPDX-License-Identifier: BSD-3-Clause
// The letters of pictures as strokes: Hershey's Roman Simplex.
#pragma once

#include <cstddef>
#include <string_view>

namespace reber::hershey {

/// Height of capitals, in units of the glyphs.
inline constexpr int kCapitals = 21;
/// y of the line that letters stand on.
inline constexpr int kBaseline = 9;
/// Glyphs: that of the ASCII character c is c - 32, up to "~"; then two signs.
inline constexpr std::size_t kDegree = 95, kMicro = 96, kGlyphs = 97;

/// What lifts the pen, in place of a point.
inline constexpr std::string_view kLift = " R";

/// A glyph in pairs of characters, each pair a whole number x and one y: the character's code less that of 'R'; y is
/// down. The first pair is the left and the right edge of the glyph, the others are points that a pen goes through, or
/// kLift.   number: below kGlyphs
[[nodiscard]] std::string_view glyph(std::size_t number);

}  // namespace reber::hershey
