// SPDX-License-Identifier: BSD-3-Clause
// Separable convolution: rows into a ring in shared memory, columns out of it, so that the image is read and written
// once. Answers kernels/cpu/separable.cpp: along x first, then along y, taps ascending.
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>

#include "core/base/error.hpp"
#include "kernels/cuda/convolve.hpp"

namespace reber::cuda {
namespace {

// A block owns 128 columns and marches down a segment of rows. Along x a thread makes 8 neighbouring outputs, along y 8
// rows of 2 columns: 8 taps then cost 2 (4) reads of 16 (8) bytes for 64 (128) multiply-adds.
constexpr int kThreads = 256;
constexpr int kTileX = 128;
constexpr int kChunk = 32;  ///< output rows between two barriers
constexpr int kFill = 16;   ///< rows that are filtered along x at once
constexpr int kTaps = 8;    ///< taps taken together
constexpr int kMaxTaps = 512;

__host__ __device__ constexpr int up_to(int n, int multiple) { return (n + multiple - 1) / multiple * multiple; }
/// Place of column c in a staged row: 4 floats of padding after each 32 keep 16-byte reads 8 columns apart in
/// different banks.
__host__ __device__ constexpr int padded(int c) { return c + ((c >> 5) << 2); }

/// Shared memory: kFill staged rows of input, then the ring of filtered rows.
struct Layout {
  int base;   ///< column of a staged row that tap 0 of output column 0 reads; = 3 modulo 4, so reads are aligned
  int width;  ///< columns staged
  int stage_pitch;
  int ring_rows;
};

__host__ __device__ constexpr Layout layout_of(int ky, int kx) {
  const int base = up_to(kx, kTaps) - 1;
  const int width = base + 1 + kTileX + 4;
  return {base, width, up_to(padded(width) + 4, 4), kChunk + up_to(ky - 1, kFill)};
}

std::int64_t shared_bytes(Shape kernel) {
  const Layout layout = layout_of(static_cast<int>(kernel.ny), static_cast<int>(kernel.nx));
  return (std::int64_t{kFill} * layout.stage_pitch + std::int64_t{layout.ring_rows} * kTileX) *
         static_cast<std::int64_t>(sizeof(float));
}

struct alignas(16) SeparableArguments {
  ConvolveJob job;
  int ky, kx;
  float full_weight;
  std::int64_t strips, segment;  ///< strips of 128 columns; rows of a segment, a multiple of kChunk
  alignas(16) float column[kMaxTaps];
  alignas(16) float row[kMaxTaps];
};

/// Puts kFill rows from image row y on into the stage; whether a blank pixel was met.
__device__ bool load_stage(const SeparableArguments& arguments, const Layout& layout, float* stage, std::int64_t y,
                           std::int64_t tile_x, bool mask) {
  const ConvolveJob& job = arguments.job;
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  const std::int64_t x0 = tile_x - (layout.base - arguments.kx / 2);
  bool blank_seen = false;
  constexpr int kBatch = 5;  // 160 columns: all of a row for up to 24 taps
#pragma unroll
  for (int r = warp; r < kFill; r += kThreads / 32) {
    const float* from = window_row(job.in, y + r, job.boundary);
    for (int c0 = lane; c0 < layout.width; c0 += 32 * kBatch) {
      float values[kBatch];
#pragma unroll
      for (int b = 0; b < kBatch; ++b) {
        const int c = c0 + 32 * b;
        values[b] = c < layout.width ? row_value(from, x0 + c, job.in.nx, job.boundary) : 0.0f;
      }
#pragma unroll
      for (int b = 0; b < kBatch; ++b) {
        const int c = c0 + 32 * b;
        if (c < layout.width) stage[r * layout.stage_pitch + padded(c)] = convolved(values[b], mask, blank_seen);
      }
    }
  }
  return blank_seen;
}

/// Eight neighbouring taps of eight neighbouring outputs; only the first `taps` of them where not All.
template <bool All>
__device__ __forceinline__ void eight_taps_x(const float* weights, int taps, const float (&low)[8],
                                             const float (&high)[8], float (&sums)[8]) {
#pragma unroll
  for (int t = 0; t < kTaps; ++t) {
    if (!All && t >= taps) break;
    const float weight = weights[t];
#pragma unroll
    for (int q = 0; q < 8; ++q) {
      const int at = 7 + q - t;
      sums[q] = fmaf(weight, at < 8 ? low[at] : high[at - 8], sums[q]);
    }
  }
}

__device__ __forceinline__ void read8(const float* stage_row, int c, float (&values)[8]) {
  const float4 a = *reinterpret_cast<const float4*>(stage_row + padded(c));
  const float4 b = *reinterpret_cast<const float4*>(stage_row + padded(c + 4));
  values[0] = a.x, values[1] = a.y, values[2] = a.z, values[3] = a.w;
  values[4] = b.x, values[5] = b.y, values[6] = b.z, values[7] = b.w;
}

/// Filters the staged rows along x into the ring from row ring_row on.
__device__ __forceinline__ void filter_rows(const SeparableArguments& arguments, const Layout& layout,
                                            const float* stage, float* ring, int ring_row) {
  const int r = threadIdx.x / 16, c = threadIdx.x % 16 * 8;
  const float* row = stage + r * layout.stage_pitch;
  float sums[8] = {0, 0, 0, 0, 0, 0, 0, 0};
  float low[8], high[8];
  read8(row, c + layout.base + 1, high);
  for (int j = 0; j < arguments.kx; j += kTaps) {
    read8(row, c + layout.base - j - 7, low);
    if (j + kTaps <= arguments.kx) {
      eight_taps_x<true>(arguments.row + j, kTaps, low, high, sums);
    } else {
      eight_taps_x<false>(arguments.row + j, arguments.kx - j, low, high, sums);
    }
#pragma unroll
    for (int q = 0; q < 8; ++q) high[q] = low[q];
  }
  auto* out = reinterpret_cast<float4*>(ring + (ring_row + r) * kTileX + c);
  out[0] = {sums[0], sums[1], sums[2], sums[3]};
  out[1] = {sums[4], sums[5], sums[6], sums[7]};
}

template <bool All>
__device__ __forceinline__ void eight_taps_y(const float* weights, int taps, const float2 (&low)[8],
                                             const float2 (&high)[8], float2 (&sums)[8]) {
#pragma unroll
  for (int t = 0; t < kTaps; ++t) {
    if (!All && t >= taps) break;
    const float weight = weights[t];
#pragma unroll
    for (int q = 0; q < 8; ++q) {
      const int at = 7 + q - t;
      const float2 value = at < 8 ? low[at] : high[at - 8];
      sums[q].x = fmaf(weight, value.x, sums[q].x);
      sums[q].y = fmaf(weight, value.y, sums[q].y);
    }
  }
}

/// Eight rows of the ring that end at ring row `last`, in image order; `last` may wrap below 0.
__device__ __forceinline__ void read8_rows(const float* ring, int ring_rows, int last, float2 (&values)[8]) {
#pragma unroll
  for (int q = 7; q >= 0; --q) {
    int row = last - (7 - q);
    if (row < 0) row += ring_rows;
    values[q] = *reinterpret_cast<const float2*>(ring + row * kTileX);
  }
}

/// Filters along y: rows first .. first+7 of the chunk, for two columns.
__device__ __forceinline__ void filter_columns(const SeparableArguments& arguments, const Layout& layout,
                                               const float* ring, int chunk_row, float2 (&sums)[8]) {
  const float* columns = ring + threadIdx.x % 64 * 2;
  // Ring row of tap 0 for the first of the eight outputs.
  int at = (chunk_row + static_cast<int>(threadIdx.x / 64) * 8 + arguments.ky - 1) % layout.ring_rows;
  float2 low[8], high[8];
  int above = at + 8;
  if (above >= layout.ring_rows) above -= layout.ring_rows;
  read8_rows(columns, layout.ring_rows, above, high);
  for (int i = 0; i < arguments.ky; i += kTaps) {
    read8_rows(columns, layout.ring_rows, at, low);
    if (i + kTaps <= arguments.ky) {
      eight_taps_y<true>(arguments.column + i, kTaps, low, high, sums);
    } else {
      eight_taps_y<false>(arguments.column + i, arguments.ky - i, low, high, sums);
    }
#pragma unroll
    for (int q = 0; q < 8; ++q) high[q] = low[q];
    at -= kTaps;
    if (at < 0) at += layout.ring_rows;
  }
}

/// Where the thread's pixels of a chunk go: 8 rows of 2 columns.
struct Outputs {
  float* at;
  std::int64_t pitch;
  int rows, columns;  ///< of the 8 x 2 that exist
};

__device__ Outputs outputs_of(const ConvolveJob& job, std::int64_t chunk_y, std::int64_t chunk_end,
                              std::int64_t tile_x) {
  const std::int64_t y = chunk_y + threadIdx.x / 64 * 8, x = tile_x + threadIdx.x % 64 * 2;
  const auto rows = static_cast<int>(min(static_cast<long long>(8), static_cast<long long>(chunk_end - y)));
  const auto columns = static_cast<int>(min(static_cast<long long>(2), static_cast<long long>(job.in.nx - x)));
  return {job.out + (y - job.y0) * job.out_pitch + x, job.out_pitch, columns > 0 ? rows : 0, columns};
}

/// First pass: sums, or the result where nothing is divided. Second pass (finish): results in the sums' place.
__device__ unsigned write_outputs(const ConvolveJob& job, const Outputs& out, const float2 (&values)[8], bool finish) {
  unsigned blank = 0;
#pragma unroll
  for (int q = 0; q < 8; ++q) {
    if (q >= out.rows) continue;
    // The pitch is even: a second column beyond nx falls into the gap between rows.
    auto* to = reinterpret_cast<float2*>(out.at + q * out.pitch);
    float2 value = values[q];
    if (finish) {
      const float2 sum = *to;
      value.x = rules::interpolate_output(sum.x, value.x, job.total, job.min_weight);
      value.y = rules::interpolate_output(sum.y, value.y, job.total, job.min_weight);
    }
    if (finish || !job.interpolate) value = {stored_result(value.x), stored_result(value.y)};
    *to = value;
    if (!isfinite(value.x)) ++blank;
    if (out.columns > 1 && !isfinite(value.y)) ++blank;
  }
  return blank;
}

/// One march down the segment. Returns the blank pixels written by this thread.
__device__ __forceinline__ unsigned march(const SeparableArguments& arguments, const Layout& layout, float* stage,
                                          float* ring, std::int64_t y0, std::int64_t y1, std::int64_t tile_x, bool mask,
                                          bool& any_blank) {
  const ConvolveJob& job = arguments.job;
  const std::int64_t top = y0 - (arguments.ky - 1 - arguments.ky / 2);  // image row of filtered row 0
  const int segment = static_cast<int>(y1 - y0);
  int filled = 0;
  unsigned blank = 0;
  for (int chunk = 0; chunk < segment; chunk += kChunk) {
    const int wanted = min(chunk + kChunk, segment) + arguments.ky - 1;
    for (; filled < wanted; filled += kFill) {
      any_blank |= __syncthreads_or(load_stage(arguments, layout, stage, top + filled, tile_x, mask)) != 0;
      filter_rows(arguments, layout, stage, ring, filled % layout.ring_rows);
      __syncthreads();  // the stage is free again, the ring's rows are there
    }
    float2 sums[8] = {};
    filter_columns(arguments, layout, ring, chunk, sums);
    blank += write_outputs(job, outputs_of(job, y0 + chunk, y1, tile_x), sums, mask);
    __syncthreads();  // the chunk's oldest rows may be overwritten
  }
  return blank;
}

/// Stands for the second march where the segment saw no blank pixel: all weights are alike.
__device__ unsigned finish_full(const SeparableArguments& arguments, std::int64_t y0, std::int64_t y1,
                                std::int64_t tile_x) {
  const float full = arguments.full_weight;
  const float2 pair = {full, full};
  const float2 weights[8] = {pair, pair, pair, pair, pair, pair, pair, pair};
  unsigned blank = 0;
  for (std::int64_t y = y0; y < y1; y += kChunk)
    blank += write_outputs(arguments.job, outputs_of(arguments.job, y, y1, tile_x), weights, true);
  return blank;
}

__global__ void __launch_bounds__(kThreads, 2)
    k_convolve_separable(const __grid_constant__ SeparableArguments arguments) {
  extern __shared__ float4 march_memory[];
  const ConvolveJob& job = arguments.job;
  const Layout layout = layout_of(arguments.ky, arguments.kx);
  auto* stage = reinterpret_cast<float*>(march_memory);
  float* ring = stage + kFill * layout.stage_pitch;
  const std::int64_t tile_x = blockIdx.x % arguments.strips * kTileX;
  const std::int64_t y0 = job.y0 + blockIdx.x / arguments.strips * arguments.segment;
  const std::int64_t y1 = min(static_cast<long long>(y0 + arguments.segment), static_cast<long long>(job.y0 + job.ny));
  bool any_blank = false;
  unsigned blank = 0;
  for (int pass = 0; pass < (job.interpolate ? 2 : 1); ++pass) {
    if (pass == 1 && !any_blank) {
      blank = finish_full(arguments, y0, y1, tile_x);
    } else {
      blank = march(arguments, layout, stage, ring, y0, y1, tile_x, pass == 1, any_blank);
    }
  }
  count_warp(blank, job.blank);
}

class SeparableConvolver final : public Convolver {
 public:
  SeparableConvolver(const Context& context, Shape kernel, const std::vector<float>& column,
                     const std::vector<float>& row)
      : kernel_(kernel), multiprocessors_(context.device().multiprocessors) {
    arguments_.ky = static_cast<int>(kernel.ny);
    arguments_.kx = static_cast<int>(kernel.nx);
    std::copy(column.begin(), column.end(), arguments_.column);
    std::copy(row.begin(), row.end(), arguments_.row);
    float along_x = 0, full = 0;
    for (const float weight : row) along_x = std::fma(weight, 1.0f, along_x);
    for (const float weight : column) full = std::fma(weight, along_x, full);
    arguments_.full_weight = full;
    // The limit belongs to the kernel, which all plans share: the card's own is right for each of them.
    check(cudaFuncSetAttribute(k_convolve_separable, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(context.device().shared_bytes)),
          "cudaFuncSetAttribute");
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks_per_sm_, k_convolve_separable, kThreads,
                                                        static_cast<std::size_t>(shared_bytes(kernel))),
          "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
  }

  void run(cudaStream_t stream, const ConvolveJob& job) const override {
    SeparableArguments arguments = arguments_;
    arguments.job = job;
    arguments.strips = (job.in.nx + kTileX - 1) / kTileX;
    arguments.segment = segment_rows(arguments.strips, job.ny);
    const std::int64_t blocks = arguments.strips * ((job.ny + arguments.segment - 1) / arguments.segment);
    k_convolve_separable<<<static_cast<unsigned>(blocks), kThreads, static_cast<std::size_t>(shared_bytes(kernel_)),
                           stream>>>(arguments);
    check_launch("k_convolve_separable", stream);
  }

  [[nodiscard]] std::string description() const override {
    return "separable, rows and columns in one kernel, " + std::to_string(kernel_.nx) + " and " +
           std::to_string(kernel_.ny) + " taps";
  }

 private:
  /// Rows of a segment: long ones repeat fewer rows along x, short ones fill the card's multiprocessors.
  [[nodiscard]] std::int64_t segment_rows(std::int64_t strips, std::int64_t ny) const {
    const std::int64_t at_once = std::int64_t{multiprocessors_} * std::max(blocks_per_sm_, 1);
    const double row_cost = static_cast<double>(kernel_.nx) + 16;
    const double column_cost = static_cast<double>(kernel_.ny) + 16;
    std::int64_t best = kChunk;
    double best_cost = 0;
    for (std::int64_t rows = kChunk; rows <= 2048; rows += kChunk) {
      const std::int64_t waves = (strips * ((ny + rows - 1) / rows) + at_once - 1) / at_once;
      const double cost = static_cast<double>(waves) * ((static_cast<double>(rows + kernel_.ny - 1)) * row_cost +
                                                        static_cast<double>(rows) * column_cost);
      if (rows == kChunk || cost < best_cost) {
        best = rows;
        best_cost = cost;
      }
      if (rows >= ny) break;
    }
    return best;
  }

  Shape kernel_;
  int multiprocessors_;
  int blocks_per_sm_ = 1;
  SeparableArguments arguments_{};
};

}  // namespace

ConvolutionQuote quote_separable(const Context& context, const ConvolutionSpec& spec, Shape shape) {
  const Shape kernel = spec.kernel.shape;
  ConvolutionQuote quote;
  quote.algorithm = Algorithm::separable;
  if (!spec.kernel.separable()) {
    quote.reason = "the kernel is not the product of a column and a row";
    return quote;
  }
  const std::string taps = std::to_string(kernel.nx) + " and " + std::to_string(kernel.ny) + " taps";
  quote.possible = true;
  const bool fused = separable_is_fused(context, kernel);
  // 70 % of the peak rate of multiply-adds, 80 % of memory's; unfused, each tap is read through the L1 cache.
  const double pixels = static_cast<double>(shape.count());
  const double work = pixels * static_cast<double>(kernel.nx + kernel.ny + 8);
  const double memory_ms = pixels * 8 / (0.8 * context.device().memory_bytes_per_ms);
  const double fma_ms = work / ((fused ? 0.7 : 0.08) * context.device().fma_per_ms);
  quote.cost_ms = 0.005 + std::max(memory_ms, fma_ms) + 0.3 * std::min(memory_ms, fma_ms);
  if (!fused)
    quote.workspace_bytes = (shape.ny + kernel.ny) * pitch_of(shape.nx) * static_cast<std::int64_t>(sizeof(float));
  quote.reason = taps + (fused ? ", rows and columns in one kernel" : ", too many for shared memory: two kernels");
  return quote;
}

std::unique_ptr<Convolver> make_separable(Context& context, const ConvolutionSpec& spec, Shape) {
  const std::vector<float> column = float_weights(spec.kernel.column), row = float_weights(spec.kernel.row);
  if (!separable_is_fused(context, spec.kernel.shape)) return make_separable_two_pass(context, column, row);
  return std::make_unique<SeparableConvolver>(context, spec.kernel.shape, column, row);
}

bool separable_is_fused(const Context& context, Shape kernel) {
  return kernel.ny <= kMaxTaps && kernel.nx <= kMaxTaps && shared_bytes(kernel) <= context.device().shared_bytes;
}

}  // namespace reber::cuda
