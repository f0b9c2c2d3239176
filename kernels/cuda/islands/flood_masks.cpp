// SPDX-License-Identifier: BSD-3-Clause
// Rows wait until the nodes about them are known, and are compared with those.
#include "kernels/cuda/islands/flood_masks.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "kernels/cuda/islands/mask.hpp"

namespace reber::cuda {
namespace {

/// A model of that grid, for where its nodes lie.
BackgroundModel without_values(const MeshGrid& grid) {
  const std::vector<float> none(static_cast<std::size_t>(grid.ny() * grid.nx()), 0.0f);
  return {grid, none, none, nullptr, nullptr};
}

/// Floats of rectangles that are read together.
constexpr std::int64_t kFloatsTogether = std::int64_t{1} << 20;

}  // namespace

FloodMasks::FloodMasks(const CudaPlane& plane) : keeper(plane) {
  const Shape shape = plane.shape();
  const std::int64_t words = (shape.nx + 31) / 32;
  bits = DeviceBuffer<std::uint32_t>(2 * shape.ny * words, plane.context()->stream());
  flood = {bits.data(), words};
  seed = {bits.data() + shape.ny * words, words};
}

void FloodMasks::take(const Band& band, const RowWindow& window, BackgroundView levels, const DetectOptions& options,
                      std::int64_t x0) const {
  levels.col_node += x0;
  levels.col_weight += x0;
  const std::int64_t word = x0 / 32;
  threshold_mask(band.stream, window, levels, band.y0, band.ny, options, {flood.bits + word, flood.words},
                 {seed.bits + word, seed.words});
  keeper.take(band, window, flood, x0 / kPiecePixels);
}

Foretold::Foretold(FloodMasks made, std::weak_ptr<RowMaker> of, ForetoldNodes nodes)
    : masks_(std::move(made)), of_(std::move(of)), nodes_(std::move(nodes)) {}

bool Foretold::become(const CudaPlane& plane, const CudaBackground& background, const DetectOptions& wanted,
                      const Job& job) const {
  if (!plane.maker() || of_.lock() != plane.maker() || !nodes_.are_of(background.model, wanted)) return false;
  const std::optional<std::vector<Rect>> astray = nodes_.astray(background.model, kPiecePixels);
  if (!astray) return false;
  const std::vector<Rect>& all = *astray;
  if (all.empty()) return true;
  MakesRectangles* const reads = rectangles_of(plane);
  if (reads == nullptr) return false;
  Context& context = *plane.context();
  const cudaStream_t stream = context.stream();
  const DeviceBackground levels(context, background);
  for (std::size_t first = 0, last = 0; first < all.size(); first = last) {
    job.check();
    std::vector<std::int64_t> begin{0};
    for (; last < all.size() && (last == first || begin.back() < kFloatsTogether); ++last)
      begin.push_back(begin.back() + all[last].ny * pitch_of(all[last].nx));
    const DeviceBuffer<float> memory(begin.back(), stream);
    std::vector<float*> places;
    for (std::size_t k = first; k < last; ++k) places.push_back(memory.data() + begin[k - first]);
    reads->make_rectangles(std::span(all).subspan(first, last - first), places, stream);
    for (std::size_t k = first; k < last; ++k) {
      const Rect& one = all[k];
      const RowWindow window{places[k - first], pitch_of(one.nx), one.y0, one.ny, plane.shape().ny, one.nx, false};
      masks_.take({one.y0, one.ny, stream}, window, levels.hold(one.y0, one.ny, stream).view, wanted, one.x0);
    }
  }
  return true;
}

Foreteller::Foreteller(const CudaPlane& plane, const MeshGrid& grid, const DetectOptions& options)
    : plane_(plane),
      grid_(grid),
      options_(options),
      axis_(mesh_axis(grid.rows, grid.image.ny)),
      masks_(plane),
      places_(*plane.context(), CudaBackground{without_values(grid)}) {}

void Foreteller::follow(HeldRows rows, const NodesSoFar& nodes, cudaStream_t stream) {
  held_.push_back(std::move(rows));
  const std::int64_t end = rows_between(axis_, nodes.rows, grid_.ny());
  for (const HeldRows& one : held_) {
    const std::int64_t last = std::min(end, one.window.first + one.window.rows);
    if (last <= done_ || one.window.first > done_) continue;
    DeviceBackground::Rows levels = places_.hold(done_, last - done_, stream);
    levels.view.mean_nodes = nodes.means;
    levels.view.rms_nodes = nodes.noises;
    masks_.take({done_, last - done_, stream}, one.window, levels.view, options_);
    done_ = last;
  }
  std::erase_if(held_, [&](const HeldRows& one) { return one.window.first + one.window.rows <= done_; });
}

std::unique_ptr<Foretold> Foreteller::end(const MeshCells& cells) {
  if (done_ < grid_.image.ny) return nullptr;
  return std::make_unique<Foretold>(std::move(masks_), plane_.maker(),
                                    ForetoldNodes(grid_, cells.filtered_mean, cells.filtered_rms, options_));
}

}  // namespace reber::cuda
