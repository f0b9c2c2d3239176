// SPDX-License-Identifier: BSD-3-Clause
// Rows wait until the nodes about them are known, and are compared with those.
#include "kernels/cpu/islands/foretold.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "core/seam/compute/mesh_filter.hpp"

namespace reber::cpu {
namespace {

/// Columns that are read again together.
constexpr std::int64_t kPieceColumns = 1024;

std::int64_t strips_of(Shape image) { return (image.ny + kStripRows - 1) / kStripRows; }

/// A model of that grid without values.
BackgroundModel unknown(const MeshGrid& grid) {
  const std::vector<float> none(static_cast<std::size_t>(grid.ny() * grid.nx()),
                                std::numeric_limits<float>::quiet_NaN());
  return {grid, none, none, nullptr, nullptr};
}

/// The end of the whole strips whose rows lie before `read` and between nodes of the first `known` of `cells` rows.
std::int64_t strips_between(const MeshAxis& axis, std::int64_t known, std::int64_t cells, std::int64_t read) {
  const auto ny = static_cast<std::int64_t>(axis.node.size());
  const std::int64_t end = std::min(rows_between(axis, known, cells), read);
  return end == ny ? ny : end / kStripRows * kStripRows;
}

}  // namespace

Scanned::Scanned(const CpuPlane& plane)
    : strips(static_cast<std::size_t>(strips_of(plane.shape()))), keeper(std::make_unique<PixelKeeper>(plane)) {}

Foretold::Foretold(Scanned found, std::weak_ptr<const RowMaker> of, const DetectOptions& options, ForetoldNodes nodes)
    : found_(std::move(found)), of_(std::move(of)), options_(options), nodes_(std::move(nodes)) {}

/// Outside the rectangles pixels that are not of a run are not above the thresholds, whatever they are.
bool Foretold::mend(std::int64_t number, const std::vector<Rect>& where, const CpuPlane& plane,
                    const BackgroundRows& rows, StripScratch& scratch) {
  const Shape image = plane.shape();
  const std::int64_t first = number * kStripRows, ny = std::min(kStripRows, image.ny - first), nx = image.nx;
  std::vector<float> pixels(static_cast<std::size_t>(ny * nx + Pixels::kSlack),
                            std::numeric_limits<float>::quiet_NaN());
  Strip& strip = found_.strips[static_cast<std::size_t>(number)];
  const float* from = strip.pixels.data();
  for (const rules::Run& run : strip.run) {
    std::copy_n(from, run.x1 - run.x0, pixels.data() + (run.y - first) * nx + run.x0);
    from += run.x1 - run.x0;
  }
  std::vector<float> read;
  for (const Rect& one : where) {
    const std::int64_t y0 = std::max(one.y0, first), y1 = std::min(one.y0 + one.ny, first + ny);
    if (y0 >= y1) continue;
    read.resize(static_cast<std::size_t>((y1 - y0) * one.nx));
    if (!plane.maker()->make_rectangle({y0, one.x0, y1 - y0, one.nx}, read.data())) return false;
    for (std::int64_t y = y0; y < y1; ++y)
      std::copy_n(read.data() + (y - y0) * one.nx, one.nx, pixels.data() + (y - first) * nx + one.x0);
  }
  found_.keeper->give_back(strip);
  strip = {};
  for (std::int64_t y = 0; y < ny; ++y)
    scan_row(pixels.data() + y * nx, first + y, nx, rows, options_, *found_.keeper, scratch, strip);
  return true;
}

bool Foretold::become(const CpuPlane& plane, const CpuBackground& background, const DetectOptions& wanted,
                      const JobThreads& threads) {
  if (!plane.maker() || of_.lock() != plane.maker() || !nodes_.are_of(background.model, wanted)) return false;
  const std::optional<std::vector<Rect>> astray = nodes_.astray(background.model, kPieceColumns);
  if (!astray) return false;
  const std::vector<Rect>& all = *astray;
  if (all.empty()) return true;
  if (!found_.keeper->whole()) return false;
  std::vector<std::int64_t> strips;
  for (const Rect& one : all)
    for (std::int64_t k = one.y0 / kStripRows; k <= (one.y0 + one.ny - 1) / kStripRows; ++k) strips.push_back(k);
  std::ranges::sort(strips);
  strips.erase(std::unique(strips.begin(), strips.end()), strips.end());
  const BackgroundRows rows(background);
  std::vector<StripScratch> scratch(static_cast<std::size_t>(threads.threads()));
  std::atomic<bool> mended{true};
  threads.for_each_worker(static_cast<std::int64_t>(strips.size()), [&](std::int64_t k, int worker) {
    const std::int64_t number = strips[static_cast<std::size_t>(k)];
    if (mended && !mend(number, all, plane, rows, scratch[static_cast<std::size_t>(worker)])) mended = false;
  });
  return mended;
}

Foreteller::Foreteller(const CpuPlane& plane, const MeshGrid& grid, int filter, const DetectOptions& options)
    : plane_(plane),
      filter_(filter),
      options_(options),
      axis_(mesh_axis(grid.rows, grid.image.ny)),
      model_(unknown(grid)),
      rows_(CpuBackground{model_}),
      found_(plane) {}

std::int64_t Foreteller::rows_held(const MeshGrid& grid, int filter, const std::vector<std::int64_t>& edges) {
  const MeshAxis axis = mesh_axis(grid.rows, grid.image.ny);
  std::deque<PixelSpan> held;
  std::int64_t most = 0;
  for (std::size_t group = 0; group + 1 < edges.size(); ++group) {
    const std::int64_t measured = edges[group + 1];
    held.push_back({grid.rows[edges[group]].begin, grid.rows[measured - 1].end});
    std::int64_t rows = 0;
    for (const PixelSpan& one : held) rows += one.size();
    most = std::max(most, rows);
    const std::int64_t known = final_rows(grid.ny(), measured, filter);
    const std::int64_t done = strips_between(axis, known, grid.ny(), held.back().end);
    std::erase_if(held, [&](const PixelSpan& one) { return one.end <= done; });
  }
  return most;
}

void Foreteller::follow(HeldRows rows, std::int64_t y0, std::int64_t y1, const MeshCells& cells, std::int64_t measured,
                        const JobThreads& threads) {
  held_.push_back({std::move(rows), y0, y1});
  const MeshGrid& grid = model_.grid;
  const std::int64_t known = final_rows(grid.ny(), measured, filter_), nx = grid.image.nx;
  filter_cell_rows(cells.mean, grid.ny(), grid.nx(), filter_, filtered_, known, model_.mean);
  filter_cell_rows(cells.rms, grid.ny(), grid.nx(), filter_, filtered_, known, model_.rms);
  filtered_ = std::max(filtered_, known);
  const std::int64_t last = std::max(done_, strips_between(axis_, known, grid.ny(), y1));
  scratch_.resize(static_cast<std::size_t>(threads.threads()));
  const auto row_of = [&](std::int64_t y) {
    const auto of = std::ranges::find_if(held_, [y](const Group& one) { return one.y0 <= y && y < one.y1; });
    return of->rows.row(y);
  };
  threads.for_each_worker((last - done_ + kStripRows - 1) / kStripRows, [&](std::int64_t task, int worker) {
    const std::int64_t first = done_ + task * kStripRows;
    Strip& strip = found_.strips[static_cast<std::size_t>(first / kStripRows)];
    for (std::int64_t y = first; y < std::min(first + kStripRows, last); ++y)
      scan_row(row_of(y), y, nx, rows_, options_, *found_.keeper, scratch_[static_cast<std::size_t>(worker)], strip);
  });
  done_ = last;
  std::erase_if(held_, [&](const Group& one) { return one.y1 <= done_; });
}

std::unique_ptr<Foretold> Foreteller::end() {
  if (done_ < model_.grid.image.ny) return nullptr;
  return std::make_unique<Foretold>(std::move(found_), plane_.maker(), options_,
                                    ForetoldNodes(model_.grid, model_.mean, model_.rms, options_));
}

}  // namespace reber::cpu
