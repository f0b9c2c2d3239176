// SPDX-License-Identifier: BSD-3-Clause
// A reduced level that shows means, and peaks where they stand out of the noise's own peaks.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/model/image.hpp"

namespace reber::gui {

/// How far the largest of the pixels behind a pixel of a level lies above their mean, where there is noise alone:
/// middle and width of that height over the image, from the level itself.
///
/// A block of n noise pixels has its largest one some sqrt(2 ln n) sigma up, in every block alike: drawn as it is, the
/// noise is a bright floor, and a faint source a little above it. So
///   value = mean + w (peak - mean),  w = smoothstep(3, 4.5, (peak - mean - middle) / width)
/// Blank where the mean is; with w = 1 the value is the peak pixel's own.
class PeakBlend {
 public:
  PeakBlend() = default;
  /// mean, peak: of one level, equal shapes.   Medians and 1.4826 times median absolute deviations in at most 32 x 32
  /// cells, of at most 144 pixels each; a cell without pixels takes the median of the others.
  PeakBlend(const Image& mean, const Image& peak);

  /// Part of row y from x0: n pixels of both, into out.
  void row(std::int64_t y, std::int64_t x0, std::int64_t n, const float* mean, const float* peak, float* out) const;

 private:
  struct Noise {
    float middle = 0, width = 0;
  };
  struct Range {
    std::int64_t begin, end;
  };
  void stretch_of_row(const std::array<Noise, 4>& corners, float up, std::int64_t low, Range x, const float* mean,
                      const float* peak, float* out) const;
  [[nodiscard]] const Noise& cell(std::int64_t j, std::int64_t i) const {
    return cells_[static_cast<std::size_t>(j * nx_ + i)];
  }
  std::int64_t ny_ = 0, nx_ = 0;
  Shape shape_;
  std::vector<Noise> cells_;  ///< ny_ x nx_, their centres spread evenly
};

}  // namespace reber::gui
