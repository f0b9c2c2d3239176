// SPDX-License-Identifier: BSD-3-Clause
// Means and peaks of an image at every power of two, in host memory.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/progress.hpp"
#include "core/show/display/peak_blend.hpp"
#include "core/sky/model/image.hpp"

namespace reber {

/// What a screen pixel that holds several image pixels shows: their mean, the largest, or the mean with the peaks that
/// stand out of the noise (PeakBlend).
enum class Reduction { mean, peak, blend };

/// Rows of a level made of the rows below them: means, or peaks where `what` says so. shape: of the rows given, whose
/// count is even but at the far edge; one that is left there alone stands for two.
void halve_rows(const float* rows, Shape shape, Reduction what, float* out);

/// Levels 1 and up of an image. Each pixel of a level is made of the 2 x 2 below it, fewer at the far edges: the mean
/// of those that are not NaN, the largest, or the mean with the peaks that stand out of the noise. It is NaN where all
/// below are: a blank area keeps its area. A bright pixel stays to the last level.
class ReducedLevels {
 public:
  ReducedLevels() = default;
  /// Memory of the levels `first` and above, to be filled by reduce_rows() or through level(), then finish().
  explicit ReducedLevels(Shape image, int first = 1);
  /// All levels of an image, made with all threads of the machine.   throws Cancelled
  static ReducedLevels of(const Image& image, const Progress& progress);

  /// Reduces rows [y0, y0 + ny) of level 0 into level 1 (y0 even; ny even but at the far edge). Distinct rows may come
  /// from several threads.
  void reduce_rows(const float* rows, std::int64_t y0, std::int64_t ny);
  /// All levels above `from`, and the blend of each from there on.   throws Cancelled
  void finish(int from, const Progress& progress);

  struct Level {
    Shape shape;
    Image mean, peak;  ///< empty below the first level
    PeakBlend blend;
  };
  /// index: 1 and up
  [[nodiscard]] const Level& level(int index) const { return levels_[static_cast<std::size_t>(index - 1)]; }
  [[nodiscard]] Level& level(int index) { return levels_[static_cast<std::size_t>(index - 1)]; }
  /// Pixels of a level, in where (which must lie within it), without gaps.
  void read(int index, Reduction reduction, const Rect& where, float* out) const;

 private:
  Shape image_;
  std::vector<Level> levels_;
};

}  // namespace reber
