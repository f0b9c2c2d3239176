// SPDX-License-Identifier: BSD-3-Clause
// Rows wait until the nodes about them are known, and are compared with those.
#include "kernels/cuda/islands/flood_masks.hpp"

#include <algorithm>
#include <bit>
#include <span>
#include <utility>

#include "kernels/cuda/islands/mask.hpp"

namespace reber::cuda {
namespace {

bool same_bits(float a, float b) { return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b); }

/// A model of that grid, for where its nodes lie.
BackgroundModel without_values(const MeshGrid& grid) {
  const std::vector<float> none(static_cast<std::size_t>(grid.ny() * grid.nx()), 0.0f);
  return {grid, none, none, nullptr, nullptr};
}

/// Pieces side by side in one rectangle; floats of rectangles that are read together; part of an image, at most, that
/// is read again so: more is read sooner by whole rows.
constexpr std::int64_t kPiecesTogether = 4, kFloatsTogether = std::int64_t{1} << 20, kMostAstray = 3;

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

Foretold::Foretold(FloodMasks made, std::weak_ptr<RowMaker> of, const DetectOptions& options, MeshGrid grid,
                   std::vector<float> mean, std::vector<float> rms)
    : masks_(std::move(made)),
      of_(std::move(of)),
      options_(options),
      grid_(std::move(grid)),
      mean_(std::move(mean)),
      rms_(std::move(rms)) {}

bool Foretold::are_of(const CudaPlane& plane, const CudaBackground& background, const DetectOptions& wanted) const {
  const MeshGrid& grid = background.model.grid;
  return plane.maker() && of_.lock() == plane.maker() && background.mean_map == nullptr &&
         background.rms_map == nullptr && options_.seed == wanted.seed && options_.flood == wanted.flood &&
         options_.negative == wanted.negative && grid.image == grid_.image && grid.rows == grid_.rows &&
         grid.cols == grid_.cols && background.model.mean.size() == mean_.size() &&
         background.model.rms.size() == rms_.size();
}

std::vector<Rect> Foretold::astray(const BackgroundModel& model) const {
  const Shape image = grid_.image;
  const std::int64_t gny = grid_.ny(), gnx = grid_.nx();
  const MeshAxis rows = mesh_axis(grid_.rows, image.ny), cols = mesh_axis(grid_.cols, image.nx);
  const auto is_other = [&](std::int64_t j, std::int64_t first, std::int64_t last) {
    for (std::int64_t k = j * gnx + first; k <= j * gnx + last; ++k)
      if (!same_bits(mean_[k], model.mean[k]) || !same_bits(rms_[k], model.rms[k])) return true;
    return false;
  };
  std::vector<Rect> found;
  for (std::int64_t y = 0, end = 0; y < image.ny; y = end) {
    const std::int64_t above = rows.node[y], below = std::min(above + 1, gny - 1);
    while (end < image.ny && rows.node[end] == above) ++end;
    for (std::int64_t x = 0; x < image.nx; x += kPiecePixels) {
      const std::int64_t x1 = std::min<std::int64_t>(x + kPiecePixels, image.nx);
      const std::int64_t left = cols.node[x], right = std::min<std::int64_t>(cols.node[x1 - 1] + 1, gnx - 1);
      if (!is_other(above, left, right) && !is_other(below, left, right)) continue;
      const bool joins = !found.empty() && found.back().y0 == y && found.back().x0 + found.back().nx == x &&
                         found.back().nx < kPiecesTogether * kPiecePixels;
      if (joins)
        found.back().nx += x1 - x;
      else
        found.push_back({y, x, end - y, x1 - x});
    }
  }
  return found;
}

bool Foretold::become(const CudaPlane& plane, const CudaBackground& background, const DetectOptions& wanted,
                      const Job& job) const {
  if (!are_of(plane, background, wanted)) return false;
  const std::vector<Rect> all = astray(background.model);
  if (all.empty()) return true;
  auto* const reads = dynamic_cast<MakesRectangles*>(plane.maker().get());
  std::int64_t pixels = 0;
  for (const Rect& one : all) pixels += one.shape().count();
  if (reads == nullptr || !reads->reads_rectangles() || pixels > plane.shape().count() / kMostAstray) return false;
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
  return std::make_unique<Foretold>(std::move(masks_), plane_.maker(), options_, grid_, cells.filtered_mean,
                                    cells.filtered_rms);
}

}  // namespace reber::cuda
