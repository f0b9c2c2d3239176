// SPDX-License-Identifier: BSD-3-Clause
// The noise of a sum of pixels that grows.
#pragma once

#include <cstdint>
#include <vector>

#include "core/seam/compute/gaussian_fit.hpp"
#include "core/seam/compute/noise_correlation.hpp"

namespace reber {

/// The variance of a sum of pixels whose noise has an autocorrelation: a double sum over pairs, to which pixels that
/// join add their pairs with all others. Of more than 500 that join at once every n-th one stands for its neighbours.
class GrowingNoise {
 public:
  /// For pixels within [left, right] x [top, bottom].
  GrowingNoise(std::int64_t left, std::int64_t right, std::int64_t top, std::int64_t bottom,
               const NoiseCorrelation& noise);

  /// Variance of the sum of all pixels so far.   more: pixels that join, none of them in it
  double add(const FitPixels& more);

 private:
  [[nodiscard]] std::int64_t at(const FitPixels& pixels, std::size_t i) const {
    return (pixels.y[i] - top_) * nx_ + pixels.x[i] - left_;
  }
  /// Noise that goes with the one at a place: over the grid, times its autocorrelation.
  [[nodiscard]] double together(std::int64_t place) const;

  std::int64_t reach_, left_, top_, nx_;  ///< the grid has a margin as wide as the autocorrelation
  std::vector<double> grid_;              ///< rms of what joins, twice that of what was there before
  std::vector<double> correlation_;
  double variance_ = 0;
};

}  // namespace reber
