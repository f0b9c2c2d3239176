// SPDX-License-Identifier: BSD-3-Clause
// Reduced levels of an image that stays in its file: none of them need be in memory whole.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/base/progress.hpp"
#include "core/files/io/atomic_file.hpp"
#include "core/files/io/byte_source.hpp"
#include "core/show/display/reduced_levels.hpp"
#include "core/sky/model/pixel_source.hpp"
#include "gui/model/image/level_cache.hpp"

namespace reber::gui {

/// Decodes a rectangle of a plane, its rows without gaps.   throws DataError
void read_floats(const PixelSource& source, const Rect& where, float* out);

/// The pixels of ReducedLevels, whatever the size of the image:
///   level     1 ... first_kept - 1   made of level 0 when they are asked for
///             ... first_held - 1     in a file of levels
///             ... the last           in memory
class FileLevels {
 public:
  struct Sizes {
    int first_kept = 3;                                 ///< a tile of the level below is made of 4 times its pixels
    std::int64_t most_held = std::int64_t{1} << 24;     ///< pixels of the first level in memory
    std::int64_t most_unkept = std::int64_t{96} << 20;  ///< the same where there is no file of levels
  };

  /// Takes the levels from their file, or makes them in one walk over all rows and keeps them there. Where they can be
  /// kept nowhere, more of them are made when they are asked for.
  ///   throws DataError where the image cannot be read; Cancelled
  static std::shared_ptr<const FileLevels> load(std::shared_ptr<const PixelSource> source, const LevelCache& cache,
                                                const std::optional<LevelPlace>& place, const Sizes& sizes,
                                                const Progress& progress);

  /// Pixels of a level from 1 on, in where (which must lie within it), without gaps. From any thread.
  ///   throws DataError
  void read(int level, Reduction reduction, const Rect& where, float* out) const;

 private:
  FileLevels(std::shared_ptr<const PixelSource> source, const Sizes& sizes);
  struct Band;
  void hold_from(std::int64_t most);
  [[nodiscard]] std::int64_t cells_at(int level) const;
  [[nodiscard]] std::int64_t plane_at(int level, Reduction what) const;
  [[nodiscard]] std::int64_t file_bytes() const { return cells_at(levels_); }
  bool open(const LevelPlace& place);
  std::optional<AtomicFile> begin_file(const LevelCache& cache, const LevelPlace& place) const;
  void walk(AtomicFile* file, const Progress& progress);
  void walk_band(std::int64_t y0, std::int64_t ny, Band& band, AtomicFile* file);
  void measure_noise(const Progress& progress);
  void commit(AtomicFile& file, const LevelPlace& place);
  [[nodiscard]] const PeakBlend& blend(int level) const;
  void read_both(int level, const Rect& where, float* mean, float* peak) const;
  void make_both(int level, const Rect& where, float* mean, float* peak) const;
  void read_kept(int level, Reduction what, const Rect& where, float* out) const;

  std::shared_ptr<const PixelSource> source_;
  Shape shape_;
  int levels_, first_kept_, first_held_;  ///< levels_: how many there are, level 0 among them
  std::unique_ptr<fits::ByteSource> kept_;
  std::vector<PeakBlend> blends_;  ///< of the levels 1 to first_held_ - 1
  ReducedLevels held_;
};

}  // namespace reber::gui
