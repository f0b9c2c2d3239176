// SPDX-License-Identifier: BSD-3-Clause
// Differences of neighbouring cells' means; all of it is arithmetic on tables.
#include "core/measure/background/cell_slopes.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <utility>

#include "core/base/thread_pool.hpp"
#include "core/measure/background/mesh_nodes.hpp"

namespace reber {
namespace {

/// Variance of a slope over that of the noise which makes a difference: 2 % of the rms.
constexpr double kLeastPart = 0.04, kLeastRest = 0.1;

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

/// The map of a model along one axis with a line of nodes before the first and one behind the last.
std::vector<float> with_ends(const std::vector<float>& values, std::int64_t lines, std::int64_t count, bool along_x,
                             const std::vector<float>& first, const std::vector<float>& last) {
  std::vector<float> more;
  more.reserve(static_cast<std::size_t>(lines * (count + 2)));
  if (!along_x) more.insert(more.end(), first.begin(), first.end());
  if (!along_x) more.insert(more.end(), values.begin(), values.end());
  for (std::int64_t line = 0; along_x && line < lines; ++line) {
    more.push_back(first[line]);
    more.insert(more.end(), values.begin() + line * count, values.begin() + (line + 1) * count);
    more.push_back(last[line]);
  }
  if (!along_x) more.insert(more.end(), last.begin(), last.end());
  return more;
}

/// Nodes at both ends of one axis.
void carry_axis(BackgroundModel& model, bool along_x) {
  MeshGrid& grid = model.grid;
  std::vector<PixelSpan>& spans = along_x ? grid.cols : grid.rows;
  const std::int64_t count = std::ssize(spans), lines = along_x ? grid.ny() : grid.nx(), nx = grid.nx();
  const std::int64_t first = spans.front().begin, last = spans.back().end - 1;
  const auto at = [&](std::int64_t line, std::int64_t k) { return along_x ? line * nx + k : k * nx + line; };
  std::vector<float> mean[2], rms[2];
  bool any = false;
  for (std::int64_t line = 0; line < lines; ++line)
    for (const int end : {0, 1}) {
      const std::int64_t k = end == 0 ? 0 : count - 1, cell = at(line, k);
      const double slope =
          slope_at(spans, k, [&](std::int64_t m) { return static_cast<double>(model.mean[at(line, m)]); });
      const double noise = model.rms[cell];
      const bool steep = variance_of(slope, spans[k]) > kLeastPart * noise * noise;
      const double from = centre_of(spans[k]), to = static_cast<double>(end == 0 ? first : last);
      mean[end].push_back(steep ? static_cast<float>(model.mean[cell] + slope * (to - from)) : model.mean[cell]);
      rms[end].push_back(model.rms[cell]);
      any = any || steep;
    }
  if (!any || centre_of(spans.front()) <= static_cast<double>(first) ||
      centre_of(spans.back()) >= static_cast<double>(last))
    return;
  model.mean = with_ends(model.mean, lines, count, along_x, mean[0], mean[1]);
  model.rms = with_ends(model.rms, lines, count, along_x, rms[0], rms[1]);
  spans.insert(spans.begin(), {first, first + 1});
  spans.push_back({last, last + 1});
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
  constexpr std::int64_t kFewCells = 1 << 12;
  ThreadPool pool(ny * nx > kFewCells ? 0 : 1);
  std::vector<float> rms(cells.rms.size());
  std::atomic<bool> any = false;
  pool.for_each(ny, [&](std::int64_t j) {
    if (less_slopes(grid, cells, j, rms.data() + j * nx)) any = true;
  });
  if (!any) return cells;
  return {std::move(cells.mean), std::move(rms)};
}

BackgroundModel carried_to_rim(BackgroundModel model) {
  carry_axis(model, false);
  carry_axis(model, true);
  return model;
}

}  // namespace reber
