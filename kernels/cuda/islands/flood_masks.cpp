// SPDX-License-Identifier: BSD-3-Clause
// Rows wait until the nodes about them are known, and are compared with those.
#include "kernels/cuda/islands/flood_masks.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "kernels/cuda/islands/mask.hpp"

namespace reber::cuda {
namespace {

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

/// A model of that grid, for where its nodes lie.
BackgroundModel without_values(const MeshGrid& grid) {
  const std::vector<float> none(static_cast<std::size_t>(grid.ny() * grid.nx()), 0.0f);
  return {grid, none, none, nullptr, nullptr};
}

}  // namespace

FloodMasks::FloodMasks(const CudaPlane& plane) : keeper(plane) {
  const Shape shape = plane.shape();
  const std::int64_t words = (shape.nx + 31) / 32;
  bits = DeviceBuffer<std::uint32_t>(2 * shape.ny * words, plane.context()->stream());
  flood = {bits.data(), words};
  seed = {bits.data() + shape.ny * words, words};
}

void FloodMasks::take(const Band& band, const RowWindow& window, const BackgroundView& levels,
                      const DetectOptions& options) const {
  threshold_mask(band.stream, window, levels, band.y0, band.ny, options, flood, seed);
  keeper.take(band, window, flood);
}

bool Foretold::holds(const CudaPlane& plane, const CudaBackground& background, const DetectOptions& wanted) const {
  const BackgroundModel& model = background.model;
  return plane.maker() && of.lock() == plane.maker() && background.mean_map == nullptr &&
         background.rms_map == nullptr && options.seed == wanted.seed && options.flood == wanted.flood &&
         options.negative == wanted.negative && model.grid.image == grid.image && model.grid.rows == grid.rows &&
         model.grid.cols == grid.cols && same_bits(model.mean, mean) && same_bits(model.rms, rms);
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
  const auto known = [](float value) { return std::isfinite(value); };
  if (done_ < grid_.image.ny || !std::ranges::all_of(cells.mean, known) || !std::ranges::all_of(cells.rms, known))
    return nullptr;
  return std::make_unique<Foretold>(
      Foretold{std::move(masks_), plane_.maker(), options_, grid_, cells.filtered_mean, cells.filtered_rms});
}

}  // namespace reber::cuda
