// SPDX-License-Identifier: BSD-3-Clause
// Separable convolution: rows into a ring in shared memory, columns out of it, so that the image is read and written
// once. Answers kernels/cpu/separable.cpp: along x first, then along y, taps ascending.
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>

#include "core/base/error.hpp"
#include "kernels/cuda/convolve.hpp"
#include "kernels/cuda/reached_part.hpp"

namespace reber::cuda {
namespace {

// A block owns 128 columns and marches down a segment of rows. Along x a thread makes 8 neighbouring outputs, along y 8
// rows of 2 columns: 4 taps then cost 1 (4) reads of 16 (8) bytes of pixels and one of weights for 32 (64)
// multiply-adds.
constexpr int kThreads = 256;
constexpr int kTileX = 128;
constexpr int kChunk = 32;  ///< output rows between two barriers
constexpr int kFill = 16;   ///< rows that are filtered along x at once
constexpr int kTaps = 4;    ///< taps taken together
constexpr int kMaxTaps = 512;

__host__ __device__ constexpr int up_to(int n, int multiple) { return (n + multiple - 1) / multiple * multiple; }
/// Place of column c in a staged row: 4 floats of padding after each 32 keep 16-byte reads 8 columns apart in
/// different banks.
__host__ __device__ constexpr int padded(int c) { return c + ((c >> 5) << 2); }

/// Shared memory: weights of both axes, kFill staged rows of input, then the ring of filtered rows. Taps are padded
/// with zeros to multiples of four: 0 x a finite pixel changes no sum; those in front of the row's put the pixels of
/// its tap groups on multiples of four columns.
struct Layout {
  int row_front, row_taps, column_taps;
  int before;  ///< columns staged left of the first output, a multiple of 4
  int tap0;    ///< staged column that the first padded tap of output 0 reads; 3 modulo 4
  int groups;  ///< columns staged / 4
  int stage_pitch;
  int ring_rows;   ///< a multiple of 16
  int ring_front;  ///< filtered row f is ring row (f + ring_front) modulo ring_rows
};

__host__ __device__ constexpr Layout layout_of(int ky, int kx) {
  Layout layout{};
  layout.row_front = (3 - kx / 2) & 3;
  layout.row_taps = up_to(layout.row_front + kx, kTaps);
  layout.column_taps = up_to(ky, kTaps);
  const int reach = kx / 2 + layout.row_front;  // columns right of the output that tap 0 reads
  layout.before = up_to(layout.row_taps - 1 - reach, 4);
  layout.tap0 = layout.before + reach;
  layout.groups = (layout.tap0 + kTileX + 1) / 4;
  layout.stage_pitch = up_to(padded(layout.groups * 4), 4);
  layout.ring_rows = kChunk + up_to(ky - 1, kFill);
  layout.ring_front = (4 - ky) & 3;
  return layout;
}

std::int64_t shared_bytes(Shape kernel) {
  const Layout layout = layout_of(static_cast<int>(kernel.ny), static_cast<int>(kernel.nx));
  return (layout.row_taps + layout.column_taps + std::int64_t{kFill} * layout.stage_pitch +
          std::int64_t{layout.ring_rows} * kTileX) *
         static_cast<std::int64_t>(sizeof(float));
}

struct SeparableArguments {
  ConvolveJob job;
  const float* weights = nullptr;  ///< padded taps of the row, then of the column
  int ky = 0, kx = 0;
  float full_weight = 0;
  std::int64_t strips = 0, segment = 0;  ///< strips of 128 columns; rows of a segment, a multiple of kChunk
};

/// The parts of a block's shared memory.
struct BlockMemory {
  float *row_weights, *column_weights, *stage, *ring;
};

__device__ BlockMemory block_memory(float* memory, const Layout& layout) {
  float* column = memory + layout.row_taps;
  float* stage = column + layout.column_taps;
  return {memory, column, stage, stage + kFill * layout.stage_pitch};
}

/// Puts one group of four pixels of a staged row; whether one was blank.
__device__ __forceinline__ bool stage_group(const SeparableArguments& arguments, const Layout& layout, float* stage,
                                            std::int64_t y, std::int64_t x0, int r, int group, bool mask) {
  const ConvolveJob& job = arguments.job;
  const float* from = window_row(job.in, y + r, job.boundary);
  float4 value = row_values4(from, x0 + group * 4, job.in.nx, job.boundary);
  bool blank_seen = false;
  if (!job.all_finite) {
    value.x = convolved(value.x, mask, blank_seen);
    value.y = convolved(value.y, mask, blank_seen);
    value.z = convolved(value.z, mask, blank_seen);
    value.w = convolved(value.w, mask, blank_seen);
  }
  *reinterpret_cast<float4*>(stage + r * layout.stage_pitch + padded(group * 4)) = value;
  return blank_seen;
}

/// Puts kFill rows from image row y on into the stage; whether a blank pixel was met.
__device__ __forceinline__ bool load_stage(const SeparableArguments& arguments, const Layout& layout, float* stage,
                                           std::int64_t y, std::int64_t tile_x, bool mask) {
  const std::int64_t x0 = tile_x - layout.before;
  bool blank_seen = false;
  // A warp takes 32 groups of two rows; what is left of each row goes to 16 threads a row.
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
#pragma unroll
  for (int r = 0; r < kFill; r += kThreads / 32)
    blank_seen |= stage_group(arguments, layout, stage, y, x0, warp + r, lane, mask);
  for (int group = 32 + threadIdx.x % 16; group < layout.groups; group += kThreads / kFill)
    blank_seen |= stage_group(arguments, layout, stage, y, x0, threadIdx.x / 16, group, mask);
  return blank_seen;
}

__device__ __forceinline__ void read4(const float* from, float (&values)[4]) {
  const float4 four = *reinterpret_cast<const float4*>(from);
  values[0] = four.x, values[1] = four.y, values[2] = four.z, values[3] = four.w;
}

/// Filters the staged rows along x into the ring; filled: rows that went before them.
__device__ __forceinline__ void filter_rows(const Layout& layout, const BlockMemory& memory, int filled) {
  const int r = threadIdx.x / 16, c = threadIdx.x % 16 * 8;
  const float* row = memory.stage + r * layout.stage_pitch;
  float sums[8] = {0, 0, 0, 0, 0, 0, 0, 0};
  // Pixels of a tap group: four below the group's first output, the eight of its outputs shifted by three.
  float low[4], middle[4], high[4], weight[4];
  int at = c + layout.tap0 - 3;
  read4(row + padded(at + 4), middle);
  read4(row + padded(at + 8), high);
#pragma unroll 2
  for (int j = 0; j < layout.row_taps; j += kTaps, at -= kTaps) {
    read4(row + padded(at), low);
    read4(memory.row_weights + j, weight);
#pragma unroll
    for (int t = 0; t < kTaps; ++t) {
#pragma unroll
      for (int q = 0; q < 8; ++q) {
        const int place = 3 + q - t;
        const float value = place < 4 ? low[place] : place < 8 ? middle[place - 4] : high[place - 8];
        sums[q] = fmaf(weight[t], value, sums[q]);
      }
    }
#pragma unroll
    for (int q = 0; q < 4; ++q) high[q] = middle[q], middle[q] = low[q];
  }
  const int ring_row = (filled + layout.ring_front + r) % layout.ring_rows;
  auto* out = reinterpret_cast<float4*>(memory.ring + ring_row * kTileX + c);
  out[0] = {sums[0], sums[1], sums[2], sums[3]};
  out[1] = {sums[4], sums[5], sums[6], sums[7]};
}

/// Four rows of the ring that end at row `last`, which is 3 modulo 4.
__device__ __forceinline__ void read4_rows(const float* ring, int last, float2* values) {
#pragma unroll
  for (int q = 0; q < 4; ++q) values[q] = *reinterpret_cast<const float2*>(ring + (last - 3 + q) * kTileX);
}

/// Four neighbouring taps of eight neighbouring rows of outputs; only the first `taps` of them where not All: a row
/// that overflowed must not reach outputs whose kernel does not hold it, not even times zero.
template <bool All>
__device__ __forceinline__ void four_taps_y(const float (&weight)[4], int taps, const float2 (&window)[12],
                                            float2 (&sums)[8]) {
#pragma unroll
  for (int t = 0; t < kTaps; ++t) {
    if (!All && t >= taps) break;
#pragma unroll
    for (int q = 0; q < 8; ++q) {
      const float2 value = window[3 + q - t];
      sums[q].x = fmaf(weight[t], value.x, sums[q].x);
      sums[q].y = fmaf(weight[t], value.y, sums[q].y);
    }
  }
}

/// Filters along y: rows first .. first+7 of the chunk, for two columns.
__device__ __forceinline__ void filter_columns(const Layout& layout, const BlockMemory& memory, int ky, int chunk_row,
                                               float2 (&sums)[8]) {
  const float* columns = memory.ring + threadIdx.x % 64 * 2;
  // Ring row of the first tap of a group for the first of the eight outputs; 3 modulo 4, as ring_front sees to.
  const int rows = layout.ring_rows;
  int at = (chunk_row + static_cast<int>(threadIdx.x / 64) * 8 + ky - 1 + layout.ring_front) % rows;
  float2 window[12];
  float weight[4];
  const int above = at + 4 < rows ? at + 4 : at + 4 - rows;
  read4_rows(columns, above, window + 4);
  read4_rows(columns, above + 4 < rows ? above + 4 : above + 4 - rows, window + 8);
#pragma unroll 2
  for (int i = 0; i < layout.column_taps; i += kTaps) {
    read4_rows(columns, at, window);
    read4(memory.column_weights + i, weight);
    if (i + kTaps <= ky) {
      four_taps_y<true>(weight, kTaps, window, sums);
    } else {
      four_taps_y<false>(weight, ky - i, window, sums);
    }
#pragma unroll
    for (int q = 11; q >= 4; --q) window[q] = window[q - 4];
    at = at >= kTaps ? at - kTaps : at - kTaps + rows;
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
__device__ __forceinline__ unsigned march(const SeparableArguments& arguments, const Layout& layout,
                                          const BlockMemory& memory, std::int64_t y0, std::int64_t y1,
                                          std::int64_t tile_x, bool mask, bool& any_blank) {
  const ConvolveJob& job = arguments.job;
  const std::int64_t top = y0 - (arguments.ky - 1 - arguments.ky / 2);  // image row of filtered row 0
  const int segment = static_cast<int>(y1 - y0);
  int filled = 0;
  unsigned blank = 0;
  for (int chunk = 0; chunk < segment; chunk += kChunk) {
    const int wanted = min(chunk + kChunk, segment) + arguments.ky - 1;
    for (; filled < wanted; filled += kFill) {
      any_blank |= __syncthreads_or(load_stage(arguments, layout, memory.stage, top + filled, tile_x, mask)) != 0;
      filter_rows(layout, memory, filled);
      __syncthreads();  // the stage is free again, the ring's rows are there
    }
    float2 sums[8] = {};
    filter_columns(layout, memory, arguments.ky, chunk, sums);
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

__global__ void __launch_bounds__(kThreads, 3) k_convolve_separable(const SeparableArguments arguments) {
  extern __shared__ float4 march_memory[];
  const ConvolveJob& job = arguments.job;
  const Layout layout = layout_of(arguments.ky, arguments.kx);
  const BlockMemory memory = block_memory(reinterpret_cast<float*>(march_memory), layout);
  for (int i = threadIdx.x; i < layout.row_taps + layout.column_taps; i += kThreads)
    memory.row_weights[i] = arguments.weights[i];
  __syncthreads();
  const std::int64_t tile_x = blockIdx.x % arguments.strips * kTileX;
  const std::int64_t y0 = job.y0 + blockIdx.x / arguments.strips * arguments.segment;
  const std::int64_t y1 = min(static_cast<long long>(y0 + arguments.segment), static_cast<long long>(job.y0 + job.ny));
  bool any_blank = false;
  unsigned blank = 0;
  for (int pass = 0; pass < (job.interpolate ? 2 : 1); ++pass) {
    if (pass == 1 && !any_blank) {
      blank = finish_full(arguments, y0, y1, tile_x);
    } else {
      blank = march(arguments, layout, memory, y0, y1, tile_x, pass == 1, any_blank);
    }
  }
  count_warp(blank, job.blank);
}

class SeparableConvolver final : public Convolver {
 public:
  SeparableConvolver(Context& context, Shape kernel, const std::vector<float>& column, const std::vector<float>& row)
      : kernel_(kernel),
        multiprocessors_(context.device().multiprocessors),
        weights_(upload_vector(context, padded_weights(kernel, column, row), context.stream())) {
    context.wait();
    arguments_.weights = weights_.data();
    arguments_.ky = static_cast<int>(kernel.ny);
    arguments_.kx = static_cast<int>(kernel.nx);
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
  static std::vector<float> padded_weights(Shape kernel, const std::vector<float>& column,
                                           const std::vector<float>& row) {
    const Layout layout = layout_of(static_cast<int>(kernel.ny), static_cast<int>(kernel.nx));
    std::vector<float> all(static_cast<std::size_t>(layout.row_taps + layout.column_taps), 0.0f);
    std::copy(row.begin(), row.end(), all.begin() + layout.row_front);
    std::copy(column.begin(), column.end(), all.begin() + layout.row_taps);
    return all;
  }

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
  DeviceBuffer<float> weights_;
  SeparableArguments arguments_{};
};

// What `auto` goes by, measured on an H200 at 16384 x 16384 (bench/tune.py auto): the parts of memory's and of the
// multiply-adders' peak rates that are reached, by the number of taps. Beyond 129 the outputs leave the registers; two
// passes read each tap through the L1 cache.
constexpr double kMemoryPart = 0.67, kTwoPassPart = 0.08;
constexpr ReachedPart kReached[] = {{9, 0.216},  {17, 0.394}, {25, 0.461},  {33, 0.512},  {49, 0.537},
                                    {65, 0.505}, {97, 0.513}, {129, 0.534}, {145, 0.389}, {257, 0.306}};

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
  const double pixels = static_cast<double>(shape.count()), taps_a_pixel = static_cast<double>(kernel.nx + kernel.ny);
  const double memory_ms = pixels * 8 / (kMemoryPart * context.device().memory_bytes_per_ms);
  const double part = fused ? part_reached(kReached, 0.5 * taps_a_pixel) : kTwoPassPart;
  quote.cost_ms = 0.005 + std::max(memory_ms, pixels * taps_a_pixel / (part * context.device().fma_per_ms));
  if (!fused)
    quote.workspace_bytes = (shape.ny + kernel.ny) * pitch_of(shape.nx) * static_cast<std::int64_t>(sizeof(float));
  quote.reason = taps + (fused ? ", rows and columns in one kernel" : ", too many for shared memory: two kernels");
  return quote;
}

std::unique_ptr<Convolver> make_separable(Context& context, const ConvolutionSpec& spec, Shape) {
  const std::vector<float> column = float_weights(spec.kernel.column), row = float_weights(spec.kernel.row);
  if (!separable_is_fused(context, spec.kernel.shape)) return make_separable_two_pass(context, column, row);
  auto ring = std::make_unique<SeparableConvolver>(context, spec.kernel.shape, column, row);
  if (!separable_marches(context, spec.kernel.shape)) return ring;
  return make_separable_march(context, column, row, std::move(ring));
}

bool separable_is_fused(const Context& context, Shape kernel) {
  return kernel.ny <= kMaxTaps && kernel.nx <= kMaxTaps && shared_bytes(kernel) <= context.device().shared_bytes;
}

}  // namespace reber::cuda
