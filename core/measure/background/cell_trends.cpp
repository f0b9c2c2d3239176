// SPDX-License-Identifier: BSD-3-Clause
// Which trends there are is decided on the cells' tables; planes without them are the backend's.
#include "core/measure/background/cell_trends.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/trace.hpp"
#include "core/measure/background/cell_slopes.hpp"
#include "core/measure/background/cell_surface.hpp"
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

/// Whether the filter cuts waves off, asked twice: of the cells, and of such cells half a side farther in. In small
/// cells emission can look like waves at one place of the cells, and not at the next.
///   cells: of the grid, as without the levels that there are
bool cuts_waves(const CellTrends& trends, Backend& backend, const Plane& plane, const MeshGrid& grid,
                const MeshCells& cells, const MeshOptions& options, const Job& job) {
  if (!filter_cuts_waves(grid, cells, options.filter)) return false;
  const std::int64_t half_y = grid.rows.front().size() / 2, half_x = grid.cols.front().size() / 2;
  const Rect part = grid.part(), inner{part.y0 + half_y, part.x0 + half_x, part.ny - 2 * half_y, part.nx - 2 * half_x};
  if (inner.ny < 1 || inner.nx < 1) return true;
  const MeshGrid moved =
      MeshGrid::within(grid.image, inner, std::min(grid.rows.front().size(), grid.cols.front().size()));
  return filter_cuts_waves(moved, mesh_without(trends, backend, plane, moved, options, job), options.filter);
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
  const MeshGrid smaller = grid.with_cells(half);
  const MeshCells halves = mesh_without(found, backend, plane, smaller, options, job);
  if (!cuts_waves(found, backend, plane, smaller, halves, options, job)) return found.levels;
  add_level(found, backend, plane, smaller, halves, options, job);
  cells = mesh_without(found, backend, plane, grid, options, job);
  return found.levels;
}

/// Of values that are alike but for their noise, by what each is off its neighbours' middle.
double noise_of(std::int64_t ny, std::int64_t nx, const auto& at) {
  std::vector<double> off;
  for (std::int64_t j = 0; j < ny; ++j)
    for (std::int64_t i = 0; i < nx; ++i) {
      if (i > 0 && i + 1 < nx) off.push_back(at(j, i) - 0.5 * (at(j, i - 1) + at(j, i + 1)));
      if (j > 0 && j + 1 < ny) off.push_back(at(j, i) - 0.5 * (at(j - 1, i) + at(j + 1, i)));
    }
  return 1.4826 * scatter_of(std::move(off)) / std::sqrt(1.5);
}

/// Of the rms of cells without a trend: by how much a cell of few beams reads low. Its own mean takes a part of the
/// variance, and the middle of many logarithms lies below that of the mean variance.
float of_few_beams(const MeshGrid& grid, const MeshCells& cells) {
  constexpr double kMost = 0.1;  // of the square
  const std::int64_t nx = grid.nx();
  const auto rms = [&](std::int64_t j, std::int64_t i) { return static_cast<double>(cells.rms[j * nx + i]); };
  const double logs = noise_of(grid.ny(), nx, [&](auto j, auto i) { return std::log(rms(j, i)); });
  const double means = noise_of(grid.ny(), nx, [&](auto j, auto i) { return cells.mean[j * nx + i] / rms(j, i); });
  const double square = logs * logs + means * means;
  return std::isfinite(square) ? static_cast<float>(1 + 0.5 * std::min(square, kMost)) : 1.0F;
}

/// Cells about a trend of the noise, those of the trend.
std::optional<BackgroundModel> measure_about(Backend& backend, const Plane& plane, MeshOptions options,
                                             const CellTrends& trends, const Job& job) {
  const MeshGrid& grid = trends.noise->cells;
  options.filter = trends.filter;
  MeshCells cells = without_slopes(grid, mesh_without(trends, backend, plane, grid, options, job));
  if (none_usable(cells)) return std::nullopt;
  const float times = of_few_beams(grid, cells);
  for (float& rms : cells.rms) rms *= times;
  for (float& rms : cells.filtered_rms) rms *= times;
  BackgroundModel model = with_trend(finish_mesh(grid, cells, options), *trends.noise);
  if (!trends.levels.empty()) add_surfaces(model, trends.levels);
  return model;
}

}  // namespace

std::optional<BackgroundModel> measure_cells(Backend& backend, const Plane& plane, const MeshGrid& grid,
                                             const MeshOptions& options, const CellTrends& trends, const Job& job) {
  if (trends.noise) return measure_about(backend, plane, options, trends, job);
  MeshCells cells = mesh_without(trends, backend, plane, grid, options, job);
  if (none_usable(cells)) return std::nullopt;
  BackgroundModel model = filtered(grid, std::move(cells), options);
  return trends.levels.empty() ? std::optional(std::move(model)) : with_surfaces(model, trends.levels);
}

std::optional<BackgroundModel> first_cells(Backend& backend, const Plane& plane, const MeshGrid& grid,
                                           const MeshOptions& options, std::int64_t least_side, CellTrends& trends,
                                           const Job& job) {
  constexpr int kRounds = 3;
  MeshCells cells = backend.mesh(plane, grid, options, job);
  if (none_usable(cells)) return std::nullopt;
  trends.levels = find_waves(backend, plane, grid, cells, options, least_side, job);
  if (!filter_cuts_noise(grid, cells, options.filter)) {
    BackgroundModel model = filtered(grid, std::move(cells), options);
    return trends.levels.empty() ? std::optional(std::move(model)) : with_surfaces(model, trends.levels);
  }
  // Cells as small as may be follow best; a filter as wide as before makes up for their noise.
  const std::int64_t side = std::min(grid.rows.front().size(), grid.cols.front().size());
  const bool smaller = least_side > 0 && least_side < side;
  trends.noise = noise_trend(grid, cells, options.filter);
  const MeshGrid halves = smaller ? grid.with_cells(std::max(least_side, (side + 1) / 2)) : grid;
  trends.filter = smaller ? 2 * options.filter - 1 : options.filter;
  for (int round = 0; round < kRounds; ++round) {
    MeshCells again = mesh_without(trends, backend, plane, halves, options, job);
    if (none_usable(again)) break;
    for (std::size_t j = 0, k = 0; j < halves.rows.size(); ++j)
      for (std::size_t i = 0; i < halves.cols.size(); ++i, ++k) {
        const auto noise = static_cast<float>(trends.noise->at(centre_of(halves.rows[j]), centre_of(halves.cols[i])));
        again.rms[k] *= noise, again.mean[k] = again.mean[k] * noise + static_cast<float>(trends.noise->level);
      }
    trends.noise = noise_trend(halves, again, trends.filter);
  }
  return measure_about(backend, plane, options, trends, job);
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
