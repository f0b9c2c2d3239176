// SPDX-License-Identifier: BSD-3-Clause
// FFT convolution by overlap-save: tiles that overlap by the kernel, of the size with the least work for each output.
#include "kernels/cpu/convolve/fft.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>

#include "kernels/cpu/convolve/fft_levels.hpp"
#include "kernels/cpu/convolve/own_transform.hpp"
#include "kernels/cpu/convolve/paired_fft.hpp"
#include "kernels/cpu/simd.hpp"
#include "kernels/shared/fft_range.hpp"

namespace reber::cpu {
namespace {

/// Nanoseconds a pixel for both transforms and the product, by the side of a square tile, on one core of an EPYC 9xx4.
struct SideCost {
  std::int64_t side;
  double ns;
};
constexpr std::array kSides{
    SideCost{8, 31},      SideCost{16, 21},    SideCost{32, 16},    SideCost{48, 14},    SideCost{64, 13},
    SideCost{96, 12},     SideCost{128, 11.5}, SideCost{160, 11},   SideCost{192, 10.7}, SideCost{256, 10.7},
    SideCost{320, 10},    SideCost{384, 11.7}, SideCost{512, 12},   SideCost{640, 12.5}, SideCost{768, 14},
    SideCost{1024, 19.5}, SideCost{1280, 21},  SideCost{1536, 22},  SideCost{2048, 23},  SideCost{3072, 26},
    SideCost{4096, 29},   SideCost{6144, 31},  SideCost{8192, 34},  SideCost{12288, 39}, SideCost{16384, 42},
    SideCost{24576, 47},  SideCost{32768, 52}, SideCost{49152, 57}, SideCost{65536, 62},
};
/// Gathering the tile, its offset and writing the result, ns a pixel of the transform (4096^2, kernels of 31 to 255:
/// 4.6, 5.6, 6.4 in all with sides of 320, 512, 768).
constexpr double kNsAround = 0.8;

struct Tiling {
  std::int64_t ty = 0, tx = 0;  ///< sides of the transform
  double cost_ms = 0;           ///< of all threads
  double all_ms = 0;            ///< of one thread
};

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// The sides worth trying along one axis: those that hold the kernel, up to the first that holds the padded image.
std::span<const SideCost> sides_for(std::int64_t n, std::int64_t taps) {
  const auto* first = std::ranges::find_if(kSides, [&](const SideCost& s) { return s.side >= taps; });
  const auto* last = std::ranges::find_if(kSides, [&](const SideCost& s) { return s.side >= n + taps - 1; });
  return {first, last == kSides.end() ? last : last + 1};
}

/// The number of threads has no part in the choice: results would differ with it in the last bits.
Tiling choose_tiling(Shape image, Shape kernel, int threads) {
  Tiling best;
  double least_ns = 0;
  for (const SideCost& y : sides_for(image.ny, kernel.ny)) {
    for (const SideCost& x : sides_for(image.nx, kernel.nx)) {
      const std::int64_t tiles =
          ceil_div(image.ny, y.side - kernel.ny + 1) * ceil_div(image.nx, x.side - kernel.nx + 1);
      const double tile_ns =
          static_cast<double>(y.side) * static_cast<double>(x.side) * (std::max(y.ns, x.ns) + kNsAround);
      const double ns = tile_ns * static_cast<double>(tiles);
      if (best.ty != 0 && ns >= least_ns) continue;
      least_ns = ns;
      best = {y.side, x.side, tile_ns * static_cast<double>(ceil_div(tiles, threads)) * 1e-6, ns * 1e-6};
    }
  }
  return best;
}

/// Products of pairs (re, im), in place.
void multiply(float* values, const float* by, std::int64_t floats) {
  const Floats sign{-1, 1, -1, 1, -1, 1, -1, 1};
  for (std::int64_t k = 0; k < floats; k += kLanes) {
    const Floats a = load(values + k), b = load(by + k);
    const Floats cross = shuffled<1, 0, 3, 2, 5, 4, 7, 6>(a, a) * (shuffled<1, 1, 3, 3, 5, 5, 7, 7>(b, b) * sign);
    store(values + k, fma(a, shuffled<0, 0, 2, 2, 4, 4, 6, 6>(b, b), cross));
  }
}

class TiledFft final : public TileAlgorithm {
 public:
  TiledFft(const Kernel& kernel, Shape image, const Tiling& tiling)
      : kernel_(kernel.shape), ty_(tiling.ty), tx_(tiling.tx), transform_(tiling.ty, tiling.tx) {
    spectrum_floats_ = ty_ * (tx_ / 2 + 1) * 2;
    tile_ = {std::min(ty_ - kernel_.ny + 1, image.ny), std::min(tx_ - kernel_.nx + 1, image.nx)};
    double sum = 0;
    for (const double weight : kernel.weights) sum += weight;
    sums_ = {static_cast<float>(sum), rules::absolute_sum(kernel.weights)};
    // Kernel element (kny-1, knx-1) at the origin, so that output (0, 0) of a tile lies at (0, 0).
    Buffer pixels;
    float* placed = pixels.ask(ty_ * tx_);
    const double scale = 1.0 / (static_cast<double>(ty_) * static_cast<double>(tx_));
    for (std::int64_t i = 0; i < kernel_.ny; ++i)
      for (std::int64_t j = 0; j < kernel_.nx; ++j)
        placed[(i + ty_ - kernel_.ny + 1) % ty_ * tx_ + (j + tx_ - kernel_.nx + 1) % tx_] =
            static_cast<float>(scale * kernel.weights[i * kernel_.nx + j]);
    transfer_ = transfer_memory_.ask(spectrum_floats_);
    transform_.forward(placed, transfer_);
  }

  [[nodiscard]] Shape tile() const override { return tile_; }
  [[nodiscard]] std::int64_t padded_stride() const override { return tx_; }
  [[nodiscard]] std::int64_t padded_rows() const override { return ty_; }
  [[nodiscard]] bool reads_in_place() const override { return false; }
  [[nodiscard]] std::int64_t out_stride() const override { return tx_; }
  [[nodiscard]] float full_weight() const override { return sums_.sum; }
  [[nodiscard]] float weight_noise() const override { return static_cast<float>(4e-6 * sums_.absolute); }
  [[nodiscard]] std::string description() const override {
    return fmt::format("transforms of {} x {} for tiles of {} x {}", tx_, ty_, tile_.nx, tile_.ny);
  }

  float* convolve(const PaddedTile& tile, Buffer&, TileScratch& scratch) const override {
    const TilePixels pixels{tile.own, tx_, {tile.out.ny + kernel_.ny - 1, tile.out.nx + kernel_.nx - 1}, tile.out};
    const FftLevels levels = FftLevels::take_out(pixels, sums_);
    float* spectrum = scratch.spectrum.ask(spectrum_floats_);
    transform_.forward(tile.own, spectrum);
    multiply(spectrum, transfer_, spectrum_floats_);
    // Back to where the pixels were: one buffer less to fit in the second-level cache.
    transform_.backward(spectrum, tile.own);
    levels.put_back(pixels);
    return tile.own;
  }

 private:
  Shape kernel_, tile_;
  std::int64_t ty_ = 0, tx_ = 0, spectrum_floats_ = 0;
  OwnTransform transform_;
  KernelSums sums_{};
  Buffer transfer_memory_;
  float* transfer_ = nullptr;
};

/// Pairs of tiles where they serve; none where single ones are faster.
std::optional<PairedTile> pairs_for(Shape image, Shape kernel, const Tiling& single) {
  const auto pairs = paired_tile(image, kernel, kNsAround);
  const bool faster = pairs && (single.ty == 0 || pairs->ms * static_cast<double>(pairs->tiles) < single.all_ms);
  return faster ? pairs : std::nullopt;
}

}  // namespace

VariantQuote quote_fft(const ConvolutionSpec& spec, Shape shape, int threads) {
  VariantQuote quote;
  const Tiling tiling = choose_tiling(shape, spec.kernel.shape, threads);
  if (const auto pairs = pairs_for(shape, spec.kernel.shape, tiling)) {
    quote.possible = true;
    quote.reason = fmt::format("transforms of {0} x {0} for pairs of tiles", pairs->side);
    quote.cost_ms = pairs->ms * static_cast<double>(ceil_div(pairs->tiles, threads));
    quote.workspace_bytes = pairs->bytes * threads;
    return quote;
  }
  quote.possible = tiling.ty > 0;
  if (!quote.possible) {
    quote.reason =
        fmt::format("a kernel of {} x {} is larger than any transform", spec.kernel.shape.nx, spec.kernel.shape.ny);
    return quote;
  }
  quote.reason = fmt::format("transforms of {} x {}", tiling.tx, tiling.ty);
  quote.cost_ms = tiling.cost_ms;
  quote.workspace_bytes = tiling.ty * tiling.tx * 4 * (5 * threads + 2);
  return quote;
}

std::unique_ptr<TileAlgorithm> make_fft(const ConvolutionSpec& spec, Shape shape, int threads) {
  const Tiling single = choose_tiling(shape, spec.kernel.shape, threads);
  if (const auto pairs = pairs_for(shape, spec.kernel.shape, single)) return make_paired_fft(spec.kernel, *pairs);
  return std::make_unique<TiledFft>(spec.kernel, shape, single);
}

}  // namespace reber::cpu
