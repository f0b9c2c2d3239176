// SPDX-License-Identifier: BSD-3-Clause
// How one stored integer becomes a float (FITS standard 4.0, section 10.2): constexpr rules for the host and for
// devices. The operations stand in CFITSIO's order, and none may be fused: each rounds as there.
#pragma once

#include <cstdint>
#include <limits>

namespace reber::fits {

/// Numbers in the standard's list of random ones, in (0, 1).
inline constexpr int kDitherRandoms = 10'000;
/// What stands for a pixel of exactly zero with the second way of dithering.
inline constexpr std::int32_t kDitheredZero = -2147483646;

/// Scale, zero and blank of one tile.
struct TileScale {
  double scale = 1, zero = 0;
  std::int32_t blank = 0;
};

/// Where in the list a run of random numbers begins; random: the number that says so.
constexpr std::int32_t dither_start(float random) {
  constexpr float kStarts = 500;
  return static_cast<std::int32_t>(random * kStarts);
}

/// blanks: whether one integer stands for NaN
template <class Real>
constexpr Real undithered(std::int32_t stored, const TileScale& how, bool blanks) {
  const auto value = static_cast<Real>(stored * how.scale + how.zero);
  return blanks && stored == how.blank ? std::numeric_limits<Real>::quiet_NaN() : value;
}

/// random: the pixel's own; zeros: the second way of dithering
template <class Real>
constexpr Real dithered(std::int32_t stored, float random, const TileScale& how, bool blanks, bool zeros) {
  constexpr double kMiddle = 0.5;
  auto value =
      static_cast<Real>((static_cast<double>(stored) - static_cast<double>(random) + kMiddle) * how.scale + how.zero);
  if (zeros) value = stored == kDitheredZero ? Real{0} : value;
  return blanks && stored == how.blank ? std::numeric_limits<Real>::quiet_NaN() : value;
}

}  // namespace reber::fits
