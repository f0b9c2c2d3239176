// SPDX-License-Identifier: BSD-3-Clause
// Local polynomials through the means of cells; all of it is arithmetic on tables.
#include "core/measure/background/level_trend.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "core/base/significance.hpp"
#include "core/base/thread_pool.hpp"
#include "core/measure/background/cell_surface.hpp"
#include "core/measure/background/mesh_nodes.hpp"

namespace reber {
namespace {

using Factors = std::array<double, 6>;

/// Of the weights of cells about one: waves of any direction keep most of their height, 1.2 best for its noise.
constexpr double kWidth = 1.2;
constexpr std::size_t kMostCells = std::size_t{1} << 16;

CellValues values_of(const MeshGrid& grid, const std::vector<float>& means) {
  return {grid.ny(), grid.nx(), {means.begin(), means.end()}};
}

double value_of(const Factors& f, double y, double x) {
  return f[0] + f[1] * x + f[2] * y + f[3] * x * x + f[4] * x * y + f[5] * y * y;
}

/// Cells at which the filter does not follow.
struct Steep {
  std::vector<std::pair<std::int64_t, std::int64_t>> cells;
  std::size_t looked_at = 0;
  std::vector<double> off;  ///< in these cells, with its sign
};
Steep steep_cells(const MeshGrid& grid, const MeshCells& cells, int filter) {
  Steep steep;
  const std::int64_t ny = grid.ny(), nx = grid.nx();
  const auto mean = [&](std::int64_t j, std::int64_t i) { return cells.mean[static_cast<std::size_t>(j * nx + i)]; };
  const auto [first, step] = even_cells(cells.mean.size());
  std::vector<float> window;
  for (std::int64_t j = first; j < ny; j += step)
    for (std::int64_t i = first; i < nx; i += step) {
      const double noise = cells.rms[static_cast<std::size_t>(j * nx + i)];
      const double off =
          (static_cast<double>(mean(j, i)) - filtered_value(ny, nx, mean, j, i, filter / 2, window)) / noise;
      if (!std::isfinite(off)) continue;
      ++steep.looked_at;
      if (!(std::abs(off) > kLevelOff)) continue;
      steep.off.push_back(off);
      steep.cells.emplace_back(j, i);
    }
  return steep;
}

/// Whether the filter is too low in enough cells, and too high in as many that are about as deep: waves have both,
/// emission stands on what is level. One that is far off counts as thrice the median.
bool both_ways(const Steep& steep) {
  if (steep.off.empty()) return false;
  std::vector<double> sizes;
  for (const double off : steep.off) sizes.push_back(std::abs(off));
  const double far = kClear * middle_of(std::move(sizes));
  double above = 0, below = 0, height = 0, depth = 0;
  for (const double off : steep.off) {
    ++(off > 0 ? above : below);
    (off > 0 ? height : depth) += std::min(std::abs(off), far);
  }
  return std::min(above, below) >= enough_cells(steep.looked_at) && height <= 2 * depth;
}

/// Mean of the squared distance from a cell's centre over the cell, in distances of cells.
double mean_square(const std::vector<PixelSpan>& spans) {
  if (spans.size() < 2) return 1.0 / 12;
  const std::size_t k = spans.size() / 2;
  const double width = static_cast<double>(spans[k].size()) / (centre_of(spans[k]) - centre_of(spans[k - 1]));
  return width * width / 12;
}

/// Cells without a polynomial get the level that those of their neighbours have there, farther and farther in.
void fill_unknown(LevelSurface& surface, std::vector<char> known) {
  const std::int64_t ny = surface.cells.ny(), nx = surface.cells.nx();
  for (bool more = std::ranges::count(known, 1) > 0; more;) {
    more = false;
    const std::vector<char> before = known;
    for (std::int64_t k = 0; k < ny * nx; ++k) {
      if (before[k]) continue;
      const std::int64_t row = k / nx, col = k % nx;
      double sum = 0, count = 0;
      for (std::int64_t j = std::max<std::int64_t>(row - 1, 0); j <= std::min(row + 1, ny - 1); ++j)
        for (std::int64_t i = std::max<std::int64_t>(col - 1, 0); i <= std::min(col + 1, nx - 1); ++i)
          if (before[j * nx + i])
            sum += value_of(surface.factors[j * nx + i], static_cast<double>(row - j), static_cast<double>(col - i)),
                ++count;
      if (!(count > 0)) continue;
      surface.factors[k] = {sum / count};
      known[k] = 1, more = true;
    }
  }
}

}  // namespace

double LevelSurface::at(double y, double x) const {
  const Between v = between(cells.rows, y), u = between(cells.cols, x);
  const std::size_t nx = cells.cols.size();
  const auto row = [&](std::size_t j, double from) {
    const double first = value_of(factors[j * nx + u.first], from, u.from);
    if (u.second == u.first) return first;
    return (1 - u.weight) * first + u.weight * value_of(factors[j * nx + u.second], from, u.from - 1);
  };
  const double first = row(v.first, v.from);
  return v.second == v.first ? first : (1 - v.weight) * first + v.weight * row(v.second, v.from - 1);
}

LevelSurface level_surface(const MeshGrid& grid, const std::vector<float>& means) {
  CellValues left = values_of(grid, means);
  LevelSurface surface{grid, std::vector<Factors>(left.value.size())};
  std::vector<char> known(left.value.size(), 0);
  const double y2 = mean_square(grid.rows), x2 = mean_square(grid.cols);
  ThreadPool pool(left.value.size() > kFewNodes ? 0 : 1);
  for (int round = 0; round < kTrendRounds; ++round) {
    std::vector<Factors> more(left.value.size());
    pool.for_each(left.ny, [&](std::int64_t j) {
      for (std::int64_t i = 0; i < left.nx; ++i) {
        const auto k = static_cast<std::size_t>(j * left.nx + i);
        const auto factor = std::isfinite(left.value[k]) ? polynomial_at(left, j, i, {kWidth}) : std::nullopt;
        if (factor) more[k] = *factor;
        known[k] = factor.has_value();
      }
    });
    for (std::size_t k = 0; k < more.size(); ++k) {
      left.value[k] -= more[k][0];
      more[k][0] -= more[k][3] * x2 + more[k][5] * y2;
      for (std::size_t n = 0; n < more[k].size(); ++n) surface.factors[k][n] += more[k][n];
    }
  }
  fill_unknown(surface, std::move(known));
  return surface;
}

bool filter_cuts_waves(const MeshGrid& grid, const MeshCells& cells, int filter) {
  if (cells.mean.size() > kMostCells) return false;
  const Steep steep = steep_cells(grid, cells, filter);
  if (!both_ways(steep)) return false;
  const CellValues means = values_of(grid, cells.mean);
  std::vector<double> by_filter, by_surface;
  for (const auto& [j, i] : steep.cells) {
    const auto factor = polynomial_at(means, j, i, {kWidth, false});
    by_filter.push_back(std::abs(means.at(j, i) - means.filtered(j, i, filter / 2)));
    by_surface.push_back(factor ? std::abs(means.at(j, i) - factor->front()) : by_filter.back());
  }
  return middle_of(std::move(by_surface)) < 0.5 * middle_of(std::move(by_filter));
}

bool means_vary(const MeshGrid& grid, const MeshCells& cells, int filter) {
  if (cells.mean.size() > kMostCells) return false;
  const Steep steep = steep_cells(grid, cells, filter);
  return static_cast<double>(steep.off.size()) > kLeastShare * static_cast<double>(steep.looked_at);
}

MeshGrid nodes_of(const MeshGrid& grid, const std::vector<LevelSurface>& surfaces) {
  constexpr std::int64_t kPerCell = 4;
  std::int64_t side = side_of(grid);
  for (const LevelSurface& one : surfaces) side = std::min(side, side_of(one.cells));
  return grid.with_cells(std::max<std::int64_t>(side / kPerCell, 1));
}

void add_surfaces(BackgroundModel& model, const std::vector<LevelSurface>& surfaces) {
  if (surfaces.empty()) return;
  const std::int64_t nx = model.grid.nx();
  ThreadPool pool(model.mean.size() > kFewNodes ? 0 : 1);
  pool.for_each(model.grid.ny(), [&](std::int64_t j) {
    const double y = centre_of(model.grid.rows[j]);
    for (std::int64_t i = 0; i < nx; ++i) {
      double sum = model.mean[j * nx + i];
      for (const LevelSurface& one : surfaces) sum += one.at(y, centre_of(model.grid.cols[i]));
      model.mean[j * nx + i] = static_cast<float>(sum);
    }
  });
}

}  // namespace reber
