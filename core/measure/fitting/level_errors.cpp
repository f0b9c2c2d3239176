// SPDX-License-Identifier: BSD-3-Clause
// Levels by rows of the image, so that many sources ask few of them.
#include "core/measure/fitting/level_errors.hpp"

#include <algorithm>
#include <cmath>

#include "core/measure/background/mesh_nodes.hpp"

namespace reber {
namespace {

/// Side of a cell. Nodes of some models are nearer to each other than cells were.
double cell_side(const MeshGrid& grid) {
  constexpr std::int64_t kLeast = 64;
  std::int64_t side = kLeast;
  for (const auto* spans : {&grid.rows, &grid.cols})
    for (const PixelSpan& one : *spans) side = std::max(side, one.size());
  return static_cast<double>(side);
}

double mean_at(const BackgroundModel& background, double y, double x) {
  const MeshGrid& grid = background.grid;
  const auto inside = [](double place, std::int64_t size) {
    return std::clamp<std::int64_t>(std::llround(place), 0, size - 1);
  };
  double mean = 0;
  for (const NodePart& one : nodes_about(grid, inside(y, grid.image.ny), inside(x, grid.image.nx)))
    mean += one.part * static_cast<double>(background.mean[one.row * grid.cols.size() + one.col]);
  return mean;
}

}  // namespace

double mesh_level_error(const FitPixels& pixels, double error, const BackgroundModel& background) {
  if (background.mean_map || pixels.value.empty()) return 0;
  const double side = cell_side(background.grid), count = static_cast<double>(pixels.value.size());
  const auto [left, right] = std::ranges::minmax(pixels.x);
  const auto [top, bottom] = std::ranges::minmax(pixels.y);
  const double y = 0.5 * (static_cast<double>(top) + bottom), x = 0.5 * (static_cast<double>(left) + right);
  const double around = mean_at(background, y - side, x) + mean_at(background, y + side, x) +
                        mean_at(background, y, x - side) + mean_at(background, y, x + side);
  return std::hypot(kLevelNoise * error / (std::sqrt(count) * side), mean_at(background, y, x) - 0.25 * around);
}

void set_level_errors(std::vector<LocalLevel> levels, std::span<SourceRow> rows) {
  if (levels.empty()) return;
  std::ranges::sort(levels, {}, &LocalLevel::y);
  const double reach = std::ranges::max(levels, {}, &LocalLevel::reach_px).reach_px;
  for (SourceRow& row : rows) {
    if (!row.fit.gaussian) continue;
    const auto y = static_cast<double>(row.sums.peak_y), x = static_cast<double>(row.sums.peak_x);
    for (auto one = std::ranges::lower_bound(levels, y - reach, {}, &LocalLevel::y);
         one != levels.end() && one->y <= y + reach; ++one)
      row.fit.level_error = std::max(row.fit.level_error, one->error * one->part(std::hypot(one->y - y, one->x - x)));
  }
}

}  // namespace reber
