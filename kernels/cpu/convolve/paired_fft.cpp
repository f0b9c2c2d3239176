// SPDX-License-Identifier: BSD-3-Clause
// A pair of tiles overlaps by the kernel like any two: it is gathered as one tile, whose rows hold | left | overlap |
// right |, and whose outputs stand side by side where its pixels were.
#include "kernels/cpu/convolve/paired_fft.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/cpu/convolve/fft_levels.hpp"
#include "kernels/cpu/convolve/pair_transform.hpp"
#include "kernels/cpu/simd.hpp"
#include "kernels/shared/fft_range.hpp"

namespace reber::cpu {
namespace {

/// Output columns of one tile of a pair, in whole vectors.
std::int64_t columns_of(Shape kernel) { return std::max<std::int64_t>(kPairSide - kernel.nx + 1, 0) / kLanes * kLanes; }

class PairedFft final : public TileAlgorithm {
 public:
  PairedFft(const Kernel& kernel, Shape image)
      : kernel_(kernel.shape), columns_(columns_of(kernel.shape)), tile_(paired_tile(image, kernel.shape)) {
    double sum = 0;
    for (const double weight : kernel.weights) sum += weight;
    sums_ = {static_cast<float>(sum), rules::absolute_sum(kernel.weights)};
    // Kernel element (kny-1, knx-1) at the origin, so that output (0, 0) of a tile lies at (0, 0).
    std::vector<float> placed(static_cast<std::size_t>(kPairSide * kPairSide), 0.0f);
    constexpr double kScale = 1.0 / (static_cast<double>(kPairSide) * static_cast<double>(kPairSide));
    for (std::int64_t i = 0; i < kernel_.ny; ++i)
      for (std::int64_t j = 0; j < kernel_.nx; ++j)
        placed[(i + kPairSide - kernel_.ny + 1) % kPairSide * kPairSide +
               (j + kPairSide - kernel_.nx + 1) % kPairSide] =
            static_cast<float>(kScale * kernel.weights[i * kernel_.nx + j]);
    transfer_ = transfer_memory_.ask(kPairTransfer);
    Buffer work;
    transform_kernel(placed.data(), transfer_, work.ask(kPairWork));
  }

  [[nodiscard]] Shape tile() const override { return tile_; }
  [[nodiscard]] std::int64_t padded_stride() const override { return columns_ + kPairSide; }
  [[nodiscard]] std::int64_t padded_rows() const override { return kPairSide; }
  [[nodiscard]] bool reads_in_place() const override { return false; }
  [[nodiscard]] std::int64_t out_stride() const override { return padded_stride(); }
  [[nodiscard]] float full_weight() const override { return sums_.sum; }
  [[nodiscard]] float weight_noise() const override { return static_cast<float>(4e-6 * sums_.absolute); }
  [[nodiscard]] std::string description() const override {
    return fmt::format("transforms of {0} x {0} for pairs of tiles, {1} x {2} together", kPairSide, tile_.nx, tile_.ny);
  }

  float* convolve(const PaddedTile& tile, Buffer&, TileScratch& scratch) const override {
    const Shape read{tile.out.ny + kernel_.ny - 1, tile.out.nx + kernel_.nx - 1};
    const TilePixels pixels{tile.own, padded_stride(), read, tile.out};
    const FftLevels levels = FftLevels::take_out(pixels, sums_);
    const std::int64_t columns = std::min(columns_, (tile.out.nx + kLanes - 1) / kLanes * kLanes);
    convolve_pair({tile.own, tile.own + columns_, padded_stride()}, {tile.out.ny, columns}, transfer_,
                  scratch.spectrum.ask(kPairWork));
    levels.put_back(pixels);
    return tile.own;
  }

 private:
  Shape kernel_;
  std::int64_t columns_;
  Shape tile_;
  KernelSums sums_{};
  Buffer transfer_memory_;
  float* transfer_ = nullptr;
};

}  // namespace

Shape paired_tile(Shape image, Shape kernel) {
  const Shape largest{kPairSide - kernel.ny + 1, 2 * columns_of(kernel)};
  if (largest.ny < 1 || largest.nx < 1) return {};
  return {std::min(largest.ny, image.ny), std::min(largest.nx, image.nx)};
}

double paired_tile_ns(Shape kernel, double around) {
  // Measured on one core of a Xeon with 2 MB of second-level cache, both ways and the product.
  constexpr double kPixelNs = 1.5;
  return kPixelNs * 2 * kPairSide * kPairSide +
         around * static_cast<double>(kPairSide * (columns_of(kernel) + kPairSide));
}

std::int64_t paired_bytes(Shape kernel) {
  return static_cast<std::int64_t>(sizeof(float)) * (kPairWork + 3 * kPairSide * (columns_of(kernel) + kPairSide));
}

std::unique_ptr<TileAlgorithm> make_paired_fft(const Kernel& kernel, Shape image) {
  return std::make_unique<PairedFft>(kernel, image);
}

}  // namespace reber::cpu
