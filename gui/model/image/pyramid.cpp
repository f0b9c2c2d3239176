// SPDX-License-Identifier: BSD-3-Clause
// Reduced levels that keep peaks, means and blank areas.
#include "gui/model/image/pyramid.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/thread_pool.hpp"
#include "core/run/live/display_tiles.hpp"
#include "core/show/display/level_rules.hpp"

namespace reber::gui {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr std::int64_t kBandRows = 128;

std::uint64_t next_id() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

/// 2^level values of a row become one.
void reduce_row(const float* row, std::int64_t nx, int level, float* mean, float* peak) {
  const std::int64_t step = std::int64_t{1} << level;
  for (std::int64_t x = 0; x < nx; x += step) {
    float best = -std::numeric_limits<float>::infinity();
    double sum = 0;
    std::int64_t count = 0;
    for (std::int64_t i = x; i < std::min(nx, x + step); ++i) {
      if (!(row[i] == row[i])) continue;
      best = std::max(best, row[i]);
      sum += row[i];
      ++count;
    }
    mean[x >> level] = count > 0 ? static_cast<float>(sum / static_cast<double>(count)) : kNaN;
    peak[x >> level] = levels::low_blank(best);
  }
}

/// Of the 2^level rows that row y of a level stands for.
std::int64_t middle_row(Shape shape, int level, std::int64_t y) {
  return std::min(shape.ny - 1, (y << level) + (std::int64_t{1} << (level - 1)));
}

}  // namespace

Pyramid::Pyramid(Shape shape) : id_(next_id()), shape_(shape), levels_(levels::level_count(shape)) {}

Shape Pyramid::level_shape(int level) const { return levels::level_shape(shape_, level); }

std::shared_ptr<const Pyramid> Pyramid::make(std::shared_ptr<const Image> image, const Progress& progress) {
  std::shared_ptr<Pyramid> made(new Pyramid(image->shape()));
  made->reduced_ = ReducedLevels::of(*image, progress);
  made->base_ = std::move(image);
  return made;
}

std::shared_ptr<const Pyramid> Pyramid::of_tiles(std::shared_ptr<DisplayTiles> tiles) {
  std::shared_ptr<Pyramid> made(new Pyramid(tiles->shape()));
  made->tiles_ = std::move(tiles);
  return made;
}

std::shared_ptr<const Pyramid> Pyramid::preview(const PixelSource& source, std::int64_t most_side) {
  std::shared_ptr<Pyramid> made(new Pyramid(source.shape()));
  made->fill_preview(source, most_side);
  return made;
}

std::shared_ptr<const Pyramid> Pyramid::preview_of_file(std::shared_ptr<const PixelSource> source,
                                                        std::int64_t most_side) {
  std::shared_ptr<Pyramid> made(new Pyramid(source->shape()));
  made->fill_preview(*source, most_side);
  if (made->first_level_ == 0) return made;
  made->source_ = std::move(source);
  made->sparse_from_ = std::exchange(made->first_level_, 0);
  return made;
}

void Pyramid::fill_preview(const PixelSource& source, std::int64_t most_side) {
  const Shape shape = source.shape();
  int level = 1;
  while (level + 1 < levels_ && std::max(shape.ny, shape.nx) >> level > most_side) ++level;
  if (level >= levels_) level = levels_ - 1;
  first_level_ = level;
  reduced_ = ReducedLevels(shape, level);
  if (level == 0) {
    auto one = std::make_shared<Image>(shape);
    std::vector<std::byte> raw(static_cast<std::size_t>(bytes_of(source.format().type)));
    source.read_rows(0, 1, raw.data());
    decode_floats(raw.data(), 1, source.format(), one->data());
    base_ = std::move(one);
    return;
  }
  ReducedLevels::Level& base = reduced_.level(level);
  ThreadPool pool;
  const std::int64_t row_bytes = shape.nx * bytes_of(source.format().type);
  pool.for_each(base.shape.ny, [&](std::int64_t y) {
    thread_local std::vector<std::byte> raw;
    thread_local std::vector<float> row;
    raw.resize(static_cast<std::size_t>(row_bytes));
    row.resize(static_cast<std::size_t>(shape.nx));
    source.read_rows(middle_row(shape, level, y), 1, raw.data());
    decode_floats(raw.data(), shape.nx, source.format(), row.data());
    reduce_row(row.data(), shape.nx, level, base.mean.data() + y * base.shape.nx, base.peak.data() + y * base.shape.nx);
  });
  reduced_.finish(level, {});
}

std::shared_ptr<const Pyramid> Pyramid::load(std::shared_ptr<const PixelSource> source, std::int64_t most_bytes,
                                             const Progress& progress, const Large& large) {
  const Shape shape = source->shape();
  const PixelFormat format = source->format();
  std::shared_ptr<Pyramid> made(new Pyramid(shape));
  if (shape.count() * 4 > most_bytes) {
    made->file_levels_ = FileLevels::load(source, large.cache, large.place, large.sizes, progress);
    made->source_ = std::move(source);
    return made;
  }
  made->reduced_ = ReducedLevels(shape);
  auto base = std::make_shared<Image>(shape);
  const std::int64_t bands = (shape.ny + kBandRows - 1) / kBandRows;
  std::atomic<std::int64_t> done{0};
  {
    ThreadPool pool;
    pool.for_each(bands, [&](std::int64_t band) {
      thread_local std::vector<std::byte> raw;
      const std::int64_t y0 = band * kBandRows, ny = std::min(kBandRows, shape.ny - y0);
      raw.resize(static_cast<std::size_t>(ny * shape.nx * bytes_of(format.type)));
      progress.check();
      source->read_rows(y0, ny, raw.data());
      float* const rows = base->data() + y0 * shape.nx;
      decode_floats(raw.data(), ny * shape.nx, format, rows);
      made->reduced_.reduce_rows(rows, y0, ny);
      progress.report("read", static_cast<double>(++done) / static_cast<double>(bands));
    });
  }
  made->reduced_.finish(1, progress);
  made->base_ = std::move(base);
  return made;
}

std::shared_ptr<const Pyramid> Pyramid::of_labels(std::shared_ptr<const LabelRuns> labels) {
  std::shared_ptr<Pyramid> made(new Pyramid(labels->shape));
  const auto& runs = labels->runs;
  std::size_t at = 0;
  made->row_begin_.reserve(static_cast<std::size_t>(labels->shape.ny) + 1);
  for (std::int64_t y = 0; y <= labels->shape.ny; ++y) {
    while (at < runs.size() && runs[at].y < y) ++at;
    made->row_begin_.push_back(at);
  }
  made->labels_ = std::move(labels);
  return made;
}

void Pyramid::read_labels(int level, const Rect& rect, float* out) const {
  std::fill_n(out, rect.ny * rect.nx, kNaN);
  const std::int64_t x_end = rect.x0 + rect.nx;
  const std::int64_t last = std::min(shape_.ny, (rect.y0 + rect.ny) << level);
  for (std::int64_t y = rect.y0 << level; y < last; ++y) {
    const auto begin = labels_->runs.begin() + static_cast<std::ptrdiff_t>(row_begin_[static_cast<std::size_t>(y)]);
    const auto end = labels_->runs.begin() + static_cast<std::ptrdiff_t>(row_begin_[static_cast<std::size_t>(y) + 1]);
    float* row = out + ((y >> level) - rect.y0) * rect.nx;
    // Ends of runs rise along a row.
    auto run = std::partition_point(begin, end, [&](const LabelRuns::Run& r) { return r.x1 <= rect.x0 << level; });
    for (; run != end && run->x0 >> level < x_end; ++run) {
      const auto label = static_cast<float>(run->label);
      const std::int64_t to = std::min<std::int64_t>(x_end, ((run->x1 - 1) >> level) + 1);
      for (std::int64_t x = std::max<std::int64_t>(rect.x0, run->x0 >> level); x < to; ++x)
        if (float& old = row[x - rect.x0]; !(old >= label)) old = label;
    }
  }
}

void Pyramid::read(int level, Reduction reduction, const Rect& rect, float* out) const {
  if (labels_) return read_labels(level, rect, out);
  if (tiles_) return tiles_->read(level, reduction, rect, out);
  if (source_) return read_file(level, reduction, rect, out);
  if (level > 0) return reduced_.read(level, reduction, rect, out);
  for (std::int64_t y = 0; y < rect.ny; ++y)
    std::memcpy(out + y * rect.nx, base_->data() + (rect.y0 + y) * shape_.nx + rect.x0,
                static_cast<std::size_t>(rect.nx) * sizeof(float));
}

void Pyramid::read_file(int level, Reduction reduction, const Rect& rect, float* out) const {
  try {
    if (level == 0) return read_floats(*source_, rect, out);
    if (file_levels_) return file_levels_->read(level, reduction, rect, out);
    if (level < sparse_from_) return read_sparse(level, reduction, rect, out);
    reduced_.read(level, reduction, rect, out);
  } catch (const DataError&) {  // changed, or gone: who watches the file tells it
    std::fill_n(out, rect.ny * rect.nx, kNaN);
  }
}

void Pyramid::read_sparse(int level, Reduction reduction, const Rect& rect, float* out) const {
  const std::int64_t x0 = rect.x0 << level, nx = std::min(shape_.nx, (rect.x0 + rect.nx) << level) - x0;
  std::vector<float> row(static_cast<std::size_t>(nx)), other(static_cast<std::size_t>(rect.nx));
  for (std::int64_t y = 0; y < rect.ny; ++y, out += rect.nx) {
    read_floats(*source_, {middle_row(shape_, level, rect.y0 + y), x0, 1, nx}, row.data());
    const bool peak = reduction == Reduction::peak;
    reduce_row(row.data(), nx, level, peak ? other.data() : out, peak ? out : other.data());
  }
}

void Pyramid::read_rows(std::int64_t y0, std::int64_t ny, float* out) const {
  read_floats(*source_, {y0, 0, ny, shape_.nx}, out);
}

bool Pyramid::at_hand() const {
  if (!tiles_ || tiles_->pixels()) return true;
  tiles_->want_pixels();
  return false;
}

float Pyramid::value(std::int64_t y, std::int64_t x) const {
  if (first_level_ > 0 || y < 0 || x < 0 || y >= shape_.ny || x >= shape_.nx) return kNaN;
  if (base_) return base_->at(y, x);
  if (tiles_) return tiles_->value(y, x);
  float one = kNaN;
  read(0, Reduction::mean, {y, x, 1, 1}, &one);
  return one;
}

ConstImageView Pyramid::pixels() const {
  // A map that was brought stays with the tiles.
  const auto brought = tiles_ ? tiles_->pixels() : base_;
  return brought ? brought->view() : ConstImageView{nullptr, shape_, shape_.nx};
}

ConstImageView Pyramid::brought_pixels() const {
  if (tiles_) (void)tiles_->wait_for_pixels();
  return pixels();
}

}  // namespace reber::gui
