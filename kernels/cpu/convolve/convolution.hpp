// SPDX-License-Identifier: BSD-3-Clause
// Convolution on the CPU: tiles of the image, gathered with their halo, convolved by one of several algorithms.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/cpu/job_threads.hpp"
#include "kernels/cpu/plane.hpp"
#include "kernels/cpu/row_maker.hpp"
#include "kernels/shared/pixel_rules.hpp"

namespace reber::cpu {

/// Floats, 64-byte aligned, zero when they come new; one worker's memory.
class Buffer {
 public:
  float* ask(std::int64_t floats);  ///< contents are kept only where the size did not grow

 private:
  std::vector<float> memory_;
};

/// What one worker holds while it convolves tiles.
struct TileScratch {
  Buffer padded, mask, out, weight, middle, spectrum;
  std::vector<std::int32_t> hits;
};

/// A gathered tile: the pixels that ny x nx outputs read, i.e. ny + kernel.ny - 1 rows of nx + kernel.nx - 1.
struct PaddedTile {
  const float* pixels;
  std::int64_t stride;
  Shape out;
  float* own;  ///< the same pixels, where they are a copy that may be overwritten; null where they are the image's
};

/// One algorithm with its weights: linear convolution of a gathered tile, in which nothing is blank.
class TileAlgorithm {
 public:
  virtual ~TileAlgorithm() = default;
  [[nodiscard]] virtual Shape tile() const = 0;  ///< outputs of one tile; tiles at the far edges are smaller
  [[nodiscard]] virtual std::int64_t padded_stride() const = 0;  ///< floats from row to row of a gathered tile
  [[nodiscard]] virtual std::int64_t padded_rows() const = 0;    ///< rows to make room for, the last ones are spare
  /// Whether a tile may be read in place, from the image; rows of any stride, kSlack floats past the last one.
  [[nodiscard]] virtual bool reads_in_place() const = 0;
  /// Result in rows of out_stride() floats, in memory of `out` or of the tile itself; what lies past tile.out is spare.
  virtual float* convolve(const PaddedTile& tile, Buffer& out, TileScratch& scratch) const = 0;
  [[nodiscard]] virtual std::int64_t out_stride() const = 0;
  /// Result for an image of ones, bit for bit.
  [[nodiscard]] virtual float full_weight() const = 0;
  /// Weights of finite pixels smaller than this (in absolute value) are rounding alone.
  [[nodiscard]] virtual float weight_noise() const { return 0; }
  [[nodiscard]] virtual std::string description() const = 0;
};

/// One row of the table of variants: one per algorithm.
struct Variant {
  Algorithm algorithm;
  std::string_view name;
  /// The name is left to the table.
  VariantQuote (*quote)(const ConvolutionSpec& spec, Shape shape, int threads);
  std::unique_ptr<TileAlgorithm> (*make)(const ConvolutionSpec& spec, Shape shape, int threads);
};

std::span<const Variant> variants();
/// The quote of the row's algorithm, of which it is the only variant.
ConvolutionQuote quote_of(const Variant& row, const ConvolutionSpec& spec, Shape shape, int threads);

class CpuConvolution final : public ConvolutionPlan {
 public:
  CpuConvolution(ConvolutionSpec spec, Shape shape, const Variant& variant, std::unique_ptr<TileAlgorithm> tiles);
  [[nodiscard]] Algorithm algorithm() const override { return variant_.algorithm; }
  [[nodiscard]] std::string_view variant() const override { return variant_.name; }
  [[nodiscard]] const ConvolutionSpec& spec() const override { return spec_; }
  [[nodiscard]] Shape shape() const override { return shape_; }
  [[nodiscard]] std::string description() const override { return tiles_->description(); }

  /// Not from two threads at once: the plan holds the workers' memory, so that its pages are fresh but once. A streamed
  /// plane is read for its blank pixels; the result is streamed as well and outlives the plan.
  [[nodiscard]] std::unique_ptr<CpuPlane> run(const CpuPlane& plane, const RowTools& tools,
                                              const JobThreads& threads) const;
  /// The same, but streamed whatever the plane is, in bands of a few rows of tiles.
  [[nodiscard]] std::unique_ptr<CpuPlane> run_later(const CpuPlane& plane, const RowTools& tools,
                                                    const JobThreads& threads) const;

 private:
  class Rows;
  class StreamedRows;
  enum class Blanks { none, fill, interpolate, propagate };
  [[nodiscard]] Blanks blanks_of(const CpuPlane& plane) const;
  /// Pixels that the outputs of `tile` read; blank ones (or what lies outside, if that is blank) as NaN.
  PaddedTile gather(const Rows& rows, const Rect& tile, float* to) const;
  /// Convolves one tile; `out` is row tile.y0 of the result.   returns the number of blank outputs
  std::int64_t run_tile(const Rows& rows, const Rect& tile, Blanks blanks, TileScratch& scratch, float* out) const;
  /// Tiles of rows [y0, y1), y0 the first row of a tile.   returns the number of blank outputs
  std::int64_t run_rows(const CpuPlane& plane, std::int64_t y0, std::int64_t y1, Blanks blanks, float* out,
                        const JobThreads& threads, const std::function<void(double)>& tell) const;
  void spread_blanks(const float* mask, const Rect& tile, TileScratch& scratch, float* out) const;

  ConvolutionSpec spec_;
  Shape shape_;
  Variant variant_;
  std::shared_ptr<const TileAlgorithm> tiles_;
  rules::KernelTotal total_;
  std::int64_t top_, left_;  ///< rows and columns of halo before a tile
  /// Image row (column) that stands for padded row (column) p, which is p - top_ (left_); -1 where there is none.
  std::vector<std::int64_t> row_of_, column_of_;
  mutable std::vector<TileScratch> scratch_;
};

}  // namespace reber::cpu
