// SPDX-License-Identifier: BSD-3-Clause
// Reduced levels that keep peaks, means and blank areas.
#include "core/show/display/reduced_levels.hpp"

#include <algorithm>
#include <cstring>

#include "core/base/thread_pool.hpp"

namespace reber {
namespace {

constexpr std::int64_t kBandRows = 128;  // even: two rows make one

using Floats [[gnu::vector_size(16)]] = float;
using Words [[gnu::vector_size(16)]] = std::int32_t;
constexpr std::int64_t kLanes = 4;

/// Eight pixels of a row as the four on the left and the four on the right of their pairs.
struct Pairs {
  Floats left, right;
};
Pairs pairs_at(const float* row) {
  Floats first, second;
  std::memcpy(&first, row, sizeof first);
  std::memcpy(&second, row + kLanes, sizeof second);
  return {__builtin_shufflevector(first, second, 0, 2, 4, 6), __builtin_shufflevector(first, second, 1, 3, 5, 7)};
}
constexpr Floats all(float v) { return Floats{v, v, v, v}; }

/// levels::mean_of() four times.
Floats means_of(const Pairs& low, const Pairs& high) {
  const Words a = low.left == low.left, b = low.right == low.right, c = high.left == high.left,
              d = high.right == high.right;
  const Floats zero = all(0);
  const Floats sum = (a ? low.left : zero) + (b ? low.right : zero) + (c ? high.left : zero) + (d ? high.right : zero);
  const Words n = -(a + b + c + d);
  return n > 0 ? sum / __builtin_convertvector(n, Floats) : all(levels::kBlank);
}

/// levels::peak_of() four times.
Floats peaks_of(const Pairs& low, const Pairs& high) {
  const auto held = [](const Floats& v) { return v == v ? v : all(levels::kLowest); };
  const auto larger = [](const Floats& a, const Floats& b) { return a < b ? b : a; };
  const Floats most = larger(larger(held(low.left), held(low.right)), larger(held(high.left), held(high.right)));
  return most == all(levels::kLowest) ? all(levels::kBlank) : most;
}

/// One row of the next level from two rows (the same one twice at an odd edge) of nx pixels.
template <typename Four, typename One>
void halve_row(const float* low, const float* high, std::int64_t nx, const Four& four, const One& one, float* out) {
  std::int64_t x = 0;
  for (; x + kLanes <= nx / 2; x += kLanes) {
    const Floats made = four(pairs_at(low + 2 * x), pairs_at(high + 2 * x));
    std::memcpy(out + x, &made, sizeof made);
  }
  for (; x < nx / 2; ++x) out[x] = one(low[2 * x], low[2 * x + 1], high[2 * x], high[2 * x + 1]);
  if (nx % 2 != 0) out[nx / 2] = one(low[nx - 1], levels::kBlank, high[nx - 1], levels::kBlank);
}

}  // namespace

void halve_rows(const float* rows, Shape shape, Reduction what, float* out) {
  for (std::int64_t y = 0; y < shape.ny; y += 2, out += (shape.nx + 1) / 2) {
    const float* const low = rows + y * shape.nx;
    const float* const high = y + 1 < shape.ny ? low + shape.nx : low;
    if (what == Reduction::peak)
      halve_row(low, high, shape.nx, peaks_of, levels::peak_of, out);
    else
      halve_row(low, high, shape.nx, means_of, levels::mean_of, out);
  }
}

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
  const std::int64_t at = y0 / 2 * first.shape.nx;
  halve_rows(rows, {ny, image_.nx}, Reduction::mean, first.mean.data() + at);
  halve_rows(rows, {ny, image_.nx}, Reduction::peak, first.peak.data() + at);
}

void ReducedLevels::finish(int from, const Progress& progress) {
  ThreadPool pool;
  const int last = static_cast<int>(levels_.size());
  for (int index = from; index < last; ++index) {
    const Level& below = level(index);
    Level& above = level(index + 1);
    pool.for_each((above.shape.ny + kBandRows - 1) / kBandRows, [&](std::int64_t band) {
      progress.check();
      const std::int64_t y = band * kBandRows, ny = std::min(2 * kBandRows, below.shape.ny - 2 * y);
      const std::int64_t low = 2 * y * below.shape.nx, at = y * above.shape.nx;
      const Shape rows{ny, below.shape.nx};
      halve_rows(below.mean.data() + low, rows, Reduction::mean, above.mean.data() + at);
      halve_rows(below.peak.data() + low, rows, Reduction::peak, above.peak.data() + at);
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
