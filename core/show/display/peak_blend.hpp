// SPDX-License-Identifier: BSD-3-Clause
// A reduced level that shows means, and peaks where they stand out of the noise's own peaks.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "core/base/thread_pool.hpp"
#include "core/show/display/level_rules.hpp"
#include "core/sky/model/image.hpp"

namespace reber {

/// A pixel of a level stands for n pixels; their peak lies above their mean by a height. In noise alone that height has
/// a middle and a width, which are measured over the image from the level itself.
///
/// The peak of n noise pixels is some sqrt(2 ln n) sigma up, everywhere alike. Drawn as it is, the noise is a bright
/// floor and a faint source stands little above it. So the peak counts only as it leaves that floor:
///   value = mean + w (peak - mean),  w = smoothstep(3, 4.5, (peak - mean - middle) / width)
/// NaN where the mean is; with w = 1 the value is the peak pixel's own.
class PeakBlend {
 public:
  /// Where the heights of one cell are taken: rows y0, y0 + dy ... below y1, columns x0, x0 + dx ... below x1.
  struct Samples {
    std::int64_t y0, y1, dy, x0, x1, dx;
    [[nodiscard]] constexpr std::int64_t rows() const { return (y1 - y0 + dy - 1) / dy; }
    [[nodiscard]] constexpr std::int64_t columns() const { return (x1 - x0 + dx - 1) / dx; }
  };
  /// Along a side of an image at most this many cells.
  static constexpr std::int64_t kCells = 32;
  static constexpr std::int64_t kLeast = 8;     ///< pixels along a side of a cell, at least
  static constexpr std::int64_t kSamples = 12;  ///< step = size of the cell / kSamples, at least 1

  static constexpr std::int64_t cells_along(std::int64_t size) {
    const std::int64_t cells = size / kLeast;
    return cells < 1 ? 1 : kCells < cells ? kCells : cells;
  }
  /// Cell (j, i) of a level of that shape.
  static constexpr Samples samples(Shape shape, std::int64_t j, std::int64_t i) {
    const std::int64_t ny = cells_along(shape.ny), nx = cells_along(shape.nx);
    Samples s{j * shape.ny / ny, (j + 1) * shape.ny / ny, 1, i * shape.nx / nx, (i + 1) * shape.nx / nx, 1};
    s.dy = s.y1 - s.y0 < 2 * kSamples ? 1 : (s.y1 - s.y0) / kSamples;
    s.dx = s.x1 - s.x0 < 2 * kSamples ? 1 : (s.x1 - s.x0) / kSamples;
    return s;
  }

  PeakBlend() = default;
  /// heights(j, i, out) appends peak - mean at the samples of cell (j, i), row after row; those that are not finite are
  /// passed over. A cell has the median of its heights and 1.4826 times their median absolute deviation; one without
  /// heights takes the median of the others. With a pool rows of cells are shared among its threads.
  using Heights = std::function<void(std::int64_t j, std::int64_t i, std::vector<float>& out)>;
  PeakBlend(Shape shape, const Heights& heights, ThreadPool* pool = nullptr);
  /// Of cells that were measured before: as cells() gave them.
  PeakBlend(Shape shape, std::vector<levels::Noise> cells);
  /// mean, peak: of one level, equal shapes.
  PeakBlend(const Image& mean, const Image& peak);

  /// Part of row y from x0: n pixels of both, into out.
  void row(std::int64_t y, std::int64_t x0, std::int64_t n, const float* mean, const float* peak, float* out) const;

  /// ny x nx cells, their centres spread evenly.
  [[nodiscard]] std::int64_t ny() const { return ny_; }
  [[nodiscard]] std::int64_t nx() const { return nx_; }
  [[nodiscard]] const std::vector<levels::Noise>& cells() const { return cells_; }

 private:
  struct Range {
    std::int64_t begin, end;
  };
  void stretch_of_row(const std::array<levels::Noise, 4>& corners, float up, std::int64_t low, Range x,
                      const float* mean, const float* peak, float* out) const;
  std::int64_t ny_ = 0, nx_ = 0;
  Shape shape_;
  std::vector<levels::Noise> cells_;
};

}  // namespace reber
