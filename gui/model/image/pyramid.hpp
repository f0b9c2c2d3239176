// SPDX-License-Identifier: BSD-3-Clause
// The pixels of one layer as the viewer needs them: exact values, and reduced levels to draw from.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/progress.hpp"
#include "core/seam/compute/detection.hpp"
#include "core/show/display/reduced_levels.hpp"
#include "core/sky/model/image.hpp"
#include "core/sky/model/pixel_source.hpp"
#include "gui/model/image/render_settings.hpp"

namespace reber {
class DisplayTiles;
}

namespace reber::gui {

/// Level k of an image has ceil(n / 2^k) pixels per side, down to one (core/show/display/reduced_levels.hpp). Its
/// pixels are in memory, in a file, or with a live run's backend, which brings what is asked for. Immutable; readable
/// from any thread.
class Pyramid {
 public:
  /// Of pixels in memory, made with all threads of the machine.   throws Cancelled
  static std::shared_ptr<const Pyramid> make(std::shared_ptr<const Image> image, const Progress& progress);

  /// A first look that reads one row in 2^level, level the least one with at most `most_side` pixels per side; along
  /// the row peaks and means are kept. Levels below are not there.
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

  /// Of a map that a live run shows by its tiles.
  static std::shared_ptr<const Pyramid> of_tiles(std::shared_ptr<DisplayTiles> tiles);

  [[nodiscard]] Shape shape() const { return shape_; }
  [[nodiscard]] int levels() const { return levels_; }
  /// Lowest level that is there: 0, or that of a preview.
  [[nodiscard]] int first_level() const { return first_level_; }
  [[nodiscard]] Shape level_shape(int level) const;

  /// Pixels of a level, in rect (which must lie within it), without gaps. Those of a live run's map are waited for: in
  /// jobs, not on the interface's thread.   throws Cancelled where the session answers no more
  void read(int level, Reduction reduction, const Rect& rect, float* out) const;
  /// Whether level 0 can be read without waiting; where it cannot yet, all of it is asked for.
  [[nodiscard]] bool at_hand() const;
  /// Exact value of a pixel; NaN where it is blank, outside, or not there yet (it is asked for then).
  [[nodiscard]] float value(std::int64_t y, std::int64_t x) const;
  /// All pixels where they are in memory; pixels is null for a preview, for labels, for an image read from its file and
  /// for a live run's map that was not brought.
  [[nodiscard]] ConstImageView pixels() const;
  /// The same, but those of a live run's map are waited for: for jobs.   throws Cancelled
  [[nodiscard]] ConstImageView brought_pixels() const;
  /// Where tiles come from that are not in memory; null else.
  [[nodiscard]] const std::shared_ptr<DisplayTiles>& tiles() const { return tiles_; }
  /// Number that no other pyramid of this process has.
  [[nodiscard]] std::uint64_t id() const { return id_; }

 private:
  explicit Pyramid(Shape shape);
  void read_labels(int level, const Rect& rect, float* out) const;

  std::uint64_t id_;
  Shape shape_;
  int levels_ = 1, first_level_ = 0;
  std::shared_ptr<const Image> base_;
  std::shared_ptr<const PixelSource> source_;
  std::shared_ptr<const LabelRuns> labels_;
  std::vector<std::size_t> row_begin_;  ///< of each row in labels_->runs; one more at the end
  ReducedLevels reduced_;
  std::shared_ptr<DisplayTiles> tiles_;
};

}  // namespace reber::gui
