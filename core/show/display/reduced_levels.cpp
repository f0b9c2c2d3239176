// SPDX-License-Identifier: BSD-3-Clause
// Reduced levels that keep peaks, means and blank areas.
#include "core/show/display/reduced_levels.hpp"

#include <algorithm>
#include <cstring>

#include "core/base/thread_pool.hpp"

namespace reber {
namespace {

constexpr std::int64_t kBandRows = 128;  // even: two rows make one

/// One row of the next level from two rows (the same one twice at an odd edge) of nx pixels.
void halve_row_mean(const float* low, const float* high, std::int64_t nx, float* out) {
  for (std::int64_t x = 0; x < nx / 2; ++x)
    out[x] = levels::mean_of(low[2 * x], low[2 * x + 1], high[2 * x], high[2 * x + 1]);
  if (nx % 2 != 0) out[nx / 2] = levels::mean_of(low[nx - 1], levels::kBlank, high[nx - 1], levels::kBlank);
}

void halve_row_peak(const float* low, const float* high, std::int64_t nx, float* out) {
  for (std::int64_t x = 0; x < nx / 2; ++x)
    out[x] = levels::peak_of(low[2 * x], low[2 * x + 1], high[2 * x], high[2 * x + 1]);
  if (nx % 2 != 0) out[nx / 2] = levels::peak_of(low[nx - 1], levels::kBlank, high[nx - 1], levels::kBlank);
}

}  // namespace

ReducedLevels::ReducedLevels(Shape image, int first)
    : image_(image), levels_(static_cast<std::size_t>(levels::level_count(image) - 1)) {
  for (int index = 1; index <= static_cast<int>(levels_.size()); ++index) {
    Level& made = level(index);
    made.shape = levels::level_shape(image, index);
    if (index < first) continue;
    made.mean = Image(made.shape);
    made.peak = Image(made.shape);
  }
}

ReducedLevels ReducedLevels::of(const Image& image, const Progress& progress) {
  const Shape shape = image.shape();
  ReducedLevels made(shape);
  {
    ThreadPool pool;
    pool.for_each((shape.ny + kBandRows - 1) / kBandRows, [&](std::int64_t band) {
      progress.check();
      const std::int64_t y0 = band * kBandRows;
      made.reduce_rows(image.data() + y0 * shape.nx, y0, std::min(kBandRows, shape.ny - y0));
    });
  }
  made.finish(1, progress);
  return made;
}

void ReducedLevels::reduce_rows(const float* rows, std::int64_t y0, std::int64_t ny) {
  if (levels_.empty()) return;
  Level& first = levels_.front();
  for (std::int64_t y = 0; y < ny; y += 2) {
    const float* low = rows + y * image_.nx;
    // At an odd far edge the row stands for both: mean and peak are then its own.
    const float* high = y + 1 < ny ? low + image_.nx : low;
    const std::int64_t out = (y0 + y) / 2;
    halve_row_mean(low, high, image_.nx, first.mean.data() + out * first.shape.nx);
    halve_row_peak(low, high, image_.nx, first.peak.data() + out * first.shape.nx);
  }
}

void ReducedLevels::finish(int from, const Progress& progress) {
  ThreadPool pool;
  const int last = static_cast<int>(levels_.size());
  for (int index = from; index < last; ++index) {
    const Level& below = level(index);
    Level& above = level(index + 1);
    pool.for_each((above.shape.ny + kBandRows - 1) / kBandRows, [&](std::int64_t band) {
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
  pool.for_each(std::max(0, last + 1 - from), [&](std::int64_t i) {
    progress.check();
    Level& made = level(from + static_cast<int>(i));
    made.blend = PeakBlend(made.mean, made.peak);
  });
}

void ReducedLevels::read(int index, Reduction reduction, const Rect& where, float* out) const {
  const Level& from = level(index);
  for (std::int64_t y = 0; y < where.ny; ++y) {
    const std::int64_t first = (where.y0 + y) * from.shape.nx + where.x0;
    float* const to = out + y * where.nx;
    if (reduction == Reduction::blend)
      from.blend.row(where.y0 + y, where.x0, where.nx, from.mean.data() + first, from.peak.data() + first, to);
    else
      std::memcpy(to, (reduction == Reduction::peak ? from.peak : from.mean).data() + first,
                  static_cast<std::size_t>(where.nx) * sizeof(float));
  }
}

}  // namespace reber
