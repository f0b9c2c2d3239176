// SPDX-License-Identifier: BSD-3-Clause
// Which trends there are is decided on the cells' tables.
#include "core/measure/background/cell_trends.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/measure/background/background_terms.hpp"
#include "core/measure/background/cell_surface.hpp"
#include "core/measure/background/mesh_nodes.hpp"

namespace reber {
namespace {

bool none_usable(const MeshCells& cells) {
  return std::ranges::none_of(cells.rms, [](float rms) { return std::isfinite(rms); });
}

/// Adds two surfaces: one through the cells, the other through cells measured without the first, as the mean of a cell
/// holds less than the height of a wave.   cells: of the grid, about the trends that there are
void add_wave(Measuring& m, const MeshGrid& grid, const MeshCells& cells) {
  m.trends.levels.push_back(level_surface(grid, cells.mean));
  m.trends.levels.push_back(level_surface(grid, m.measured(grid, m.trends).mean));
  m.known.reset();
}

/// Whether the filter cuts waves off, asked twice: of the cells, and of such cells half a side farther in. In small
/// cells emission can look like waves at one place of the cells, and not at the next.
///   cells: of the grid, about the trends that there are
bool cuts_waves(const Measuring& m, const MeshGrid& grid, const MeshCells& cells) {
  if (!filter_cuts_waves(grid, cells, m.setup.options.filter)) return false;
  const std::int64_t half_y = grid.rows.front().size() / 2, half_x = grid.cols.front().size() / 2;
  const Rect part = grid.part(), inner{part.y0 + half_y, part.x0 + half_x, part.ny - 2 * half_y, part.nx - 2 * half_x};
  if (inner.ny < 1 || inner.nx < 1) return true;
  const MeshGrid moved = MeshGrid::within(grid.image, inner, side_of(grid));
  return filter_cuts_waves(moved, m.measured(moved, m.trends), m.setup.options.filter);
}

/// Of values that are alike but for their noise, by what each is off its neighbours' middle.
double noise_of(std::int64_t ny, std::int64_t nx, const auto& at) {
  std::vector<double> off;
  for (std::int64_t j = 0; j < ny; ++j)
    for (std::int64_t i = 0; i < nx; ++i) {
      if (i > 0 && i + 1 < nx) off.push_back(at(j, i) - 0.5 * (at(j, i - 1) + at(j, i + 1)));
      if (j > 0 && j + 1 < ny) off.push_back(at(j, i) - 0.5 * (at(j - 1, i) + at(j + 1, i)));
    }
  return kSigmaPerDeviation * scatter_of(std::move(off)) / std::sqrt(1.5);
}

/// Of the rms of cells without a trend: by how much a cell of few beams reads low. Its own mean takes a part of the
/// variance, and the middle of many logarithms lies below that of the mean variance.
float of_few_beams(const MeshGrid& grid, const MeshCells& cells) {
  const std::int64_t nx = grid.nx();
  const auto rms = [&](std::int64_t j, std::int64_t i) { return static_cast<double>(cells.rms[j * nx + i]); };
  const double logs = noise_of(grid.ny(), nx, [&](auto j, auto i) { return std::log(rms(j, i)); });
  const double means = noise_of(grid.ny(), nx, [&](auto j, auto i) { return cells.mean[j * nx + i] / rms(j, i); });
  constexpr double kMost = 0.1;  // of the square
  const double square = logs * logs + means * means;
  return std::isfinite(square) ? static_cast<float>(1 + 0.5 * std::min(square, kMost)) : 1.0F;
}

/// The waves as they are in the pixels of a later pass, on the same cells.
void refit_waves(Measuring& m) {
  CellTrends fresh;
  for (const LevelSurface& one : m.trends.levels) {
    const MeshCells cells = m.measured(one.cells, fresh);
    if (none_usable(cells)) return;
    fresh.levels.push_back(level_surface(one.cells, cells.mean));
  }
  m.trends.levels = std::move(fresh.levels);
}

/// Mean 0 and rms 1.
BackgroundModel flat(const MeshGrid& nodes) {
  const auto count = static_cast<std::size_t>(nodes.ny() * nodes.nx());
  return {nodes, std::vector<float>(count, 0), std::vector<float>(count, 1), nullptr, nullptr};
}

}  // namespace

BackgroundModel model_of(const CellTrends& trends, const MeshGrid& grid) {
  BackgroundModel model = trends.divided ? *trends.divided
                          : trends.noise ? model_of(*trends.noise, grid)
                                         : flat(nodes_of(grid, trends.levels));
  add_surfaces(model, trends.levels);
  return model;
}

void follow_waves(Measuring& m) {
  const MeshGrid& grid = m.setup.grid;
  const int filter = m.setup.options.filter;
  if (m.setup.fine) return;  // smaller cells follow by themselves
  if (m.pass > 0) return refit_waves(m);
  if (filter_cuts_waves(grid, m.cells(), filter)) add_wave(m, grid, m.cells());
  const std::int64_t half = side_of(grid) / 2, least = m.setup.least_side;
  if (least > 0 && half >= least && means_vary(grid, m.cells(), filter)) {
    const MeshGrid smaller = grid.with_cells(half);
    const MeshCells halves = m.measured(smaller, m.trends);
    if (cuts_waves(m, smaller, halves)) add_wave(m, smaller, halves);
  }
  if (!m.trends.levels.empty())
    m.words.push_back(fmt::format("about waves of the background in cells of {} px",
                                  m.trends.levels.back().cells.rows.front().size()));
}

void follow_noise(Measuring& m) {
  if (m.setup.fine || m.pass > 0) return;
  const MeshGrid& grid = m.setup.grid;
  const int filter = m.setup.options.filter;
  if (!filter_cuts_noise(grid, m.cells(), filter)) return;
  // Cells as small as may be follow best; a filter as wide as before makes up for their noise.
  const std::int64_t side = side_of(grid), least = m.setup.least_side;
  const bool smaller = least > 0 && least < side;
  const MeshGrid halves = smaller ? grid.with_cells(std::max(least, (side + 1) / 2)) : grid;
  m.trends.noise = noise_trend(grid, m.cells(), filter);
  m.trends.filter = smaller ? 2 * filter - 1 : filter;
  m.known.reset();
  m.words.emplace_back("about a trend of the noise");
  for (int round = 0; round < kTrendRounds; ++round) {
    MeshCells again = m.measured(halves, m.trends);
    if (none_usable(again)) break;
    const std::vector<float> noise = m.trends.noise->at(halves);
    for (std::size_t k = 0; k < noise.size(); ++k)
      again.rms[k] *= noise[k], again.mean[k] = again.mean[k] * noise[k] + static_cast<float>(m.trends.noise->level);
    m.trends.noise = noise_trend(halves, again, m.trends.filter);
  }
  m.trends.divided = model_of(*m.trends.noise, m.grid());
}

void correct_few_beams(Measuring& m) {
  if (!m.trends.noise) return;
  const float times = of_few_beams(m.grid(), m.cells());
  for (float& rms : m.cells().rms) rms *= times;
  for (float& rms : m.cells().filtered_rms) rms *= times;
}

void put_trends_back(Measuring& m) {
  const CellTrends& trends = m.trends;
  if (trends.none()) return;
  m.model =
      trends.noise ? with_trend(m.model, *trends.divided) : resampled(m.model, nodes_of(m.model.grid, trends.levels));
  add_surfaces(m.model, trends.levels);
}

}  // namespace reber
