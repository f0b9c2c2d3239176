// SPDX-License-Identifier: BSD-3-Clause
// Direct convolution: every output is one chain of fused multiply-adds over the kernel, rows then columns ascending;
// for large kernels a chain per row, and the rows' sums added.
#include "kernels/cpu/convolve/direct.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "kernels/cpu/simd.hpp"

namespace reber::cpu {
namespace {

/// A block of kRows x kVectors vectors of outputs stays in registers: 12 sums, 3 inputs and 1 weight fill the 16 of
/// AVX2, and 7 loads feed 12 multiply-adds.
constexpr int kRows = 4;
constexpr int kVectors = 3;
constexpr std::int64_t kBlockColumns = kVectors * kLanes;
/// Tiles of 32 x 480 outputs: the rows that one block row reads (18 x 494 for 15x15) stay in the first-level cache.
constexpr Shape kTile{32, 480};
/// Up to so many kernel rows a tile is read in place: more rows at a power-of-two stride fall into one cache set.
constexpr std::int64_t kInPlaceRows = 5;

/// One core of an EPYC 9xx4, 4096^2: 0.75, 1.9, 5.2 and 18.8 ns a pixel of processor time for 3x3, 7x7, 15x15, 31x31.
constexpr double kMsPerFma = 0.0195e-6;
constexpr double kMsPerPixel = 0.7e-6;

using Sums = Floats[kRows][kVectors];

/// Continues the chains of one input row: rows [first, last) of the block take weights w[j * kny + row], j ascending.
template <int first, int last>
[[gnu::always_inline]] inline void chain_row(Sums& sums, const float* in, const float* w, std::int64_t kny,
                                             std::int64_t knx) {
  for (std::int64_t j = 0; j < knx; ++j, --in, w += kny) {
    Floats value[kVectors];
    for (int v = 0; v < kVectors; ++v) value[v] = load(in + v * kLanes);
    for (int row = first; row < last; ++row) {
      const Floats weight = all(w[row]);
      for (int v = 0; v < kVectors; ++v) sums[row][v] = fma(weight, value[v], sums[row][v]);
    }
  }
}

/// Adds one input row to rows [first, last) of the block. apart: the row has chains of its own, whose sums are added.
template <int first, int last>
[[gnu::always_inline]] inline void add_row(Sums& sums, const float* in, const float* w, std::int64_t kny,
                                           std::int64_t knx, bool apart) {
  if (!apart) {
    chain_row<first, last>(sums, in, w, kny, knx);
    return;
  }
  Sums row_sums{};
  chain_row<first, last>(row_sums, in, w, kny, knx);
  for (int row = first; row < last; ++row)
    for (int v = 0; v < kVectors; ++v) sums[row][v] += row_sums[row][v];
}

class Direct final : public TileAlgorithm {
 public:
  Direct(const Kernel& kernel, Shape image)
      : kernel_(kernel.shape), apart_(sums_rows_apart(kernel.shape)), weights_(kernel.weights.size()) {
    for (std::int64_t i = 0; i < kernel_.ny; ++i)
      for (std::int64_t j = 0; j < kernel_.nx; ++j)
        weights_[j * kernel_.ny + i] = static_cast<float>(kernel.weights[i * kernel_.nx + j]);
    for (std::int64_t i = 0; i < kernel_.ny; ++i) {
      float sum = apart_ ? 0 : full_weight_;
      for (std::int64_t j = 0; j < kernel_.nx; ++j) sum = fmaf(weights_[j * kernel_.ny + i], 1.0f, sum);
      full_weight_ = apart_ ? full_weight_ + sum : sum;
    }
    tile_ = {std::min(kTile.ny, image.ny), std::min(kTile.nx, image.nx)};
    out_rows_ = (tile_.ny + kRows - 1) / kRows * kRows;
    out_columns_ = (tile_.nx + kBlockColumns - 1) / kBlockColumns * kBlockColumns;
  }

  [[nodiscard]] Shape tile() const override { return tile_; }
  [[nodiscard]] std::int64_t padded_stride() const override {
    // An odd number of cache lines, so that rows spread over all cache sets.
    return ((out_columns_ + kernel_.nx - 1 + 15) / 16 | 1) * 16;
  }
  [[nodiscard]] std::int64_t padded_rows() const override { return out_rows_ + kernel_.ny - 1; }
  [[nodiscard]] bool reads_in_place() const override { return kernel_.ny <= kInPlaceRows; }
  [[nodiscard]] std::int64_t out_stride() const override { return out_columns_; }
  [[nodiscard]] float full_weight() const override { return full_weight_; }
  [[nodiscard]] std::string description() const override {
    return fmt::format("{} x {} multiply-adds a pixel, tiles of {} x {}", kernel_.nx, kernel_.ny, tile_.nx, tile_.ny);
  }

  float* convolve(const PaddedTile& tile, Buffer& memory, TileScratch&) const override {
    float* out = memory.ask(out_rows_ * out_columns_);
    for (std::int64_t y = 0; y < tile.out.ny; y += kRows)
      for (std::int64_t x = 0; x < tile.out.nx; x += kBlockColumns) {
        const std::int64_t spare = std::min<std::int64_t>(tile.out.ny - y, kRows);
        block(tile.pixels + y * tile.stride + x, tile.stride, spare, out + y * out_columns_ + x);
      }
    return out;
  }

 private:
  /// Output row r of the block takes input row q with kernel row i = r + kny - 1 - q. Input rows descend, so i ascends
  /// for each r. rows: those that exist; the block's others read no input.
  void block(const float* in, std::int64_t stride, std::int64_t rows, float* out) const {
    const auto [kny, knx] = kernel_;
    Sums sums{};
    for (std::int64_t q = rows + kny - 2; q >= 0; --q) {
      const auto first = static_cast<int>(std::max<std::int64_t>(0, q - kny + 1));
      const auto last = static_cast<int>(std::min<std::int64_t>(rows, q + 1));
      const float* row = in + q * stride + knx - 1;
      const float* w = weights_.data() + (kny - 1 - q);
      switch (first * 8 + last) {
        case 0 * 8 + 4:
          add_row<0, 4>(sums, row, w, kny, knx, apart_);
          break;
        case 0 * 8 + 3:
          add_row<0, 3>(sums, row, w, kny, knx, apart_);
          break;
        case 0 * 8 + 2:
          add_row<0, 2>(sums, row, w, kny, knx, apart_);
          break;
        case 0 * 8 + 1:
          add_row<0, 1>(sums, row, w, kny, knx, apart_);
          break;
        case 1 * 8 + 4:
          add_row<1, 4>(sums, row, w, kny, knx, apart_);
          break;
        case 1 * 8 + 3:
          add_row<1, 3>(sums, row, w, kny, knx, apart_);
          break;
        case 1 * 8 + 2:
          add_row<1, 2>(sums, row, w, kny, knx, apart_);
          break;
        case 2 * 8 + 4:
          add_row<2, 4>(sums, row, w, kny, knx, apart_);
          break;
        case 2 * 8 + 3:
          add_row<2, 3>(sums, row, w, kny, knx, apart_);
          break;
        case 3 * 8 + 4:
          add_row<3, 4>(sums, row, w, kny, knx, apart_);
          break;
        default:
          break;
      }
    }
    for (std::int64_t r = 0; r < rows; ++r)
      for (int v = 0; v < kVectors; ++v) store(out + r * out_columns_ + v * kLanes, sums[r][v]);
  }

  Shape kernel_;
  bool apart_;                  ///< each kernel row has a sum of its own
  std::vector<float> weights_;  ///< transposed: the weights of one input column lie side by side
  float full_weight_ = 0;
  Shape tile_;
  std::int64_t out_rows_ = 0, out_columns_ = 0;
};

}  // namespace

VariantQuote quote_direct(const ConvolutionSpec& spec, Shape shape, int threads) {
  const auto pixels = static_cast<double>(shape.count());
  const auto taps = static_cast<double>(spec.kernel.shape.count());
  VariantQuote quote;
  quote.possible = true;
  quote.reason = fmt::format("{} multiply-adds a pixel", spec.kernel.shape.count());
  quote.cost_ms = pixels * (taps * kMsPerFma + kMsPerPixel) / threads;
  quote.workspace_bytes = 4 * threads * 2 * (kTile.ny + spec.kernel.shape.ny) * (kTile.nx + spec.kernel.shape.nx);
  return quote;
}

std::unique_ptr<TileAlgorithm> make_direct(const ConvolutionSpec& spec, Shape shape, int) {
  return std::make_unique<Direct>(spec.kernel, shape);
}

}  // namespace reber::cpu
