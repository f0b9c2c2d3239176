// SPDX-License-Identifier: BSD-3-Clause
// A pair of tiles overlaps by the kernel like any two: it is gathered as one tile, whose rows hold | left | overlap |
// right |, and whose outputs stand side by side where its pixels were.
#include "kernels/cpu/convolve/paired_fft.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "kernels/cpu/convolve/fft_levels.hpp"
#include "kernels/cpu/convolve/pair_transform.hpp"
#include "kernels/cpu/simd.hpp"
#include "kernels/shared/fft_range.hpp"

namespace reber::cpu {
namespace {

/// Output columns of one tile of a pair, in whole vectors.
std::int64_t columns_of(std::int64_t side, Shape kernel) {
  return std::max<std::int64_t>(side - kernel.nx + 1, 0) / kLanes * kLanes;
}

/// Floats from one row of a pair to the next: not a power of two, whose rows fall on the same lines of a cache.
std::int64_t stride_of(std::int64_t side, Shape kernel) {
  const std::int64_t floats = columns_of(side, kernel) + side;
  return floats % 256 == 0 ? floats + 2 * kLanes : floats;
}

class PairedFft final : public TileAlgorithm {
 public:
  PairedFft(const Kernel& kernel, const PairedTile& of)
      : kernel_(kernel.shape), side_(of.side), columns_(columns_of(of.side, kernel.shape)), tile_(of.outputs) {
    double sum = 0;
    for (const double weight : kernel.weights) sum += weight;
    sums_ = {static_cast<float>(sum), rules::absolute_sum(kernel.weights)};
    // Kernel element (kny-1, knx-1) at the origin, so that output (0, 0) of a tile lies at (0, 0).
    std::vector<float> placed(static_cast<std::size_t>(side_ * side_), 0.0f);
    const double scale = 1.0 / (static_cast<double>(side_) * static_cast<double>(side_));
    for (std::int64_t i = 0; i < kernel_.ny; ++i)
      for (std::int64_t j = 0; j < kernel_.nx; ++j)
        placed[(i + side_ - kernel_.ny + 1) % side_ * side_ + (j + side_ - kernel_.nx + 1) % side_] =
            static_cast<float>(scale * kernel.weights[i * kernel_.nx + j]);
    transfer_ = transfer_memory_.ask(pair_transfer(side_));
    Buffer work;
    transform_kernel(side_, placed.data(), transfer_, work.ask(pair_work(side_)));
  }

  [[nodiscard]] Shape tile() const override { return tile_; }
  [[nodiscard]] std::int64_t padded_stride() const override { return stride_of(side_, kernel_); }
  [[nodiscard]] std::int64_t padded_rows() const override { return side_; }
  [[nodiscard]] bool reads_in_place() const override { return false; }
  [[nodiscard]] std::int64_t out_stride() const override { return padded_stride(); }
  [[nodiscard]] float full_weight() const override { return sums_.sum; }
  [[nodiscard]] float weight_noise() const override { return static_cast<float>(4e-6 * sums_.absolute); }
  [[nodiscard]] std::string description() const override {
    return fmt::format("transforms of {0} x {0} for pairs of tiles, {1} x {2} together", side_, tile_.nx, tile_.ny);
  }

  float* convolve(const PaddedTile& tile, Buffer&, TileScratch& scratch) const override {
    const Shape read{tile.out.ny + kernel_.ny - 1, tile.out.nx + kernel_.nx - 1};
    const TilePixels pixels{tile.own, padded_stride(), read, tile.out};
    const FftLevels levels = FftLevels::take_out(pixels, sums_);
    const std::int64_t columns = std::min(columns_, (tile.out.nx + kLanes - 1) / kLanes * kLanes);
    convolve_pair(side_, {tile.own, tile.own + columns_, padded_stride()}, {tile.out.ny, columns}, transfer_,
                  scratch.spectrum.ask(pair_work(side_)));
    levels.put_back(pixels);
    return tile.own;
  }

 private:
  Shape kernel_;
  std::int64_t side_, columns_;
  Shape tile_;
  KernelSums sums_{};
  Buffer transfer_memory_;
  float* transfer_ = nullptr;
};

/// Nanoseconds a pixel for both ways and the product, on one core of a Xeon with 2 MB of second-level cache.
constexpr std::array<double, kPairSides.size()> kPairNs{1.5, 2.0, 3.3, 4.5, 5.3};

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

}  // namespace

std::optional<PairedTile> paired_tile(Shape image, Shape kernel, double around_ns) {
  std::optional<PairedTile> best;
  double least = 0;
  for (std::size_t k = 0; k < kPairSides.size(); ++k) {
    const std::int64_t side = kPairSides[k];
    const Shape largest{side - kernel.ny + 1, 2 * columns_of(side, kernel)};
    if (largest.ny < 1 || largest.nx < 1) continue;
    const auto area = static_cast<double>(side * side);
    PairedTile tile{side, {std::min(largest.ny, image.ny), std::min(largest.nx, image.nx)}};
    tile.tiles = ceil_div(image.ny, tile.outputs.ny) * ceil_div(image.nx, tile.outputs.nx);
    tile.ms = 1e-6 * (kPairNs[k] * 2 * area + around_ns * static_cast<double>(side * stride_of(side, kernel)));
    tile.bytes = static_cast<std::int64_t>(sizeof(float)) * (pair_work(side) + 3 * side * stride_of(side, kernel));
    const double all = tile.ms * static_cast<double>(tile.tiles);
    if (best && all >= least) continue;
    least = all;
    best = tile;
  }
  return best;
}

std::unique_ptr<TileAlgorithm> make_paired_fft(const Kernel& kernel, const PairedTile& tile) {
  return std::make_unique<PairedFft>(kernel, tile);
}

}  // namespace reber::cpu
