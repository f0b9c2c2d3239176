// SPDX-License-Identifier: BSD-3-Clause
// The pixels of one layer as the viewer needs them: exact values, and reduced levels to draw from.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "core/base/progress.hpp"
#include "core/compute/detection.hpp"
#include "core/compute/pixel_source.hpp"
#include "core/model/image.hpp"
#include "gui/model/peak_blend.hpp"
#include "gui/model/render_settings.hpp"

namespace reber::gui {

/// Level k of an image has ceil(n / 2^k) pixels a side, down to one. Each pixel of a level is made of the 2 x 2 (fewer
/// at the far edges) below it: the mean of the finite ones, the largest, or the mean with the peaks that stand out of
/// the noise (PeakBlend); NaN where none is finite, so a blank area keeps its area and a bright pixel stays to the last
/// level. Immutable once made; readable from any thread.
class Pyramid {
 public:
  /// Of pixels in memory, made with all threads of the machine.   throws Cancelled
  static std::shared_ptr<const Pyramid> make(std::shared_ptr<const Image> image, const Progress& progress);

  /// A first look that reads one row in 2^level, level the least one with at most `most_side` pixels a side; along the
  /// row peaks and means are kept. Levels below are not there.
  ///   throws DataError
  static std::shared_ptr<const Pyramid> preview(const PixelSource& source, std::int64_t most_side);

  /// Reads and decodes a whole plane and makes all levels. Level 0 stays in memory where it has at most `most_bytes`
  /// bytes, and is read again from the source, row by row, where it is larger: `source` is kept then.
  ///   throws DataError, Cancelled
  static std::shared_ptr<const Pyramid> load(std::shared_ptr<const PixelSource> source, std::int64_t most_bytes,
                                             const Progress& progress);

  /// Island numbers, NaN outside islands. Levels are drawn from the runs when they are read, and hold the largest
  /// number for every reduction: no map of labels is made.
  static std::shared_ptr<const Pyramid> of_labels(std::shared_ptr<const LabelRuns> labels);

  [[nodiscard]] Shape shape() const { return shape_; }
  [[nodiscard]] int levels() const { return levels_; }
  /// Lowest level that is there: 0, or that of a preview.
  [[nodiscard]] int first_level() const { return first_level_; }
  [[nodiscard]] Shape level_shape(int level) const;

  /// Pixels of a level, in rect (which must lie within it), without gaps.
  void read(int level, Reduction reduction, const Rect& rect, float* out) const;
  /// Exact value of a pixel; NaN where it is blank, outside, or not there yet.
  [[nodiscard]] float value(std::int64_t y, std::int64_t x) const;
  /// All pixels where they are in memory; pixels is null for a preview, for labels and for an image read from its file.
  [[nodiscard]] ConstImageView pixels() const;
  /// Number that no other pyramid of this process has.
  [[nodiscard]] std::uint64_t id() const { return id_; }

 private:
  struct Level {
    Shape shape;
    Image mean, peak;
    PeakBlend blend;
  };
  explicit Pyramid(Shape shape);
  void read_labels(int level, const Rect& rect, float* out) const;
  void allocate_levels(int first);
  /// Reduces rows [y0, y0 + ny) of level 0 into level 1 (y0 even), given the pixels.
  void reduce_base(const float* rows, std::int64_t y0, std::int64_t ny);
  /// All levels above `from`, and the blend of each from there on.
  void reduce_upper(int from, const Progress& progress);

  std::uint64_t id_;
  Shape shape_;
  int levels_ = 1, first_level_ = 0;
  std::shared_ptr<const Image> base_;
  std::shared_ptr<const PixelSource> source_;
  std::shared_ptr<const LabelRuns> labels_;
  std::vector<std::size_t> row_begin_;  ///< of each row in labels_->runs; one more at the end
  std::vector<Level> reduced_;          ///< [k - 1] is level k; empty images below first_level_
};

}  // namespace reber::gui
