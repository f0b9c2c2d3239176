// SPDX-License-Identifier: BSD-3-Clause
// Differences of neighbouring cells' means; all of it is arithmetic on tables.
#include "core/measure/background/cell_slopes.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <utility>

#include "core/base/significance.hpp"
#include "core/base/thread_pool.hpp"
#include "core/measure/background/mesh_nodes.hpp"

namespace reber {
namespace {

/// Variance of a slope over that of the noise which makes a difference to the rms.
constexpr double kLeastPart = 2 * kSlight;
/// Part of the variance that must be left.
constexpr double kLeastRest = 0.1;

/// Harmonic mean of two slopes, at most twice the lesser; 0 where they disagree or one is not finite.
double agreed(double a, double b) { return a * b > 0 ? 2 * a * b / (a + b) : 0; }

/// Slopes per pixel along one line of cells.   value(k): mean of cell k
template <class Value>
double slope_at(const std::vector<PixelSpan>& spans, std::int64_t k, const Value& value) {
  const std::int64_t count = std::ssize(spans);
  if (count < 3) return 0;
  const auto between = [&](std::int64_t a) {
    return (value(a + 1) - value(a)) / (centre_of(spans[a + 1]) - centre_of(spans[a]));
  };
  const std::int64_t first = std::clamp<std::int64_t>(k - 1, 0, count - 3);
  return agreed(between(first), between(first + 1));
}

double variance_of(double slope, const PixelSpan& span) {
  const auto n = static_cast<double>(span.size());
  return slope * slope * (n * n - 1) / 12;
}

/// The model with nodes at both ends of one axis; as it is where no line of cells is steep there.
BackgroundModel carried(BackgroundModel model, bool along_x) {
  MeshGrid grid = model.grid;
  const std::vector<PixelSpan>& spans = along_x ? model.grid.cols : model.grid.rows;
  std::vector<PixelSpan>& more = along_x ? grid.cols : grid.rows;
  const std::int64_t count = std::ssize(spans), lines = along_x ? grid.ny() : grid.nx(), nx = grid.nx();
  const std::int64_t first = spans.front().begin, last = spans.back().end - 1;
  if (centre_of(spans.front()) <= static_cast<double>(first) || centre_of(spans.back()) >= static_cast<double>(last))
    return model;
  more.insert(more.begin(), {first, first + 1});
  more.push_back({last, last + 1});
  BackgroundModel made = resampled(model, grid);
  const auto at = [&](std::int64_t line, std::int64_t k) { return along_x ? line * nx + k : k * nx + line; };
  bool any = false;
  for (std::int64_t line = 0; line < lines; ++line)
    for (const bool end : {false, true}) {
      const std::int64_t k = end ? count - 1 : 0, cell = at(line, k), to = end ? count + 1 : 0;
      const double noise = model.rms[cell],
                   slope =
                       slope_at(spans, k, [&](std::int64_t m) { return static_cast<double>(model.mean[at(line, m)]); });
      if (!(variance_of(slope, spans[k]) > kLeastPart * noise * noise)) continue;
      any = true;
      made.mean[along_x ? line * (nx + 2) + to : to * nx + line] = static_cast<float>(
          model.mean[cell] + slope * (static_cast<double>(end ? last : first) - centre_of(spans[k])));
    }
  return any ? made : model;
}

/// Rms of a row of cells without slopes into `to`.   returns whether one changed
bool less_slopes(const MeshGrid& grid, const MeshCells& cells, std::int64_t j, float* to) {
  const std::int64_t nx = grid.nx();
  const auto mean = [&](std::int64_t row, std::int64_t col) { return static_cast<double>(cells.mean[row * nx + col]); };
  bool any = false;
  for (std::int64_t i = 0; i < nx; ++i) {
    const double y = slope_at(grid.rows, j, [&](std::int64_t k) { return mean(k, i); });
    const double x = slope_at(grid.cols, i, [&](std::int64_t k) { return mean(j, k); });
    const double noise = cells.rms[j * nx + i], whole = noise * noise;
    const double more = variance_of(y, grid.rows[j]) + variance_of(x, grid.cols[i]), rest = whole - more;
    const bool less = more > kLeastPart * rest && rest > kLeastRest * whole;
    to[i] = less ? static_cast<float>(std::sqrt(rest)) : cells.rms[j * nx + i];
    any = any || less;
  }
  return any;
}

}  // namespace

MeshCells without_slopes(const MeshGrid& grid, MeshCells cells) {
  const std::int64_t ny = grid.ny(), nx = grid.nx();
  ThreadPool pool(cells.rms.size() > kFewNodes ? 0 : 1);
  std::vector<float> rms(cells.rms.size());
  std::atomic<bool> any = false;
  pool.for_each(ny, [&](std::int64_t j) {
    if (less_slopes(grid, cells, j, rms.data() + j * nx)) any = true;
  });
  if (!any) return cells;
  return {std::move(cells.mean), std::move(rms)};
}

BackgroundModel carried_to_rim(BackgroundModel model) { return carried(carried(std::move(model), false), true); }

}  // namespace reber
