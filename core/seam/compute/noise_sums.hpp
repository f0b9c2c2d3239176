// SPDX-License-Identifier: BSD-3-Clause
// Sums of products of noise at two places, of which its autocorrelation is made.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/shape.hpp"

namespace reber {

/// Where noise is, and which pairs of its pixels are summed.
struct NoiseQuestion {
  std::vector<Rect> patches;  ///< all of one size, at most kMostNoiseSide pixels on a side
  std::int64_t reach = 0;     ///< largest offset in pixels, on each axis; less than a patch's sides
  float limit = 0;            ///< abs(S/N) beyond which a pixel is no noise
  std::int64_t grow = 0;      ///< pixels around it, or around an island, that are none either: a square
};
inline constexpr std::int64_t kMostNoiseSide = 128;
/// Up to this reach, that of a beam of 20 pixels, every row begins pairs.
inline constexpr std::int64_t kMostNoiseReach = 44;

/// Over pairs of known pixels of a patch (dy, dx) apart, 0 <= dy <= reach, abs(dx) <= reach: the sum of the products of
/// their S/N, and the number of pairs. Entry dy (2 reach + 1) + dx + reach. A product is of floats, summed in 16 lanes
/// along a row, the lanes as a tree, rows in double from the first on, patches in their order: the same bits
/// everywhere. Of a patch its own rows alone say what is no noise.
struct NoiseSums {
  std::vector<double> product, count;
};

}  // namespace reber
