// SPDX-License-Identifier: BSD-3-Clause
// What an FFT in float can hold, and the power of two that brings an image there.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "kernels/shared/host_device.hpp"

namespace reber::rules {

/// Sum of the weights' absolute values.
inline double absolute_sum(const std::vector<double>& weights) {
  double sum = 0;
  for (const double weight : weights) sum += std::abs(weight);
  return sum;
}

/// Factor of the pixels before an FFT convolution; the result is divided by it. It is a power of two, so that nothing
/// is rounded, and 1 for all but extreme images. Sums over a tile of N pixels may be N times the brightest pixel:
/// pixels near the largest float would overflow the whole tile, and those near the smallest would vanish in it.
///   largest: largest absolute value of a pixel, 0 where there is none;   weights: sum of those of the kernel
///   ordinary: exponents of the product, either way, up to which nothing is done; with up to 2^(126 - ordinary) pixels
inline float fft_scale(float largest, double weights, int ordinary) {
  if (!(largest > 0) || !std::isfinite(largest)) return 1;
  const double reach = static_cast<double>(largest) * std::max(1.0, weights);
  const int exponent = std::isfinite(reach) ? std::ilogb(reach) : std::numeric_limits<float>::max_exponent;
  if (std::abs(exponent) <= ordinary) return 1;
  // Both the factor and its inverse have to be normal floats.
  return std::ldexp(1.0f, std::clamp(-exponent, -126, 126));
}

}  // namespace reber::rules
