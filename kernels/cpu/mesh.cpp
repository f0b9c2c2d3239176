// SPDX-License-Identifier: BSD-3-Clause
// The walk over cells and, where they overlap, over blocks of them.
#include "kernels/cpu/mesh.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include "kernels/cpu/mesh_cell.hpp"
#include "kernels/cpu/overlapping_boxes.hpp"
#include "kernels/cpu/row_maker.hpp"

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

/// What all tasks of a mesh share.
struct MeshWork {
  const MeshGrid& grid;
  const CellRules& rules;
  MeshCells& cells;
  KnownCells* known;
  const JobThreads& threads;
  std::atomic<std::int64_t> done{0};

  [[nodiscard]] bool wanted(std::int64_t cell) const {
    return known == nullptr || known->anew.empty() || known->anew[static_cast<std::size_t>(cell)] != 0;
  }
  void put(std::int64_t cell, const ClippedCell& clip) {
    const auto [mean, rms] = value_of(clip, rules);
    cells.mean[static_cast<std::size_t>(cell)] = mean;
    cells.rms[static_cast<std::size_t>(cell)] = rms;
    if (known != nullptr) known->clips[static_cast<std::size_t>(cell)] = clip;
  }

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
      if (!work.wanted(cell)) continue;
      const std::int64_t j = cell / grid.nx(), i = cell % grid.nx();
      const Rect rect{grid.rows[j].begin, grid.cols[i].begin, grid.rows[j].size(), grid.cols[i].size()};
      work.put(cell, clipped_cell(rows, rect, work.rules, scratch[static_cast<std::size_t>(worker)]));
    }
    work.report(end - begin, worker);
  });
}

/// Cells of a plane that is another one in memory with some pixels changed: those that have such pixels, one by one.
void measure_changed(const CpuPlane& plane, std::vector<CellScratch>& scratch, MeshWork& work) {
  const MeshGrid& grid = work.grid;
  std::vector<std::int64_t> changed;
  for (std::int64_t cell = 0; cell < grid.ny() * grid.nx(); ++cell)
    if (work.wanted(cell)) changed.push_back(cell);
  std::vector<std::vector<float>> pixels(scratch.size());
  work.threads.for_each_worker(std::ssize(changed), [&](std::int64_t k, int worker) {
    const std::int64_t cell = changed[static_cast<std::size_t>(k)], j = cell / grid.nx(), i = cell % grid.nx();
    const Rect rect{grid.rows[j].begin, grid.cols[i].begin, grid.rows[j].size(), grid.cols[i].size()};
    std::vector<float>& own = pixels[static_cast<std::size_t>(worker)];
    own.resize(static_cast<std::size_t>(rect.shape().count() + Pixels::kSlack));
    (void)plane.maker()->make_rectangle(rect, own.data());
    const HeldRows held{own.data(), 0, rect.nx, {}};
    work.put(cell, clipped_cell(held, {0, 0, rect.ny, rect.nx}, work.rules, scratch[static_cast<std::size_t>(worker)]));
    work.report(1, worker);
  });
}

/// Blocks of boxes of rows [j0, j1), from left to right and down.
std::vector<BoxBlock> blocks_of(std::int64_t j0, std::int64_t j1, std::int64_t nx, const TileGrid& tiles) {
  std::vector<BoxBlock> blocks;
  for (std::int64_t j = j0; j < j1; j += tiles.down)
    for (std::int64_t i = 0; i < nx; i += tiles.across)
      blocks.push_back({j, std::min(j + tiles.down, j1), i, std::min(i + tiles.across, nx)});
  return blocks;
}

/// The same in blocks whose cells share tiles.
void measure_blocks(const HeldRows& rows, std::int64_t j0, std::int64_t j1, const TileGrid& tiles,
                    std::vector<OverlappingBoxes>& workers, MeshWork& work) {
  const std::vector<BoxBlock> blocks = blocks_of(j0, j1, work.grid.nx(), tiles);
  work.threads.for_each_worker(std::ssize(blocks), [&](std::int64_t task, int worker) {
    const BoxBlock& block = blocks[static_cast<std::size_t>(task)];
    const std::int64_t nx = work.grid.nx();
    workers[static_cast<std::size_t>(worker)].measure(
        rows, work.grid, tiles, block, work.rules,
        [&](std::int64_t j, std::int64_t i) { return work.wanted(j * nx + i); },
        [&](std::int64_t j, std::int64_t i, const ClippedCell& clip) { work.put(j * nx + i, clip); });
    work.report((block.j1 - block.j0) * (block.i1 - block.i0), worker);
  });
}

/// A block of one of several grids, whose cells' values stand from `at` on.
struct GridBlock {
  std::size_t grid;
  std::int64_t at;
  BoxBlock block;
};

/// All of several grids' cells, in blocks of their tiles or, where they have none, by rows.
std::vector<GridBlock> blocks_of(std::span<const MeshGrid> grids, std::span<const std::optional<TileGrid>> tiles) {
  std::vector<GridBlock> all;
  std::int64_t at = 0;
  for (std::size_t k = 0; k < grids.size(); at += grids[k].ny() * grids[k].nx(), ++k) {
    const TileGrid rows{{}, {}, 1, std::max<std::int64_t>(grids[k].nx(), 1)};
    for (const BoxBlock& block : blocks_of(0, grids[k].ny(), grids[k].nx(), tiles[k] ? *tiles[k] : rows))
      all.push_back({k, at, block});
  }
  return all;
}

/// Cells of a block that share no tiles.
void measure_block(const HeldRows& pixels, const MeshGrid& grid, const BoxBlock& block, const CellRules& rules,
                   CellScratch& scratch, const OverlappingBoxes::Put& put) {
  for (std::int64_t j = block.j0; j < block.j1; ++j)
    for (std::int64_t i = block.i0; i < block.i1; ++i) {
      const PixelSpan &rows = grid.rows[static_cast<std::size_t>(j)], &cols = grid.cols[static_cast<std::size_t>(i)];
      put(j, i, clipped_cell(pixels, {rows.begin, cols.begin, rows.size(), cols.size()}, rules, scratch));
    }
}

/// Rows of a group: of the plane that cells are measured of and, for a foreteller, of the one below.
struct GroupRows {
  HeldRows measured, base;
  Pixels changed;  ///< of `measured`, where that is made of the base
};

GroupRows hold_group(const CpuPlane& plane, std::int64_t y0, std::int64_t ny, bool foretells,
                     const JobThreads& threads) {
  GroupRows rows;
  const auto* const changed = foretells ? changed_rows(plane) : nullptr;
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
  const auto* const changed = changed_rows(plane);
  const CpuPlane& base = changed != nullptr ? changed->base() : plane;
  if (base.resident()) return nullptr;
  // Whoever left islands out may still hold their pixels, beside those that are kept here.
  if (changed != nullptr && changed->left_out() > plane.shape().count() / kMostLeftOut) return nullptr;
  const std::int64_t band = plane.maker()->band_rows();
  const std::int64_t held = Foreteller::rows_held(grid, options.filter, group_edges(plane, grid, 0, grid.ny()));
  return held + (changed != nullptr ? band : 0) <= kBands * band ? &base : nullptr;
}

MeshCells measure_mesh(const CpuPlane& plane, const MeshGrid& grid, const MeshOptions& options, Foreteller* foreteller,
                       KnownCells* known, const JobThreads& threads) {
  const CellRules rules{options.clip, clip_bias(options.clip.kappa), options.min_valid, options.centre};
  MeshCells cells;
  cells.mean.resize(static_cast<std::size_t>(grid.ny() * grid.nx()));
  cells.rms.resize(cells.mean.size());
  MeshWork work{grid, rules, cells, known, threads};
  if (known != nullptr && known->anew.empty()) known->clips.resize(cells.mean.size());
  if (known != nullptr && !known->anew.empty())
    for (std::int64_t cell = 0; cell < std::ssize(known->clips); ++cell)
      work.put(cell, ClippedCell(known->clips[static_cast<std::size_t>(cell)]));
  const auto workers = static_cast<std::size_t>(threads.threads());
  const std::optional<TileGrid> tiles = tiles_of(grid, kBlocksAThread * threads.threads());
  std::vector<CellScratch> scratch(tiles ? 0 : workers);
  std::vector<OverlappingBoxes> boxes(tiles ? workers : 0);
  if (!tiles && known != nullptr && !known->anew.empty()) {
    measure_changed(plane, scratch, work);
    return cells;
  }
  const std::vector<std::int64_t> edges = group_edges(plane, grid, 0, grid.ny());
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
  return cells;
}

MeshCells measure_meshes(const CpuPlane& plane, std::span<const MeshGrid> grids, const MeshOptions& options,
                         const JobThreads& threads) {
  const CellRules rules{options.clip, clip_bias(options.clip.kappa), options.min_valid, options.centre};
  const std::int64_t tasks =
      std::max<std::int64_t>(kBlocksAThread * threads.threads() / std::max<std::int64_t>(std::ssize(grids), 1), 1);
  std::vector<std::optional<TileGrid>> tiles(grids.size());
  threads.for_each_worker(std::ssize(grids), [&](std::int64_t k, int) {
    tiles[static_cast<std::size_t>(k)] = tiles_of(grids[static_cast<std::size_t>(k)], tasks);
  });
  const std::vector<GridBlock> blocks = blocks_of(grids, tiles);
  MeshCells cells;
  for (const MeshGrid& grid : grids)
    cells.mean.resize(cells.mean.size() + static_cast<std::size_t>(grid.ny() * grid.nx()));
  cells.rms.resize(cells.mean.size());
  const HeldRows pixels = hold_rows(plane, 0, plane.shape().ny, threads);
  const auto workers = static_cast<std::size_t>(threads.threads());
  std::vector<CellScratch> scratch(workers);
  std::vector<OverlappingBoxes> boxes(workers);
  std::atomic<std::int64_t> done{0};
  threads.for_each_worker(std::ssize(blocks), [&](std::int64_t task, int worker) {
    const auto& [k, at, block] = blocks[static_cast<std::size_t>(task)];
    float *const mean = cells.mean.data() + at, *const rms = cells.rms.data() + at;
    const OverlappingBoxes::Put put = [&, nx = grids[k].nx()](std::int64_t j, std::int64_t i, const ClippedCell& clip) {
      const rules::CellValue value = value_of(clip, rules);
      mean[j * nx + i] = value.mean;
      rms[j * nx + i] = value.rms;
    };
    if (tiles[k])
      boxes[static_cast<std::size_t>(worker)].measure(
          pixels, grids[k], *tiles[k], block, rules, [](std::int64_t, std::int64_t) { return true; }, put);
    else
      measure_block(pixels, grids[k], block, rules, scratch[static_cast<std::size_t>(worker)], put);
    const std::int64_t finished = ++done;
    if (worker == 0)
      threads.job().report("background", static_cast<double>(finished) / static_cast<double>(blocks.size()));
  });
  return cells;
}

}  // namespace reber::cpu
