// SPDX-License-Identifier: BSD-3-Clause
// Sums over one island's pixels and over what its Gaussians leave of them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/measure/sources/source_list.hpp"

namespace reber {

/// The pixels of one island.
struct IslandView {
  std::span<const std::int32_t> y, x;
  std::span<const float> pixel, mean, rms;
  [[nodiscard]] bool empty() const { return y.empty(); }
  [[nodiscard]] Rect box() const;
};
/// Of the island of that label; empty where there is none.
[[nodiscard]] IslandView island_view(const IslandPixels& pixels, std::int64_t label);

/// sign: -1 for a negative island; unit: image value x unit is a brightness in the unit of Source::peak;
/// per_sum: sum of pixels x per_sum is a flux density; beam_px: area of the beam, NaN where unknown
struct IslandScale {
  double sign = 1, unit = 1, per_sum = 1, beam_px = 1;
};
/// gaussians: the island's own, in image units
[[nodiscard]] IslandValues island_values(const IslandView& view, std::span<const GaussianComponent> gaussians,
                                         const IslandScale& scale);

/// Moments of the sum of these Gaussians over the island's pixels.
struct ModelMoments {
  double x = 0, y = 0;
  Covariance fwhm2;
  double peak = 0, peak_x = 0, peak_y = 0;  ///< the maximum of the sum, between pixels
};
/// Peaks must be of one sign.
[[nodiscard]] ModelMoments model_moments(const IslandView& view, std::span<const GaussianComponent> gaussians);

}  // namespace reber
