// SPDX-License-Identifier: BSD-3-Clause
// Separable convolution: along x into a float buffer, then along y from it; both while the tile is in the cache.
#include "kernels/cpu/convolve/separable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/cpu/simd.hpp"
#include "kernels/shared/spaced_taps.hpp"

namespace reber::cpu {
namespace {

/// Eight vectors of sums: enough independent chains to cover the latency of a fused multiply-add (4 cycles, 2 a cycle).
constexpr int kVectors = 8;
constexpr std::int64_t kBlock = kVectors * kLanes;
constexpr std::int64_t kTileColumns = 256;
/// Rows of a tile: the halo is recomputed for each, so tall for tall kernels.
constexpr std::int64_t kLeastRows = 64, kMostRows = 512;

/// One core of an EPYC 9xx4, 4096^2: 1.2, 1.6, 2.5, 4.4 and 8.6 ns a pixel of processor time for 9, 15, 31, 63, 129
/// taps.
constexpr double kMsPerFma = 0.0295e-6;
constexpr double kMsPerPixel = 0.7e-6;

/// Taps with zeros between them: larger tiles, whose halo is wide, against their processor time.
constexpr std::int64_t kMostSpacedTile = 1024;

/// Outputs of a tile.
Shape tile_of(const Kernel& kernel, Shape image) {
  if (const auto spaced = rules::spaced_taps(kernel)) {
    const std::int64_t side = std::clamp(4 * spaced->step, kTileColumns, kMostSpacedTile);
    return {std::min(side, image.ny), std::min(side, image.nx)};
  }
  return {std::min(std::clamp<std::int64_t>(4 * kernel.shape.ny, kLeastRows, kMostRows), image.ny),
          std::min(kTileColumns, image.nx)};
}

/// out[x] = sum_k weights[k] in[x + (taps - 1 - k) step], k ascending, for x in [0, columns).
template <int vectors>
[[gnu::always_inline]] inline void sum_block(const float* in, std::int64_t step, const std::vector<float>& weights,
                                             float* out) {
  Floats sums[vectors]{};
  const auto taps = static_cast<std::int64_t>(weights.size());
  in += (taps - 1) * step;
  for (std::int64_t k = 0; k < taps; ++k, in -= step) {
    const Floats weight = all(weights[k]);
    for (int v = 0; v < vectors; ++v) sums[v] = fma(weight, load(in + v * kLanes), sums[v]);
  }
  for (int v = 0; v < vectors; ++v) store(out + v * kLanes, sums[v]);
}

class Separable final : public TileAlgorithm {
 public:
  Separable(const Kernel& kernel, Shape image)
      : column_(kernel.column.begin(), kernel.column.end()),
        row_(kernel.row.begin(), kernel.row.end()),
        tile_(tile_of(kernel, image)) {
    if (const auto spaced = rules::spaced_taps(kernel)) {
      step_ = spaced->step;
      column_.assign(spaced->column.begin(), spaced->column.end());
      row_.assign(spaced->row.begin(), spaced->row.end());
    }
    columns_ = (tile_.nx + kLanes - 1) / kLanes * kLanes;
    float across = 0;
    for (const float weight : row_) across = fmaf(weight, 1.0f, across);
    for (const float weight : column_) full_weight_ = fmaf(weight, across, full_weight_);
  }

  [[nodiscard]] Shape tile() const override { return tile_; }
  [[nodiscard]] std::int64_t padded_stride() const override { return ((columns_ + reach(row_) + 15) / 16 | 1) * 16; }
  [[nodiscard]] std::int64_t padded_rows() const override { return tile_.ny + reach(column_); }
  [[nodiscard]] bool reads_in_place() const override { return true; }
  [[nodiscard]] std::int64_t out_stride() const override { return columns_; }
  [[nodiscard]] float full_weight() const override { return full_weight_; }
  [[nodiscard]] std::string description() const override {
    return fmt::format("{} + {} multiply-adds a pixel{}, tiles of {} x {}", row_.size(), column_.size(),
                       step_ > 1 ? fmt::format(", taps {} pixels apart", step_) : "", tile_.nx, tile_.ny);
  }

  float* convolve(const PaddedTile& tile, Buffer& memory, TileScratch& scratch) const override {
    float* out = memory.ask(tile_.ny * columns_);
    const std::int64_t rows = tile.out.ny + reach(column_);
    const std::int64_t stride = ((columns_ + 15) / 16 | 1) * 16;  // odd in cache lines, as for padded tiles
    float* middle = scratch.middle.ask(rows * stride);
    for (std::int64_t y = 0; y < rows; ++y)
      if (y % step_ < tile.out.ny)  // the others lie between the taps of all outputs
        sum_row(tile.pixels + y * tile.stride, step_, row_, middle + y * stride, tile.out.nx);
    for (std::int64_t x = 0; x < tile.out.nx; x += kBlock)
      for (std::int64_t y = 0; y < tile.out.ny; ++y)
        sum_row(middle + y * stride + x, step_ * stride, column_, out + y * columns_ + x,
                std::min(kBlock, tile.out.nx - x));
    return out;
  }

 private:
  /// Pixels from the first tap to the last.
  [[nodiscard]] std::int64_t reach(const std::vector<float>& taps) const {
    return (static_cast<std::int64_t>(taps.size()) - 1) * step_;
  }

  static void sum_row(const float* in, std::int64_t step, const std::vector<float>& weights, float* out,
                      std::int64_t columns) {
    std::int64_t x = 0;
    for (; x + kBlock <= columns; x += kBlock) sum_block<kVectors>(in + x, step, weights, out + x);
    for (; x < columns; x += kLanes) sum_block<1>(in + x, step, weights, out + x);
  }

  std::vector<float> column_, row_;
  std::int64_t step_ = 1;  ///< from one tap to the next
  float full_weight_ = 0;
  Shape tile_;
  std::int64_t columns_ = 0;
};

}  // namespace

VariantQuote quote_separable(const ConvolutionSpec& spec, Shape shape, int threads) {
  VariantQuote quote;
  quote.possible = spec.kernel.separable();
  if (!quote.possible) {
    quote.reason = "the kernel is not the product of a row and a column";
    return quote;
  }
  const std::size_t few = rules::kSpacedTaps;
  const bool spaced = rules::spaced_taps(spec.kernel).has_value();
  const std::size_t across = spaced ? few : spec.kernel.row.size(), down = spaced ? few : spec.kernel.column.size();
  const auto taps = static_cast<double>(across + down);
  quote.reason = fmt::format("{} + {} multiply-adds a pixel", across, down);
  quote.cost_ms = static_cast<double>(shape.count()) * (taps * kMsPerFma + kMsPerPixel) / threads;
  const Shape tile = tile_of(spec.kernel, shape);
  quote.workspace_bytes = 4 * threads * 3 * (tile.ny + spec.kernel.shape.ny) * (tile.nx + spec.kernel.shape.nx);
  return quote;
}

std::unique_ptr<TileAlgorithm> make_separable(const ConvolutionSpec& spec, Shape shape, int) {
  return std::make_unique<Separable>(spec.kernel, shape);
}

}  // namespace reber::cpu
