// SPDX-License-Identifier: BSD-3-Clause
// FFT convolution by overlap-save: tiles that overlap by the kernel, of the size with the least work for each output.
#include "kernels/cpu/convolve/fft.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

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
  double cost_ms = 0;
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
      best = {y.side, x.side, tile_ns * static_cast<double>(ceil_div(tiles, threads)) * 1e-6};
    }
  }
  return best;
}

/// Products of pairs (re, im), in place.
void multiply(float* values, const float* by, std::int64_t floats) {
  const Ints even{0, 0, 2, 2, 4, 4, 6, 6}, odd{1, 1, 3, 3, 5, 5, 7, 7}, turned{1, 0, 3, 2, 5, 4, 7, 6};
  const Floats sign{-1, 1, -1, 1, -1, 1, -1, 1};
  for (std::int64_t k = 0; k < floats; k += kLanes) {
    const Floats a = load(values + k), b = load(by + k);
    const Floats cross = __builtin_shuffle(a, turned) * (__builtin_shuffle(b, odd) * sign);
    store(values + k, fma(a, __builtin_shuffle(b, even), cross));
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
    sum_ = static_cast<float>(sum);
    absolute_ = rules::absolute_sum(kernel.weights);
    weight_noise_ = static_cast<float>(4e-6 * absolute_);
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
  [[nodiscard]] float full_weight() const override { return sum_; }
  [[nodiscard]] float weight_noise() const override { return weight_noise_; }
  [[nodiscard]] std::string description() const override {
    return fmt::format("transforms of {} x {} for tiles of {} x {}", tx_, ty_, tile_.nx, tile_.ny);
  }

  /// A constant taken out of a tile, and its product with the kernel's sum put back, is exact for any values and any
  /// boundary, as every output sees the whole kernel; a large offset then costs no precision.
  float* convolve(const PaddedTile& tile, Buffer&, TileScratch& scratch) const override {
    // Squares of pixels, of which offset_of() makes sums, are to stay floats as well.
    constexpr int kOrdinary = 50;
    const float scale = rules::fft_scale(largest_of(tile), absolute_, kOrdinary);
    if (scale != 1.0f) multiply_by(scale, tile.own, tile.out.ny + kernel_.ny - 1, tile.out.nx + kernel_.nx - 1);
    const float offset = offset_of(tile);
    if (offset != 0.0f) add(-offset, tile.own, tile.out.ny + kernel_.ny - 1, tile.out.nx + kernel_.nx - 1);
    float* spectrum = scratch.spectrum.ask(spectrum_floats_);
    transform_->forward(tile.own, spectrum);
    multiply(spectrum, transfer_, spectrum_floats_);
    // Back to where the pixels were: one buffer less to fit in the second-level cache.
    transform_->backward(spectrum, tile.own);
    const float back = offset * sum_;
    if (back != 0.0f) add(back, tile.own, tile.out.ny, tile.out.nx);
    if (scale != 1.0f) multiply_by(1 / scale, tile.own, tile.out.ny, tile.out.nx);
    return tile.own;
  }

 private:
  /// Largest absolute value of what the tile reads.
  [[nodiscard]] float largest_of(const PaddedTile& tile) const {
    const std::int64_t rows = tile.out.ny + kernel_.ny - 1, columns = tile.out.nx + kernel_.nx - 1;
    Floats high{}, low{};
    float rest = 0;
    for (std::int64_t y = 0; y < rows; ++y) {
      const float* in = tile.pixels + y * tx_;
      std::int64_t x = 0;
      for (; x + kLanes <= columns; x += kLanes) {
        const Floats value = load(in + x);
        high = where(value > high, value, high);
        low = where(value < low, value, low);
      }
      for (; x < columns; ++x) rest = std::max(rest, std::abs(in[x]));
    }
    for (int lane = 0; lane < kLanes; ++lane) rest = std::max({rest, high[lane], -low[lane]});
    return rest;
  }

  /// The mean of every eighth row of what the tile reads, or 0 where it is below twice the scatter about it: taking it
  /// out would then not halve what the transform rounds.
  [[nodiscard]] float offset_of(const PaddedTile& tile) const {
    constexpr std::int64_t kEvery = 8;
    const std::int64_t rows = tile.out.ny + kernel_.ny - 1, columns = tile.out.nx + kernel_.nx - 1;
    double sum = 0, squares = 0, count = 0;
    for (std::int64_t y = rows / 2 % kEvery; y < rows; y += kEvery) {
      const float* in = tile.pixels + y * tx_;
      Floats lanes{}, lanes2{};
      std::int64_t x = 0;
      for (; x + kLanes <= columns; x += kLanes) {
        const Floats value = load(in + x);
        lanes += value;
        lanes2 = fma(value, value, lanes2);
      }
      for (int lane = 0; lane < kLanes; ++lane) {
        sum += lanes[lane];
        squares += lanes2[lane];
      }
      for (; x < columns; ++x) {
        sum += in[x];
        squares += static_cast<double>(in[x]) * in[x];
      }
      count += static_cast<double>(columns);
    }
    const double mean = sum / count, variance = squares / count - mean * mean;
    return std::isfinite(mean) && mean * mean > 4 * variance ? static_cast<float>(mean) : 0.0f;
  }

  void add(float value, float* to, std::int64_t rows, std::int64_t columns) const {
    for (std::int64_t y = 0; y < rows; ++y)
      for (std::int64_t x = 0; x < columns; ++x) to[y * tx_ + x] += value;
  }

  void multiply_by(float factor, float* to, std::int64_t rows, std::int64_t columns) const {
    for (std::int64_t y = 0; y < rows; ++y)
      for (std::int64_t x = 0; x < columns; ++x) to[y * tx_ + x] *= factor;
  }

  Shape kernel_, tile_;
  std::int64_t ty_ = 0, tx_ = 0, spectrum_floats_ = 0;
  const Transform* transform_ = nullptr;
  float sum_ = 0, weight_noise_ = 0;
  double absolute_ = 0;  ///< sum of the weights' absolute values
  Buffer transfer_memory_;
  float* transfer_ = nullptr;
};

}  // namespace

VariantQuote quote_fft(const ConvolutionSpec& spec, Shape shape, int threads) {
  VariantQuote quote;
  const Tiling tiling = choose_tiling(shape, spec.kernel.shape, threads);
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
  return std::make_unique<TiledFft>(spec.kernel, shape, threads);
}

}  // namespace reber::cpu
