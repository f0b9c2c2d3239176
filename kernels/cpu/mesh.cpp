// SPDX-License-Identifier: BSD-3-Clause
// The walk over cells and, where they overlap, over blocks of them.
#include "kernels/cpu/mesh.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include "kernels/cpu/mesh_cell.hpp"
#include "kernels/cpu/mesh_tiles.hpp"
#include "kernels/cpu/row_maker.hpp"
#include "kernels/cpu/share.hpp"

namespace reber::cpu {
namespace {

/// Neighbouring cells a task at most.
constexpr std::int64_t kMostCellsATask = 8;
/// Blocks of overlapping cells a thread at least, where there are enough cells.
constexpr std::int64_t kBlocksAThread = 6;

/// Of rows of cells [first, last): first ones of groups whose pixels fit a band, then `last`; one group where the plane
/// is resident.
std::vector<std::int64_t> group_edges(const CpuPlane& plane, const MeshGrid& grid, std::int64_t first,
                                      std::int64_t last) {
  std::vector<std::int64_t> edges{first};
  if (!plane.resident())
    for (std::int64_t j = first + 1; j < last; ++j)
      if (grid.rows[j].end - grid.rows[edges.back()].begin > plane.maker()->band_rows()) edges.push_back(j);
  if (last > first) edges.push_back(last);
  return edges;
}

/// Cells of this process's rows [first, last), and those of the others at their places.
void exchange_cells(const MeshGrid& grid, std::int64_t first, std::int64_t last, MeshCells& cells,
                    const JobThreads& threads) {
  Packed packed;
  const auto count = static_cast<std::size_t>((last - first) * grid.nx());
  packed.add(cells.mean.data() + first * grid.nx(), count);
  packed.add(cells.rms.data() + first * grid.nx(), count);
  const std::vector<std::string> all = threads.others()->gather(packed.take(), threads.job().progress());
  for (std::size_t who = 0; who < all.size(); ++who) {
    const std::int64_t at = threads.others()->part(grid.ny(), static_cast<std::int64_t>(who)).first * grid.nx();
    Unpacked unpacked(all[who]);
    std::ranges::copy(unpacked.next<float>(), cells.mean.begin() + at);
    std::ranges::copy(unpacked.next<float>(), cells.rms.begin() + at);
  }
}

/// What all tasks of a mesh share.
struct MeshWork {
  const MeshGrid& grid;
  const CellRules& rules;
  MeshCells& cells;
  const JobThreads& threads;
  std::atomic<std::int64_t> done{0};

  void report(std::int64_t measured, int worker) {
    const std::int64_t finished = done += measured;
    const auto all = static_cast<double>(grid.ny() * grid.nx());
    if (worker == 0) threads.job().report("background", static_cast<double>(finished) / all);
  }
};

/// Cells of rows [j0, j1) one by one.
void measure_cells(const HeldRows& rows, std::int64_t j0, std::int64_t j1, std::vector<CellScratch>& scratch,
                   MeshWork& work) {
  const MeshGrid& grid = work.grid;
  const std::int64_t first = j0 * grid.nx(), last = j1 * grid.nx();
  const std::int64_t chunk =
      std::clamp<std::int64_t>((last - first) / (8 * work.threads.threads()), 1, kMostCellsATask);
  work.threads.for_each_worker((last - first + chunk - 1) / chunk, [&](std::int64_t task, int worker) {
    const std::int64_t begin = first + task * chunk, end = std::min(begin + chunk, last);
    for (std::int64_t cell = begin; cell < end; ++cell) {
      const std::int64_t j = cell / grid.nx(), i = cell % grid.nx();
      const Rect rect{grid.rows[j].begin, grid.cols[i].begin, grid.rows[j].size(), grid.cols[i].size()};
      const auto [mean, rms] = cell_value(rows, rect, work.rules, scratch[static_cast<std::size_t>(worker)]);
      work.cells.mean[cell] = mean;
      work.cells.rms[cell] = rms;
    }
    work.report(end - begin, worker);
  });
}

/// A row of a grid's cells, whose values stand from `at` on.
struct CellRow {
  const MeshGrid* grid;
  std::int64_t row, at;
};

void measure_row(const HeldRows& pixels, const CellRow& which, const CellRules& rules, CellScratch& scratch,
                 MeshCells& cells) {
  const PixelSpan& rows = which.grid->rows[static_cast<std::size_t>(which.row)];
  auto at = static_cast<std::size_t>(which.at);
  for (const PixelSpan& cols : which.grid->cols) {
    const auto [mean, rms] = cell_value(pixels, {rows.begin, cols.begin, rows.size(), cols.size()}, rules, scratch);
    cells.mean[at] = mean;
    cells.rms[at++] = rms;
  }
}

/// The same in blocks whose cells share tiles.
void measure_blocks(const HeldRows& rows, std::int64_t j0, std::int64_t j1, const TileGrid& tiles,
                    std::vector<TiledBoxes>& workers, MeshWork& work) {
  const std::int64_t down = (j1 - j0 + tiles.side - 1) / tiles.side, nx = work.grid.nx();
  const std::int64_t across = (nx + tiles.side - 1) / tiles.side;
  work.threads.for_each_worker(down * across, [&](std::int64_t task, int worker) {
    const std::int64_t j = j0 + task / across * tiles.side, i = task % across * tiles.side;
    const BoxBlock block{j, std::min(j + tiles.side, j1), i, std::min(i + tiles.side, nx)};
    workers[static_cast<std::size_t>(worker)].measure(rows, work.grid, tiles, block, work.rules, work.cells);
    work.report((block.j1 - block.j0) * (block.i1 - block.i0), worker);
  });
}

/// Rows of a group: of the plane that cells are measured of and, for a foreteller, of the one below.
struct GroupRows {
  HeldRows measured, base;
  Pixels changed;  ///< of `measured`, where that is made of the base
};

GroupRows hold_group(const CpuPlane& plane, std::int64_t y0, std::int64_t ny, bool foretells,
                     const JobThreads& threads) {
  GroupRows rows;
  const auto* const changed = foretells ? dynamic_cast<const ChangedRows*>(plane.maker().get()) : nullptr;
  rows.base = hold_rows(changed != nullptr ? changed->base() : plane, y0, ny, threads);
  rows.measured = {rows.base.pixels, rows.base.first, rows.base.nx, {}};
  if (changed == nullptr) return rows;
  rows.changed = plane.maker()->tools().memory->take(ny * rows.base.nx);
  changed->change(y0, ny, rows.base.row(y0), rows.changed.data(), threads);
  rows.measured = {rows.changed.data(), y0, rows.base.nx, {}};
  return rows;
}

}  // namespace

const CpuPlane* foretold_by_mesh(const CpuPlane& plane, const MeshGrid& grid, const MeshOptions& options) {
  constexpr std::int64_t kBands = 4, kMostLeftOut = 64;
  if (plane.resident() || grid.ny() * grid.nx() == 0) return nullptr;
  const auto* const changed = dynamic_cast<const ChangedRows*>(plane.maker().get());
  const CpuPlane& base = changed != nullptr ? changed->base() : plane;
  if (base.resident()) return nullptr;
  // Whoever left islands out may still hold their pixels, beside those that are kept here.
  if (changed != nullptr && changed->left_out() > plane.shape().count() / kMostLeftOut) return nullptr;
  const std::int64_t band = plane.maker()->band_rows();
  const std::int64_t held = Foreteller::rows_held(grid, options.filter, group_edges(plane, grid, 0, grid.ny()));
  return held + (changed != nullptr ? band : 0) <= kBands * band ? &base : nullptr;
}

MeshCells measure_mesh(const CpuPlane& plane, const MeshGrid& grid, const MeshOptions& options, Foreteller* foreteller,
                       const JobThreads& threads) {
  const CellRules rules{options.clip, clip_bias(options.clip.kappa), options.min_valid, options.centre};
  MeshCells cells;
  cells.mean.resize(static_cast<std::size_t>(grid.ny() * grid.nx()));
  cells.rms.resize(cells.mean.size());
  MeshWork work{grid, rules, cells, threads};
  const auto workers = static_cast<std::size_t>(threads.threads());
  const std::optional<TileGrid> tiles = tiles_of(grid, kBlocksAThread * threads.threads());
  std::vector<CellScratch> scratch(tiles ? 0 : workers);
  std::vector<TiledBoxes> boxes(tiles ? workers : 0);
  const auto [own_first, own_last] = own_part(threads, grid.ny());
  const std::vector<std::int64_t> edges = group_edges(plane, grid, own_first, own_last);
  for (std::size_t group = 0; group + 1 < edges.size(); ++group) {
    const std::int64_t y0 = grid.rows[edges[group]].begin, y1 = grid.rows[edges[group + 1] - 1].end;
    GroupRows rows = hold_group(plane, y0, y1 - y0, foreteller != nullptr, threads);
    if (tiles)
      measure_blocks(rows.measured, edges[group], edges[group + 1], *tiles, boxes, work);
    else
      measure_cells(rows.measured, edges[group], edges[group + 1], scratch, work);
    rows.changed = {};
    if (foreteller != nullptr) foreteller->follow(std::move(rows.base), y0, y1, cells, edges[group + 1], threads);
  }
  if (threads.others() != nullptr) exchange_cells(grid, own_first, own_last, cells, threads);
  return cells;
}

MeshCells measure_meshes(const CpuPlane& plane, std::span<const MeshGrid> grids, const MeshOptions& options,
                         const JobThreads& threads) {
  const CellRules rules{options.clip, clip_bias(options.clip.kappa), options.min_valid, options.centre};
  MeshCells cells;
  std::vector<CellRow> rows;
  for (const MeshGrid& grid : grids) {
    const auto begin = std::ssize(cells.mean), count = grid.ny() * grid.nx();
    cells.mean.resize(static_cast<std::size_t>(begin + count));
    cells.rms.resize(cells.mean.size());
    if (tiles_of(grid, kBlocksAThread * threads.threads())) {
      const MeshCells one = measure_mesh(plane, grid, options, nullptr, threads);
      std::ranges::copy(one.mean, cells.mean.begin() + begin);
      std::ranges::copy(one.rms, cells.rms.begin() + begin);
      continue;
    }
    for (std::int64_t j = 0; j < grid.ny(); ++j) rows.push_back({&grid, j, begin + j * grid.nx()});
  }
  const HeldRows pixels = hold_rows(plane, 0, plane.shape().ny, threads);
  std::vector<CellScratch> scratch(static_cast<std::size_t>(threads.threads()));
  std::atomic<std::int64_t> done{0};
  threads.for_each_worker(std::ssize(rows), [&](std::int64_t row, int worker) {
    measure_row(pixels, rows[static_cast<std::size_t>(row)], rules, scratch[static_cast<std::size_t>(worker)], cells);
    const std::int64_t finished = ++done;
    if (worker == 0)
      threads.job().report("background", static_cast<double>(finished) / static_cast<double>(rows.size()));
  });
  return cells;
}

}  // namespace reber::cpu
