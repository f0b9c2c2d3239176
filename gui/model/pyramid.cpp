// SPDX-License-Identifier: BSD-3-Clause
// Reduced levels that keep peaks, means and blank areas.
#include "gui/model/pyramid.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/base/thread_pool.hpp"

namespace reber::gui {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr std::int64_t kBandRows = 128;

std::uint64_t next_id() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

/// A NaN as second argument of std::max(a, b) with a < b false: the finite one must win, so blanks become -inf first.
float blank_low(float v) { return v == v ? v : -std::numeric_limits<float>::infinity(); }
float low_blank(float v) { return v == -std::numeric_limits<float>::infinity() ? kNaN : v; }

float mean_of(float a, float b, float c, float d) {
  const float sum = (a == a ? a : 0) + (b == b ? b : 0) + (c == c ? c : 0) + (d == d ? d : 0);
  const int n = (a == a ? 1 : 0) + (b == b ? 1 : 0) + (c == c ? 1 : 0) + (d == d ? 1 : 0);
  return n > 0 ? sum / static_cast<float>(n) : kNaN;
}

float peak_of(float a, float b, float c, float d) {
  return low_blank(std::max(std::max(blank_low(a), blank_low(b)), std::max(blank_low(c), blank_low(d))));
}

/// One row of the next level from two rows (the same one twice at an odd edge) of nx pixels.
void halve_row_mean(const float* low, const float* high, std::int64_t nx, float* out) {
  for (std::int64_t x = 0; x < nx / 2; ++x) out[x] = mean_of(low[2 * x], low[2 * x + 1], high[2 * x], high[2 * x + 1]);
  if (nx % 2 != 0) out[nx / 2] = mean_of(low[nx - 1], kNaN, high[nx - 1], kNaN);
}

void halve_row_peak(const float* low, const float* high, std::int64_t nx, float* out) {
  for (std::int64_t x = 0; x < nx / 2; ++x) out[x] = peak_of(low[2 * x], low[2 * x + 1], high[2 * x], high[2 * x + 1]);
  if (nx % 2 != 0) out[nx / 2] = peak_of(low[nx - 1], kNaN, high[nx - 1], kNaN);
}

Shape halved(Shape shape) { return {(shape.ny + 1) / 2, (shape.nx + 1) / 2}; }

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
    peak[x >> level] = low_blank(best);
  }
}

}  // namespace

Pyramid::Pyramid(Shape shape) : id_(next_id()), shape_(shape) {
  for (Shape s = shape; s.ny > 1 || s.nx > 1; s = halved(s)) ++levels_;
}

Shape Pyramid::level_shape(int level) const {
  const std::int64_t step = std::int64_t{1} << level;
  return {(shape_.ny + step - 1) / step, (shape_.nx + step - 1) / step};
}

void Pyramid::allocate_levels(int first) {
  reduced_.resize(static_cast<std::size_t>(levels_ - 1));
  for (int level = 1; level < levels_; ++level) {
    Level& made = reduced_[static_cast<std::size_t>(level - 1)];
    made.shape = level_shape(level);
    if (level < first) continue;
    made.mean = Image(made.shape);
    made.peak = Image(made.shape);
  }
}

void Pyramid::reduce_base(const float* rows, std::int64_t y0, std::int64_t ny) {
  if (reduced_.empty()) return;
  Level& level = reduced_.front();
  for (std::int64_t y = 0; y < ny; y += 2) {
    const float* low = rows + y * shape_.nx;
    // At an odd far edge the row stands for both: mean and peak are then its own.
    const float* high = y + 1 < ny ? low + shape_.nx : low;
    const std::int64_t out = (y0 + y) / 2;
    halve_row_mean(low, high, shape_.nx, level.mean.data() + out * level.shape.nx);
    halve_row_peak(low, high, shape_.nx, level.peak.data() + out * level.shape.nx);
  }
}

void Pyramid::reduce_upper(int from, const Progress& progress) {
  ThreadPool pool;
  for (int level = from; level + 1 < levels_; ++level) {
    const Level& below = reduced_[static_cast<std::size_t>(level - 1)];
    Level& above = reduced_[static_cast<std::size_t>(level)];
    const std::int64_t bands = (above.shape.ny + kBandRows - 1) / kBandRows;
    pool.for_each(bands, [&](std::int64_t band) {
      progress.check();
      for (std::int64_t y = band * kBandRows; y < std::min(above.shape.ny, (band + 1) * kBandRows); ++y) {
        const std::int64_t low = 2 * y * below.shape.nx;
        const std::int64_t high = 2 * y + 1 < below.shape.ny ? low + below.shape.nx : low;
        float* mean = above.mean.data() + y * above.shape.nx;
        halve_row_mean(below.mean.data() + low, below.mean.data() + high, below.shape.nx, mean);
        float* peak = above.peak.data() + y * above.shape.nx;
        halve_row_peak(below.peak.data() + low, below.peak.data() + high, below.shape.nx, peak);
      }
    });
  }
  pool.for_each(std::max(0, levels_ - from), [&](std::int64_t i) {
    progress.check();
    Level& level = reduced_[static_cast<std::size_t>(from + i - 1)];
    level.blend = PeakBlend(level.mean, level.peak);
  });
}

std::shared_ptr<const Pyramid> Pyramid::make(std::shared_ptr<const Image> image, const Progress& progress) {
  std::shared_ptr<Pyramid> made(new Pyramid(image->shape()));
  made->allocate_levels(1);
  {
    ThreadPool pool;
    const Shape shape = image->shape();
    pool.for_each((shape.ny + kBandRows - 1) / kBandRows, [&](std::int64_t band) {
      progress.check();
      const std::int64_t y0 = band * kBandRows;
      made->reduce_base(image->data() + y0 * shape.nx, y0, std::min(kBandRows, shape.ny - y0));
    });
  }
  made->reduce_upper(1, progress);
  made->base_ = std::move(image);
  return made;
}

std::shared_ptr<const Pyramid> Pyramid::preview(const PixelSource& source, std::int64_t most_side) {
  const Shape shape = source.shape();
  std::shared_ptr<Pyramid> made(new Pyramid(shape));
  int level = 1;
  while (level + 1 < made->levels_ && std::max(shape.ny, shape.nx) >> level > most_side) ++level;
  if (level >= made->levels_) level = made->levels_ - 1;
  made->first_level_ = level;
  made->allocate_levels(level);
  if (level == 0) {
    auto one = std::make_shared<Image>(shape);
    std::vector<std::byte> raw(static_cast<std::size_t>(bytes_of(source.format().type)));
    source.read_rows(0, 1, raw.data());
    decode_floats(raw.data(), 1, source.format(), one->data());
    made->base_ = std::move(one);
    return made;
  }
  Level& base = made->reduced_[static_cast<std::size_t>(level - 1)];
  ThreadPool pool;
  const std::int64_t row_bytes = shape.nx * bytes_of(source.format().type);
  pool.for_each(base.shape.ny, [&](std::int64_t y) {
    thread_local std::vector<std::byte> raw;
    thread_local std::vector<float> row;
    raw.resize(static_cast<std::size_t>(row_bytes));
    row.resize(static_cast<std::size_t>(shape.nx));
    // The middle row of the 2^level that this one stands for.
    source.read_rows(std::min(shape.ny - 1, (y << level) + (std::int64_t{1} << (level - 1))), 1, raw.data());
    decode_floats(raw.data(), shape.nx, source.format(), row.data());
    reduce_row(row.data(), shape.nx, level, base.mean.data() + y * base.shape.nx, base.peak.data() + y * base.shape.nx);
  });
  made->reduce_upper(level, {});
  return made;
}

std::shared_ptr<const Pyramid> Pyramid::load(std::shared_ptr<const PixelSource> source, std::int64_t most_bytes,
                                             const Progress& progress) {
  const Shape shape = source->shape();
  const PixelFormat format = source->format();
  std::shared_ptr<Pyramid> made(new Pyramid(shape));
  made->allocate_levels(1);
  const bool keep = shape.count() * 4 <= most_bytes;
  auto base = keep ? std::make_shared<Image>(shape) : nullptr;
  const std::int64_t bands = (shape.ny + kBandRows - 1) / kBandRows;
  std::atomic<std::int64_t> done{0};
  {
    ThreadPool pool;
    pool.for_each(bands, [&](std::int64_t band) {
      thread_local std::vector<std::byte> raw;
      thread_local std::vector<float> scratch;
      const std::int64_t y0 = band * kBandRows, ny = std::min(kBandRows, shape.ny - y0);
      raw.resize(static_cast<std::size_t>(ny * shape.nx * bytes_of(format.type)));
      progress.check();
      source->read_rows(y0, ny, raw.data());
      float* rows = nullptr;
      if (keep) {
        rows = base->data() + y0 * shape.nx;
      } else {
        scratch.resize(static_cast<std::size_t>(ny * shape.nx));
        rows = scratch.data();
      }
      decode_floats(raw.data(), ny * shape.nx, format, rows);
      made->reduce_base(rows, y0, ny);
      progress.report("read", static_cast<double>(++done) / static_cast<double>(bands));
    });
  }
  made->reduce_upper(1, progress);
  if (keep)
    made->base_ = std::move(base);
  else
    made->source_ = std::move(source);
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
  if (level == 0 && source_) {
    const std::int64_t size = bytes_of(source_->format().type);
    std::vector<std::byte> raw(static_cast<std::size_t>(shape_.nx * size));
    for (std::int64_t y = 0; y < rect.ny; ++y) {
      source_->read_rows(rect.y0 + y, 1, raw.data());
      decode_floats(raw.data() + rect.x0 * size, rect.nx, source_->format(), out + y * rect.nx);
    }
    return;
  }
  const Level* reduced = level > 0 ? &reduced_[static_cast<std::size_t>(level - 1)] : nullptr;
  const Image& from = reduced == nullptr ? *base_ : reduction == Reduction::peak ? reduced->peak : reduced->mean;
  for (std::int64_t y = 0; y < rect.ny; ++y) {
    const std::int64_t first = (rect.y0 + y) * from.shape().nx + rect.x0;
    if (reduced != nullptr && reduction == Reduction::blend)
      reduced->blend.row(rect.y0 + y, rect.x0, rect.nx, reduced->mean.data() + first, reduced->peak.data() + first,
                         out + y * rect.nx);
    else
      std::memcpy(out + y * rect.nx, from.data() + first, static_cast<std::size_t>(rect.nx) * sizeof(float));
  }
}

float Pyramid::value(std::int64_t y, std::int64_t x) const {
  if (first_level_ > 0 || y < 0 || x < 0 || y >= shape_.ny || x >= shape_.nx) return kNaN;
  if (base_) return base_->at(y, x);
  float one = kNaN;
  read(0, Reduction::mean, {y, x, 1, 1}, &one);
  return one;
}

ConstImageView Pyramid::pixels() const { return base_ ? base_->view() : ConstImageView{nullptr, shape_, shape_.nx}; }

}  // namespace reber::gui
