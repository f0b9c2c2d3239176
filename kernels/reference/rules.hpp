// SPDX-License-Identifier: BSD-3-Clause
// The rules of a pixel as docs/numerics.md words them, written anew: the oracle shares none with the backends that it
// judges, so that a fault in theirs is seen.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "core/seam/compute/background.hpp"
#include "core/seam/compute/convolution.hpp"
#include "core/seam/compute/detection.hpp"

namespace reber::reference {

inline constexpr float kBlank = std::numeric_limits<float>::quiet_NaN();

/// A stored value as a pixel: scaled in double, rounded once to float; blank where that is not finite.
[[nodiscard]] inline float pixel_of(double stored, double scale, double zero) {
  const double scaled = scale * stored;
  const auto value = static_cast<float>(scaled + zero);
  return std::isnan(value) || std::isinf(value) ? kBlank : value;
}

/// Whether a kernel has a weight to interpolate with: its weights do not cancel each other, as a Mexican hat's do.
[[nodiscard]] inline bool can_interpolate(const Kernel& kernel) {
  const double absolute = std::accumulate(kernel.weights.begin(), kernel.weights.end(), std::abs(kernel.beyond),
                                          [](double sum, double weight) { return sum + std::abs(weight); });
  return std::abs(kernel.sum()) > 1e-6 * absolute;
}

/// Along one axis: the node at or before a pixel, the one behind it, and the weight of the latter.
struct Between {
  std::int64_t before = 0, behind = 0;
  float weight = 0;
};

/// spans: of the cells, whose centres are the nodes. Constant beyond the outermost.
[[nodiscard]] inline Between nodes_about(const std::vector<PixelSpan>& spans, std::int64_t pixel) {
  const auto centre = [&](std::int64_t k) {
    return (static_cast<double>(spans[k].begin) + static_cast<double>(spans[k].end - 1)) / 2;
  };
  const auto at = static_cast<double>(pixel);
  const std::int64_t last = std::ssize(spans) - 1;
  if (at <= centre(0)) return {0, std::min<std::int64_t>(1, last), 0};
  if (at >= centre(last)) return {last, last, 0};
  std::int64_t k = 0;
  while (centre(k + 1) <= at) ++k;
  return {k, k + 1, static_cast<float>((at - centre(k)) / (centre(k + 1) - centre(k)))};
}

/// Value on the line from a (weight 0) to b (weight 1). The difference and the result are each rounded once to float.
[[nodiscard]] inline float on_line(float a, float b, float weight) {
  const float difference = b - a;
  return std::fma(weight, difference, a);
}

/// A rule of two planes: what one of them lacks does not count, but in a difference.
[[nodiscard]] inline float pixel_of_two(PlaneRule rule, float a, float b) {
  const bool has_a = std::isfinite(a), has_b = std::isfinite(b);
  if (rule == PlaneRule::difference) {
    const float difference = a - b;
    return has_a && has_b && std::isfinite(difference) ? difference : kBlank;
  }
  if (!has_a) return b;
  if (!has_b) return a;
  return rule == PlaneRule::larger ? std::max(a, b) : std::min(a, b);
}

/// Height above the background, of sources below it the depth.
[[nodiscard]] inline float height(float pixel, float mean, bool negative) {
  return negative ? mean - pixel : pixel - mean;
}

/// Height in units of the noise; blank where there is no noise to measure by.
[[nodiscard]] inline float in_noise(float height, float rms) {
  if (std::isnan(rms) || rms <= 0) return kBlank;
  return height / rms;
}

}  // namespace reber::reference
