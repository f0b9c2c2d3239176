// SPDX-License-Identifier: BSD-3-Clause
// Exact quantiles, counts and histograms of an image's pixels, on several threads and without a copy.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/progress.hpp"
#include "core/base/thread_pool.hpp"
#include "core/sky/model/image.hpp"

namespace reber {

/// The rows of an image for who walks over them: in memory, or read a band at a time.
class ImageRows {
 public:
  using Read = std::function<void(std::int64_t y0, std::int64_t ny, float* out)>;
  ImageRows(ConstImageView image) : image_(image) {}  // NOLINT: an image in memory has its rows
  ImageRows(ImageView image) : image_(image) {}       // NOLINT: the same
  /// read: fills rows [y0, y0 + ny), without gaps; from several threads, and again for each walk
  ImageRows(Shape shape, Read read) : image_{nullptr, shape, shape.nx}, read_(std::move(read)) {}

  [[nodiscard]] Shape shape() const { return image_.shape; }
  /// Rows [y0, y1), the first of them at row(0); in `memory` where they are read.
  [[nodiscard]] ConstImageView band(std::int64_t y0, std::int64_t y1, std::vector<float>& memory) const;

 private:
  ConstImageView image_;
  Read read_;
};

/// Quantiles of the finite pixels, exact: the ranks f (n - 1) are interpolated linearly, as NumPy does by default.
///   sorted by two counting passes over the upper and lower half of the bits: 2 reads of the image, 1 MB per thread
/// fractions  in [0, 1], any order
/// deviations_from  where given, quantiles of |pixel - it| (computed in float)
///   returns NaN for each where no pixel is finite; the same for any number of threads.   throws Cancelled
[[nodiscard]] std::vector<double> quantiles(const ImageRows& image, const std::vector<double>& fractions,
                                            ThreadPool& pool, const Progress& progress = {},
                                            std::optional<float> deviations_from = std::nullopt);

/// How many pixels are how bright. Bins divide [low, high] evenly; a pixel at high counts in the last one.
struct Histogram {
  double low = 0, high = 1;
  std::vector<std::int64_t> counts;
  std::int64_t below = 0, above = 0, blank = 0;

  [[nodiscard]] std::int64_t total() const;  ///< of the pixels inside
};
/// Infinite pixels count as below or above, NaN as blank. A range that is not finite or empty: all counts 0.
[[nodiscard]] Histogram histogram(const ImageRows& image, double low, double high, int bins, ThreadPool& pool,
                                  const Progress& progress = {});

/// What a viewer's panel says about an image or a region. Over the finite pixels; NaN where there are none.
struct PixelSummary {
  std::int64_t finite = 0, blank = 0, infinite = 0;
  double min = std::numeric_limits<double>::quiet_NaN(), max = min;
  double sum = 0, sum_of_squares = 0;                           ///< in double, row by row
  std::int64_t min_x = -1, min_y = -1, max_x = -1, max_y = -1;  ///< 0-based; the first in reading order

  [[nodiscard]] double mean() const;
  [[nodiscard]] double rms() const;  ///< about zero
  void add(float value, std::int64_t x, std::int64_t y);
  /// Adds what another part of the image holds; parts in reading order give the same for any split.
  void merge(const PixelSummary& later);
};
[[nodiscard]] PixelSummary summarise(const ImageRows& image, ThreadPool& pool, const Progress& progress = {});

/// Population standard deviation about `mean`, in a pass of its own: the difference of two large sums would lose it.
[[nodiscard]] double standard_deviation(const ImageRows& image, double mean, ThreadPool& pool,
                                        const Progress& progress = {});

}  // namespace reber
