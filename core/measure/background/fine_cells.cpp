// SPDX-License-Identifier: BSD-3-Clause
// Which cells have a weight, rectangles of them with a margin, and the blend.
#include "core/measure/background/fine_cells.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "core/base/thread_pool.hpp"
#include "core/base/trace.hpp"
#include "core/measure/background/mesh_nodes.hpp"

namespace reber {
namespace {

/// Rows of cells that are looked at together, and columns without a weight that do not part a rectangle.
constexpr std::int64_t kBlock = 32, kGap = 16;

/// First node at or beyond a coordinate.
std::int64_t node_from(const std::vector<PixelSpan>& spans, double at) {
  return std::ranges::lower_bound(spans, at, {}, centre_of) - spans.begin();
}

/// Rows of nodes that are looked at together.
struct RowBlock {
  PixelSpan rows;
  std::vector<double> closest;  ///< of each node, the distance of the closest source; empty where all are far
  std::vector<PixelSpan> runs;  ///< columns in which a node has a weight

  [[nodiscard]] double at(std::int64_t j, std::int64_t i, std::int64_t nx) const {
    return closest[static_cast<std::size_t>((j - rows.begin) * nx + i)];
  }
};

/// Distances of the closest sources, `far` where none is closer.
std::vector<double> closest_sources(const FineCells& fine, const std::vector<BrightSource>& sources,
                                    const PixelSpan& block) {
  const std::vector<PixelSpan>&rows = fine.grid.rows, &cols = fine.grid.cols;
  std::vector<double> closest;
  for (const BrightSource& source : sources) {
    const std::int64_t j0 = std::max(node_from(rows, source.y - fine.far), block.begin),
                       j1 = std::min(node_from(rows, source.y + fine.far), block.end);
    if (j0 >= j1) continue;
    if (closest.empty()) closest.assign(static_cast<std::size_t>(block.size() * fine.grid.nx()), fine.far);
    const std::int64_t i0 = node_from(cols, source.x - fine.far), i1 = node_from(cols, source.x + fine.far);
    for (std::int64_t j = j0; j < j1; ++j)
      for (std::int64_t i = i0; i < i1; ++i) {
        double& distance = closest[static_cast<std::size_t>((j - block.begin) * fine.grid.nx() + i)];
        distance = std::min(distance, std::hypot(source.y - centre_of(rows[j]), source.x - centre_of(cols[i])));
      }
  }
  return closest;
}

/// Runs of columns in which a node has a weight.
std::vector<PixelSpan> runs_in(const RowBlock& block, std::int64_t nx, double far) {
  if (block.closest.empty()) return {};
  std::vector<char> any(static_cast<std::size_t>(nx));
  for (std::int64_t j = block.rows.begin; j < block.rows.end; ++j)
    for (std::int64_t i = 0; i < nx; ++i)
      any[static_cast<std::size_t>(i)] |= static_cast<char>(block.at(j, i, nx) < far);
  std::vector<PixelSpan> runs;
  for (std::int64_t i = 0; i < nx; ++i) {
    if (any[static_cast<std::size_t>(i)] == 0) continue;
    if (!runs.empty() && i - runs.back().end <= kGap)
      runs.back().end = i + 1;
    else
      runs.push_back({i, i + 1});
  }
  return runs;
}

std::vector<RowBlock> blocks_near(const FineCells& fine, const std::vector<BrightSource>& sources, ThreadPool& pool,
                                  const Job& job) {
  const std::int64_t ny = fine.grid.ny();
  std::vector<RowBlock> blocks(static_cast<std::size_t>((ny + kBlock - 1) / kBlock));
  pool.for_each(std::ssize(blocks), [&](std::int64_t k) {
    job.check();
    RowBlock& block = blocks[static_cast<std::size_t>(k)];
    block.rows = {k * kBlock, std::min((k + 1) * kBlock, ny)};
    block.closest = closest_sources(fine, sources, block.rows);
    block.runs = runs_in(block, fine.grid.nx(), fine.far);
  });
  return blocks;
}

PixelSpan widened(const PixelSpan& span, std::int64_t margin, std::int64_t count) {
  return {std::max<std::int64_t>(span.begin - margin, 0), std::min(span.end + margin, count)};
}

/// Nodes that are blended together.
struct Part {
  const RowBlock* block;
  PixelSpan cols;       ///< of nodes
  PixelSpan js, is;     ///< of cells: those and the windows of the median filter about them
  std::int64_t at = 0;  ///< of the first of its cells among those of all parts

  [[nodiscard]] std::int64_t cells() const { return js.size() * is.size(); }
};

/// Of nodes with a weight, and some beside them; no node is in two.
std::vector<Part> parts_of(const FineCells& fine, const std::vector<RowBlock>& blocks, std::int64_t margin) {
  std::vector<Part> parts;
  std::int64_t at = 0;
  for (const RowBlock& block : blocks)
    for (const PixelSpan& cols : block.runs) {
      parts.push_back(
          {&block, cols, widened(block.rows, margin, fine.grid.ny()), widened(cols, margin, fine.grid.nx()), at});
      at += parts.back().cells();
    }
  return parts;
}

MeshGrid grid_of(const MeshGrid& grid, const Part& part) {
  return {grid.image,
          {grid.rows.begin() + part.js.begin, grid.rows.begin() + part.js.end},
          {grid.cols.begin() + part.is.begin, grid.cols.begin() + part.is.end}};
}

/// Cells of a part, mended and filtered, into the model where they have a weight.   returns false where none is usable
bool blend(const FineCells& fine, const Part& part, const MeshCells& cells, const MeshOptions& options,
           BackgroundModel& model) {
  if (std::ranges::none_of(cells.rms, [](float rms) { return std::isfinite(rms); })) return false;
  const BackgroundModel near = finish_mesh(grid_of(fine.grid, part), cells, options, 1);
  for (std::int64_t j = part.block->rows.begin; j < part.block->rows.end; ++j)
    for (std::int64_t i = part.cols.begin; i < part.cols.end; ++i) {
      const auto at = static_cast<std::size_t>(j * fine.grid.nx() + i);
      const double weight =
          std::clamp((fine.far - part.block->at(j, i, fine.grid.nx())) / (fine.far - fine.near), 0.0, 1.0);
      if (!(weight > 0)) continue;
      const auto from = static_cast<std::size_t>((j - part.js.begin) * part.is.size() + i - part.is.begin);
      model.mean[at] = static_cast<float>(weight * near.mean[from] + (1 - weight) * model.mean[at]);
      model.rms[at] = static_cast<float>(weight * near.rms[from] + (1 - weight) * model.rms[at]);
    }
  return true;
}

}  // namespace

std::optional<BackgroundModel> with_fine_cells(const BackgroundPixels& pixels, const BackgroundModel& coarse,
                                               const FineCells& fine, const std::vector<BrightSource>& sources,
                                               const MeshOptions& options) {
  ThreadPool pool;
  const std::vector<RowBlock> blocks = blocks_near(fine, sources, pool, pixels.job);
  const std::vector<Part> parts = parts_of(fine, blocks, options.filter / 2);
  std::vector<MeshGrid> grids;
  for (const Part& part : parts) grids.push_back(grid_of(fine.grid, part));
  const Job& job = pixels.job;
  const MeshCells cells = pixels.backend.mesh_each(pixels.plane, grids, options, job);
  const trace::Span span("host", "blend cells near bright sources");
  BackgroundModel blended = resampled(coarse, fine.grid);
  std::atomic<bool> any = false;
  pool.for_each(std::ssize(parts), [&](std::int64_t k) {
    job.check();
    const Part& part = parts[static_cast<std::size_t>(k)];
    const auto begin = static_cast<std::size_t>(part.at), count = static_cast<std::size_t>(part.cells());
    if (blend(fine, part, cells.part(begin, count), options, blended)) any = true;
  });
  if (!any) return std::nullopt;
  return blended;
}

}  // namespace reber
