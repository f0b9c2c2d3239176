// SPDX-License-Identifier: BSD-3-Clause
// One walk over the rows of an image makes all levels; afterwards they are read by rectangles.
//   file of levels: the line of its image, filled up to kHeadBytes | cells of noise, level by level from 1 | means and
//   peaks of the levels from first_kept on, in the order of the machine's bytes
#include "gui/model/image/file_levels.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <string>

#include "core/base/error.hpp"
#include "core/base/thread_pool.hpp"
#include "core/sky/model/rectangle_source.hpp"

namespace reber::gui {

void read_floats(const PixelSource& source, const Rect& where, float* out) {
  thread_local std::vector<std::byte> raw;
  const PixelFormat format = source.format();
  const std::int64_t size = bytes_of(format.type), nx = source.shape().nx;
  const RectangleSource* const rectangles = source.rectangle_source();
  if (rectangles != nullptr || where.nx == nx) {
    raw.resize(static_cast<std::size_t>(where.ny * where.nx * size));
    if (where.nx == nx)
      source.read_rows(where.y0, where.ny, raw.data());
    else
      rectangles->read_rectangle(where, raw.data());
    decode_floats(raw.data(), where.ny * where.nx, format, out);
    return;
  }
  raw.resize(static_cast<std::size_t>(nx * size));
  for (std::int64_t y = 0; y < where.ny; ++y) {
    source.read_rows(where.y0 + y, 1, raw.data());
    decode_floats(raw.data() + where.x0 * size, where.nx, format, out + y * where.nx);
  }
}

/// Memory of a thread that reduces rows: of level 0, of a level, of the next one.
struct FileLevels::Band {
  std::vector<float> rows, mean, peak, next;

  /// The rows become those of level 1, in mean and peak.   returns their shape
  Shape first(Shape shape) {
    const Shape half = levels::level_shape(shape, 1);
    mean.resize(static_cast<std::size_t>(half.count()));
    peak.resize(mean.size());
    halve_rows(rows.data(), shape, Reduction::mean, mean.data());
    halve_rows(rows.data(), shape, Reduction::peak, peak.data());
    return half;
  }
  /// mean and peak become those of the next level.
  Shape further(Shape shape) {
    const Shape half = levels::level_shape(shape, 1);
    next.resize(static_cast<std::size_t>(half.count()));
    halve_rows(mean.data(), shape, Reduction::mean, next.data());
    mean.swap(next);
    next.resize(static_cast<std::size_t>(half.count()));
    halve_rows(peak.data(), shape, Reduction::peak, next.data());
    peak.swap(next);
    return half;
  }
};

FileLevels::FileLevels(std::shared_ptr<const PixelSource> source, const Sizes& sizes)
    : source_(std::move(source)),
      shape_(source_->shape()),
      levels_(levels::level_count(shape_)),
      first_kept_(std::min(sizes.first_kept, levels_ - 1)),
      first_held_(first_kept_) {
  hold_from(sizes.most_held);
}

void FileLevels::hold_from(std::int64_t most) {
  first_held_ = first_kept_;
  while (first_held_ + 1 < levels_ && levels::level_shape(shape_, first_held_).count() > most) ++first_held_;
}

std::shared_ptr<const FileLevels> FileLevels::load(std::shared_ptr<const PixelSource> source, const LevelCache& cache,
                                                   const std::optional<LevelPlace>& place, const Sizes& sizes,
                                                   const Progress& progress) {
  std::shared_ptr<FileLevels> made(new FileLevels(std::move(source), sizes));
  if (made->levels_ < 2 || (place && made->open(*place))) return made;
  std::optional<AtomicFile> file;
  if (place) file = made->begin_file(cache, *place);
  if (!file) made->hold_from(sizes.most_unkept), made->first_kept_ = made->first_held_;
  made->walk(file ? &*file : nullptr, progress);
  if (file) made->kept_ = fits::open_plain(file->temporary_path(), true);
  made->measure_noise(progress);
  if (file) made->commit(*file, *place);
  return made;
}

std::int64_t FileLevels::cells_at(int level) const {
  std::int64_t at = LevelCache::kHeadBytes;
  for (int k = 1; k < level; ++k) {
    const Shape shape = levels::level_shape(shape_, k);
    at += PeakBlend::cells_along(shape.ny) * PeakBlend::cells_along(shape.nx) *
          static_cast<std::int64_t>(sizeof(levels::Noise));
  }
  // Behind the cells of all levels: the end of the file.
  if (level == levels_)
    for (int k = first_kept_; k < levels_; ++k) at += 8 * levels::level_shape(shape_, k).count();
  return at;
}

std::int64_t FileLevels::plane_at(int level, Reduction what) const {
  std::int64_t at = file_bytes();
  for (int k = level; k < levels_; ++k) at -= 8 * levels::level_shape(shape_, k).count();
  return what == Reduction::peak ? at + 4 * levels::level_shape(shape_, level).count() : at;
}

std::optional<AtomicFile> FileLevels::begin_file(const LevelCache& cache, const LevelPlace& place) const {
  if (!cache.make_room(file_bytes())) return std::nullopt;
  try {
    AtomicFile file(place.path, true);
    file.reserve(file_bytes());
    return file;
  } catch (const Error&) {  // levels are kept for speed alone
    return std::nullopt;
  }
}

bool FileLevels::open(const LevelPlace& place) {
  try {
    std::unique_ptr<fits::ByteSource> file = fits::open_plain(place.path, true);
    std::string line(place.identity.size() + 1, '\0');
    if (file->size() != file_bytes()) return false;
    file->read(0, line.data(), static_cast<std::int64_t>(line.size()));
    if (line != place.identity + '\n') return false;
    ReducedLevels held(shape_, first_held_);
    std::vector<PeakBlend> blends;
    for (int k = 1; k < levels_; ++k) {
      const Shape shape = levels::level_shape(shape_, k);
      std::vector<levels::Noise> cells(
          static_cast<std::size_t>(PeakBlend::cells_along(shape.ny) * PeakBlend::cells_along(shape.nx)));
      file->read(cells_at(k), cells.data(), static_cast<std::int64_t>(cells.size() * sizeof(levels::Noise)));
      PeakBlend blend(shape, std::move(cells));
      if (k < first_held_) {
        blends.push_back(std::move(blend));
        continue;
      }
      ReducedLevels::Level& level = held.level(k);
      level.blend = std::move(blend);
      file->read(plane_at(k, Reduction::mean), level.mean.data(), 4 * shape.count());
      file->read(plane_at(k, Reduction::peak), level.peak.data(), 4 * shape.count());
    }
    kept_ = std::move(file);
    blends_ = std::move(blends);
    held_ = std::move(held);
  } catch (const DataError&) {  // none, or one that ends early: made again
    return false;
  }
  LevelCache::used(place);
  return true;
}

void FileLevels::walk(AtomicFile* file, const Progress& progress) {
  held_ = ReducedLevels(shape_, first_held_);
  // Whole rows of the first level in memory, and not less than some megabytes.
  constexpr std::int64_t kPixels = 1 << 20;
  const std::int64_t least = std::int64_t{1} << first_held_;
  const std::int64_t rows = least * std::max<std::int64_t>(1, kPixels / (least * shape_.nx));
  const std::int64_t bands = (shape_.ny + rows - 1) / rows;
  std::atomic<std::int64_t> done{0};
  {
    ThreadPool pool;
    std::vector<Band> memory(static_cast<std::size_t>(pool.threads()));
    pool.for_each_worker(bands, [&](std::int64_t band, int worker) {
      progress.check();
      const std::int64_t y0 = band * rows;
      walk_band(y0, std::min(rows, shape_.ny - y0), memory[static_cast<std::size_t>(worker)], file);
      progress.report("read", static_cast<double>(++done) / static_cast<double>(bands));
    });
  }
  held_.finish(first_held_, progress);
  if (file == nullptr) return;
  for (int k = first_held_ + 1; k < levels_; ++k) {
    const ReducedLevels::Level& level = held_.level(k);
    const auto bytes = static_cast<std::size_t>(4 * level.shape.count());
    file->write_at(plane_at(k, Reduction::mean), level.mean.data(), bytes);
    file->write_at(plane_at(k, Reduction::peak), level.peak.data(), bytes);
  }
}

void FileLevels::walk_band(std::int64_t y0, std::int64_t ny, Band& band, AtomicFile* file) {
  band.rows.resize(static_cast<std::size_t>(ny * shape_.nx));
  read_floats(*source_, {y0, 0, ny, shape_.nx}, band.rows.data());
  Shape shape = band.first({ny, shape_.nx});
  for (int k = 1; k <= first_held_; ++k) {
    if (k > 1) shape = band.further(shape);
    const std::int64_t at = (y0 >> k) * shape.nx;
    const auto bytes = static_cast<std::size_t>(4 * shape.count());
    if (file != nullptr && k >= first_kept_) {
      file->write_at(plane_at(k, Reduction::mean) + 4 * at, band.mean.data(), bytes);
      file->write_at(plane_at(k, Reduction::peak) + 4 * at, band.peak.data(), bytes);
    }
    if (k < first_held_) continue;
    std::memcpy(held_.level(k).mean.data() + at, band.mean.data(), bytes);
    std::memcpy(held_.level(k).peak.data() + at, band.peak.data(), bytes);
  }
}

void FileLevels::measure_noise(const Progress& progress) {
  ThreadPool pool;
  for (int k = 1; k < first_held_; ++k) {
    const Shape shape = levels::level_shape(shape_, k);
    const PeakBlend::Heights heights = [&](std::int64_t j, std::int64_t i, std::vector<float>& out) {
      progress.check();
      const PeakBlend::Samples s = PeakBlend::samples(shape, j, i);
      std::vector<float> mean(static_cast<std::size_t>(s.x1 - s.x0)), peak(mean.size());
      for (std::int64_t y = s.y0; y < s.y1; y += s.dy) {
        read_both(k, {y, s.x0, 1, s.x1 - s.x0}, mean.data(), peak.data());
        for (std::size_t x = 0; x < mean.size(); x += static_cast<std::size_t>(s.dx)) out.push_back(peak[x] - mean[x]);
      }
    };
    blends_.emplace_back(shape, heights, &pool);
  }
}

/// What is made serves in any case: where its file cannot be finished the next session makes it again.
void FileLevels::commit(AtomicFile& file, const LevelPlace& place) {
  std::string head = place.identity + '\n';
  head.resize(static_cast<std::size_t>(LevelCache::kHeadBytes), ' ');
  file.write_at(0, head.data(), head.size());
  for (int k = 1; k < levels_; ++k) {
    const std::vector<levels::Noise>& cells = blend(k).cells();
    file.write_at(cells_at(k), cells.data(), cells.size() * sizeof(levels::Noise));
  }
  try {
    file.commit(file_bytes());
  } catch (const DataError&) {
    return;
  }
  kept_ = fits::open_plain(place.path, true);
}

const PeakBlend& FileLevels::blend(int level) const {
  return level < first_held_ ? blends_[static_cast<std::size_t>(level - 1)] : held_.level(level).blend;
}

void FileLevels::read(int level, Reduction reduction, const Rect& where, float* out) const {
  if (level >= first_held_) return held_.read(level, reduction, where, out);
  if (level >= first_kept_ && reduction != Reduction::blend) return read_kept(level, reduction, where, out);
  std::vector<float> mean(static_cast<std::size_t>(where.ny * where.nx)), peak(mean.size());
  read_both(level, where, mean.data(), peak.data());
  if (reduction != Reduction::blend) {
    std::ranges::copy(reduction == Reduction::peak ? peak : mean, out);
    return;
  }
  for (std::int64_t y = 0; y < where.ny; ++y)
    blend(level).row(where.y0 + y, where.x0, where.nx, mean.data() + y * where.nx, peak.data() + y * where.nx,
                     out + y * where.nx);
}

void FileLevels::read_both(int level, const Rect& where, float* mean, float* peak) const {
  if (level < first_kept_) return make_both(level, where, mean, peak);
  read_kept(level, Reduction::mean, where, mean);
  read_kept(level, Reduction::peak, where, peak);
}

void FileLevels::read_kept(int level, Reduction what, const Rect& where, float* out) const {
  const std::int64_t nx = levels::level_shape(shape_, level).nx, plane = plane_at(level, what);
  for (std::int64_t y = 0; y < where.ny; ++y)
    kept_->read(plane + 4 * ((where.y0 + y) * nx + where.x0), out + y * where.nx, 4 * where.nx);
}

void FileLevels::make_both(int level, const Rect& where, float* mean, float* peak) const {
  thread_local Band band;
  // Some rows at a time, which the processor's caches hold.
  constexpr std::int64_t kPixels = 1 << 16;
  const std::int64_t x0 = where.x0 << level, nx = std::min(shape_.nx, (where.x0 + where.nx) << level) - x0;
  const std::int64_t at_once = std::max<std::int64_t>(1, kPixels / (nx << level));
  for (std::int64_t y = 0; y < where.ny; y += at_once) {
    const std::int64_t y0 = (where.y0 + y) << level;
    const std::int64_t y1 = std::min(shape_.ny, (where.y0 + std::min(where.ny, y + at_once)) << level);
    band.rows.resize(static_cast<std::size_t>((y1 - y0) * nx));
    read_floats(*source_, {y0, x0, y1 - y0, nx}, band.rows.data());
    Shape shape = band.first({y1 - y0, nx});
    for (int k = 1; k < level; ++k) shape = band.further(shape);
    std::memcpy(mean + y * where.nx, band.mean.data(), static_cast<std::size_t>(4 * shape.count()));
    std::memcpy(peak + y * where.nx, band.peak.data(), static_cast<std::size_t>(4 * shape.count()));
  }
}

}  // namespace reber::gui
