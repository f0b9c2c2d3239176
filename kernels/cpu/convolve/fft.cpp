// SPDX-License-Identifier: BSD-3-Clause
// FFT convolution by overlap-save: tiles that overlap by the kernel, of the size with the least work for each output.
#include "kernels/cpu/convolve/fft.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "kernels/cpu/convolve/fft_levels.hpp"
#include "kernels/cpu/convolve/paired_fft.hpp"
#include "kernels/cpu/convolve/transform.hpp"
#include "kernels/cpu/simd.hpp"
#include "kernels/shared/fft_range.hpp"

namespace reber::cpu {
namespace {

/// Nanoseconds a pixel for both transforms and the product, by the side of a square tile, on one core of an EPYC 9xx4.
/// FFTW 3.3.10 with estimated plans: measured plans are a quarter faster, but differ from one run to the next, and the
/// result with them in the last bits; planning them takes 0.1 to 0.8 s besides.
struct SideCost {
  std::int64_t side;
  double ns;
};
constexpr std::array kSides{
    SideCost{8, 12},     SideCost{16, 8},     SideCost{32, 6},     SideCost{48, 5.5},   SideCost{64, 5},
    SideCost{96, 4.6},   SideCost{128, 4.4},  SideCost{160, 4.3},  SideCost{192, 4.1},  SideCost{256, 4.1},
    SideCost{320, 3.9},  SideCost{384, 4.5},  SideCost{512, 4.65}, SideCost{640, 4.8},  SideCost{768, 5.4},
    SideCost{1024, 7.5}, SideCost{1280, 8},   SideCost{1536, 8.5}, SideCost{2048, 9},   SideCost{3072, 10},
    SideCost{4096, 11},  SideCost{6144, 12},  SideCost{8192, 13},  SideCost{12288, 15}, SideCost{16384, 16},
    SideCost{24576, 18}, SideCost{32768, 20}, SideCost{49152, 22}, SideCost{65536, 24},
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
      const double tile_ns = static_cast<double>(y.side) * static_cast<double>(x.side) *
                             (std::max(y.ns, x.ns) * transform_cost() + kNsAround);
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
  TiledFft(const Kernel& kernel, Shape image, int threads) : kernel_(kernel.shape) {
    const Tiling tiling = choose_tiling(image, kernel.shape, threads);
    ty_ = tiling.ty;
    tx_ = tiling.tx;
    spectrum_floats_ = ty_ * (tx_ / 2 + 1) * 2;
    tile_ = {std::min(ty_ - kernel_.ny + 1, image.ny), std::min(tx_ - kernel_.nx + 1, image.nx)};
    transform_ = &transform_of(ty_, tx_);
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
    transform_->forward(placed, transfer_);
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
    transform_->forward(tile.own, spectrum);
    multiply(spectrum, transfer_, spectrum_floats_);
    // Back to where the pixels were: one buffer less to fit in the second-level cache.
    transform_->backward(spectrum, tile.own);
    levels.put_back(pixels);
    return tile.own;
  }

 private:
  Shape kernel_, tile_;
  std::int64_t ty_ = 0, tx_ = 0, spectrum_floats_ = 0;
  const Transform* transform_ = nullptr;
  KernelSums sums_{};
  Buffer transfer_memory_;
  float* transfer_ = nullptr;
};

/// Milliseconds of pairs of tiles; 0 where they do not serve, or single ones are faster.
double paired_cost_ms(Shape image, Shape kernel, const Tiling& single, int threads) {
  const Shape tile = paired_tile(image, kernel);
  if (tile.count() == 0) return 0;
  const std::int64_t tiles = ceil_div(image.ny, tile.ny) * ceil_div(image.nx, tile.nx);
  const double tile_ms = paired_tile_ns(kernel, kNsAround) * 1e-6;
  const bool faster = single.ty == 0 || tile_ms * static_cast<double>(tiles) < single.all_ms;
  return faster ? tile_ms * static_cast<double>(ceil_div(tiles, threads)) : 0;
}

}  // namespace

VariantQuote quote_fft(const ConvolutionSpec& spec, Shape shape, int threads) {
  VariantQuote quote;
  const Tiling tiling = choose_tiling(shape, spec.kernel.shape, threads);
  if (const double paired = paired_cost_ms(shape, spec.kernel.shape, tiling, threads); paired > 0) {
    quote.possible = true;
    quote.reason = "transforms of pairs of tiles";
    quote.cost_ms = paired;
    quote.workspace_bytes = paired_bytes(spec.kernel.shape) * threads;
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
  if (paired_cost_ms(shape, spec.kernel.shape, single, threads) > 0) return make_paired_fft(spec.kernel, shape);
  return std::make_unique<TiledFft>(spec.kernel, shape, threads);
}

}  // namespace reber::cpu
