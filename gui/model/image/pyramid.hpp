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
#include "gui/model/image/file_levels.hpp"
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

  /// The same of an image that stays in its file. The levels below are there as well: level 0 is exact, of each other
  /// one every 2^level-th row is read where it is asked for, and its blend is the mean.   throws DataError
  static std::shared_ptr<const Pyramid> preview_of_file(std::shared_ptr<const PixelSource> source,
                                                        std::int64_t most_side);

  /// What is done with an image that does not fit in memory.
  struct Large {
    LevelCache cache;
    std::optional<LevelPlace> place;  ///< empty: its levels are kept in no file
    FileLevels::Sizes sizes;
  };
  /// Reads and decodes a whole plane and makes all levels. They stay in memory where level 0 has at most `most_bytes`
  /// bytes; a larger one stays in its file, as FileLevels says.
  ///   throws DataError, Cancelled
  static std::shared_ptr<const Pyramid> load(std::shared_ptr<const PixelSource> source, std::int64_t most_bytes,
                                             const Progress& progress, const Large& large = {});

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

  /// All pixels are read from the file where they are asked for.
  [[nodiscard]] bool in_file() const { return source_ != nullptr; }
  /// Every how manieth row the picture of the whole image is made of: 1 but for a preview.
  [[nodiscard]] std::int64_t row_step() const { return std::int64_t{1} << (source_ ? sparse_from_ : first_level_); }

  /// Pixels of a level, in rect (which must lie within it), without gaps. Those of a live run's map are waited for: in
  /// jobs, not on the interface's thread. NaN where the file can be read no more.
  ///   throws Cancelled where the session answers no more
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
  /// Rows of level 0 of an image in a file.   throws DataError
  void read_rows(std::int64_t y0, std::int64_t ny, float* out) const;
  /// Number that no other pyramid of this process has.
  [[nodiscard]] std::uint64_t id() const { return id_; }

 private:
  explicit Pyramid(Shape shape);
  void fill_preview(const PixelSource& source, std::int64_t most_side);
  void read_labels(int level, const Rect& rect, float* out) const;
  void read_file(int level, Reduction reduction, const Rect& rect, float* out) const;
  void read_sparse(int level, Reduction reduction, const Rect& rect, float* out) const;

  std::uint64_t id_;
  Shape shape_;
  int levels_ = 1, first_level_ = 0;
  std::shared_ptr<const Image> base_;
  std::shared_ptr<const PixelSource> source_;  ///< of an image in a file
  std::shared_ptr<const FileLevels> file_levels_;
  int sparse_from_ = 0;  ///< level from which on the preview of an image in a file has its pixels; 0: it is none
  std::shared_ptr<const LabelRuns> labels_;
  std::vector<std::size_t> row_begin_;  ///< of each row in labels_->runs; one more at the end
  ReducedLevels reduced_;
  std::shared_ptr<DisplayTiles> tiles_;
};

}  // namespace reber::gui
