// SPDX-License-Identifier: BSD-3-Clause
// Which trends there are is decided on the cells' tables; planes without them are the backend's.
#include "core/measure/background/cell_trends.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/trace.hpp"
#include "core/measure/background/cell_slopes.hpp"
#include "core/measure/background/local_trend.hpp"
#include "core/measure/background/mesh_nodes.hpp"

namespace reber {
namespace {

BackgroundModel filtered(const MeshGrid& grid, MeshCells cells, const MeshOptions& options) {
  const trace::Span span("host", "filter the cells");
  return finish_sloped(grid, std::move(cells), options);
}

bool none_usable(const MeshCells& cells) {
  return std::ranges::none_of(cells.rms, [](float rms) { return std::isfinite(rms); });
}

/// The trends as a background.
BackgroundModel model_of(const CellTrends& trends, const MeshGrid& grid) {
  if (!trends.noise) return model_of(trends.levels, grid);
  BackgroundModel model = model_of(*trends.noise, grid);
  if (!trends.levels.empty()) add_surfaces(model, trends.levels);
  return model;
}

/// Cells of the plane less levels and over a trend of its noise.
MeshCells mesh_without(const CellTrends& trends, Backend& backend, const Plane& plane, const MeshGrid& grid,
                       const MeshOptions& options, const Job& job) {
  if (!trends.noise && trends.levels.empty()) return backend.mesh(plane, grid, options, job);
  const BackgroundModel model = model_of(trends, grid);
  return backend.mesh(*backend.derive(SnrPlane{plane, model}, job), grid, options, job);
}

/// Adds two surfaces: one through the cells, the other through cells measured without the first, as the mean of a cell
/// holds less than the height of a wave.   cells: of the grid, as without the levels that there are
void add_level(CellTrends& trends, Backend& backend, const Plane& plane, const MeshGrid& grid, const MeshCells& cells,
               const MeshOptions& options, const Job& job) {
  trends.levels.push_back(level_surface(grid, cells.mean));
  const MeshCells rest = mesh_without(trends, backend, plane, grid, options, job);
  trends.levels.push_back(level_surface(grid, rest.mean));
}

/// What the filter cuts off the means' waves; and what it cuts in smaller cells, where much is left.
///   cells: of the grid; those without the waves, where there are some
std::vector<LevelSurface> find_waves(Backend& backend, const Plane& plane, const MeshGrid& grid, MeshCells& cells,
                                     const MeshOptions& options, std::int64_t least_side, const Job& job) {
  CellTrends found;
  if (filter_cuts_waves(grid, cells, options.filter)) {
    add_level(found, backend, plane, grid, cells, options, job);
    cells = mesh_without(found, backend, plane, grid, options, job);
  }
  const std::int64_t half = std::min(grid.rows.front().size(), grid.cols.front().size()) / 2;
  if (least_side == 0 || half < least_side || !means_vary(grid, cells, options.filter)) return found.levels;
  const MeshGrid smaller = MeshGrid::make(grid.image, half);
  const MeshCells halves = mesh_without(found, backend, plane, smaller, options, job);
  if (!filter_cuts_waves(smaller, halves, options.filter)) return found.levels;
  add_level(found, backend, plane, smaller, halves, options, job);
  cells = mesh_without(found, backend, plane, grid, options, job);
  return found.levels;
}

}  // namespace

std::optional<BackgroundModel> measure_cells(Backend& backend, const Plane& plane, const MeshGrid& grid,
                                             const MeshOptions& options, const CellTrends& trends, const Job& job) {
  MeshCells cells = mesh_without(trends, backend, plane, grid, options, job);
  if (none_usable(cells)) return std::nullopt;
  if (!trends.noise) {
    BackgroundModel model = filtered(grid, std::move(cells), options);
    return trends.levels.empty() ? std::optional(std::move(model)) : with_surfaces(model, trends.levels);
  }
  BackgroundModel model = with_trend(finish_mesh(grid, without_slopes(grid, cells), options), *trends.noise);
  if (!trends.levels.empty()) add_surfaces(model, trends.levels);
  return model;
}

std::optional<BackgroundModel> first_cells(Backend& backend, const Plane& plane, const MeshGrid& grid,
                                           const MeshOptions& options, std::int64_t least_side, CellTrends& trends,
                                           const Job& job) {
  constexpr int kRounds = 3;
  constexpr std::int64_t kMostCells = 48;  // of more, a noise of a thousand times at the rim moves by less than 4 %
  MeshCells cells = backend.mesh(plane, grid, options, job);
  if (none_usable(cells)) return std::nullopt;
  trends.levels = find_waves(backend, plane, grid, cells, options, least_side, job);
  std::optional<NoiseTrend>& trend = trends.noise;
  if (std::min(grid.ny(), grid.nx()) <= kMostCells) trend = noise_trend(grid, cells.rms);
  if (!trend || !too_steep(*trend, grid, options.filter)) trend = local_trend(grid, cells, options.filter);
  if (!trend) {
    BackgroundModel model = filtered(grid, std::move(cells), options);
    return trends.levels.empty() ? std::optional(std::move(model)) : with_surfaces(model, trends.levels);
  }
  const bool local = !trend->logs.empty();
  for (int round = 0; round < kRounds; ++round) {
    MeshCells again = mesh_without(trends, backend, plane, grid, options, job);
    for (std::size_t j = 0, k = 0; j < grid.rows.size(); ++j)
      for (std::size_t i = 0; i < grid.cols.size(); ++i, ++k)
        again.rms[k] *= static_cast<float>(trend->at(centre_of(grid.rows[j]), centre_of(grid.cols[i])));
    if (local)
      trend = smooth_trend(grid, again.rms);
    else if (const auto better = noise_trend(grid, again.rms))
      trend = better;
  }
  return measure_cells(backend, plane, grid, options, trends, job);
}

void refit_levels(Backend& backend, const Plane& masked, const MeshOptions& options, CellTrends& trends,
                  const Job& job) {
  CellTrends fresh;
  for (const LevelSurface& one : trends.levels) {
    const MeshCells cells = mesh_without(fresh, backend, masked, one.cells, options, job);
    if (none_usable(cells)) return;
    fresh.levels.push_back(level_surface(one.cells, cells.mean));
  }
  trends.levels = std::move(fresh.levels);
}

}  // namespace reber
