// SPDX-License-Identifier: BSD-3-Clause
// Direct convolution: a tile and its halo in shared memory, a 4 x 4 patch of outputs in each thread's registers.
// Answers kernels/cpu/direct.cpp: the same fused multiply-adds in the same order.
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>

#include "core/base/error.hpp"
#include "kernels/cuda/convolve.hpp"

namespace reber::cuda {
namespace {

// 32 lanes x 4 columns and 8 warps x 4 rows: a tile of 128 x 32 outputs. A thread that owns 4 x 4 outputs does 16 fused
// multiply-adds for each weight and reads shared memory 16 bytes at a time, so the multiply-add pipe is the limit.
constexpr int kLanes = 32, kWarps = 8, kCols = 4, kRows = 4;
constexpr int kTileX = kLanes * kCols, kTileY = kWarps * kRows;
constexpr int kMaxSide = 63;  // weights travel as a kernel parameter (constant bank), at most 32764 bytes
constexpr int kUnrolledSide = 15;

constexpr int up4(int n) { return (n + 3) / 4 * 4; }

/// Weights row-major, rows `stride` apart. Side 0: any size, known at run time.
template <int Side>
struct Weights {
  static constexpr int kStride = Side > 0 ? Side : up4(kMaxSide);
  static constexpr int kCount = Side > 0 ? Side* Side : kMaxSide* up4(kMaxSide);
};

template <int Side>
struct alignas(16) DirectArguments {
  ConvolveJob job;
  int ky, kx;
  float full_weight;  ///< what a window of finite pixels sums to, rounding included
  std::int64_t tiles_x;
  alignas(16) float weights[Weights<Side>::kCount];
};

/// Where columns of the tile lie in shared memory. Column s of the tile is image column X - before + s.
struct TileShape {
  int before;  ///< columns left of the first output, a multiple of 4 so that loads from memory are aligned
  int shift;   ///< floats put in front of each row, so that the taps' windows of any size are aligned
  int pitch, groups, rows;
};

__host__ __device__ constexpr TileShape tile_shape(int ky, int kx, bool any_size) {
  const int cx = kx / 2, left = kx - 1 - cx;
  const int before = (left + 3) / 4 * 4;
  const int groups = (before + kTileX + cx + 3) / 4;
  const int shift = any_size ? (3 - cx) & 3 : 0;
  return {before, shift, groups * 4 + (any_size ? 8 : 0), groups, kTileY + ky - 1};
}

/// Fills the tile; whether a blank pixel was met.
template <int Side>
__device__ bool load_tile(const DirectArguments<Side>& arguments, const TileShape& tile, float* shared,
                          std::int64_t tile_y, std::int64_t tile_x, bool mask) {
  const ConvolveJob& job = arguments.job;
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  const std::int64_t first_row = tile_y - (arguments.ky - 1 - arguments.ky / 2);
  bool blank_seen = false;
  constexpr int kBatch = 4;  // loads in flight before the first use
  for (int group = lane; group < tile.groups; group += kLanes) {
    const std::int64_t x = tile_x - tile.before + group * 4;
    for (int row = warp; row < tile.rows; row += kWarps * kBatch) {
      float4 values[kBatch];
#pragma unroll
      for (int b = 0; b < kBatch; ++b) {
        if (row + b * kWarps >= tile.rows) continue;
        const float* from = window_row(job.in, first_row + row + b * kWarps, job.boundary);
        values[b] = row_values4(from, x, job.in.nx, job.boundary);
      }
#pragma unroll
      for (int b = 0; b < kBatch; ++b) {
        if (row + b * kWarps >= tile.rows) continue;
        float4 value = values[b];
        value.x = convolved(value.x, mask, blank_seen);
        value.y = convolved(value.y, mask, blank_seen);
        value.z = convolved(value.z, mask, blank_seen);
        value.w = convolved(value.w, mask, blank_seen);
        float* to = shared + (row + b * kWarps) * tile.pitch + tile.shift + group * 4;
        if constexpr (Side > 0) {
          *reinterpret_cast<float4*>(to) = value;
        } else {
          to[0] = value.x;
          to[1] = value.y;
          to[2] = value.z;
          to[3] = value.w;
        }
      }
    }
  }
  return blank_seen;
}

/// Sides known to the compiler: everything unrolled, weights as operands from the constant bank. Rows of the tile are
/// read downwards to upwards, which is kernel rows ascending for each output.
template <int Side>
__device__ __forceinline__ void accumulate(const DirectArguments<Side>& arguments, const TileShape&,
                                           const float* shared, float (&sums)[kRows][kCols]) {
  constexpr TileShape tile = tile_shape(Side, Side, false);
  constexpr int cx = Side / 2;
  constexpr int kGroups = (tile.before + cx + kCols - 1) / 4 + 1;
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  const float* bottom = shared + (warp * kRows + kRows - 1 + Side - 1) * tile.pitch + lane * kCols;
#pragma unroll
  for (int step = 0; step < kRows + Side - 1; ++step) {
    float window[kGroups * 4];
#pragma unroll
    for (int g = 0; g < kGroups; ++g) {
      const float4 four = *reinterpret_cast<const float4*>(bottom - step * tile.pitch + 4 * g);
      window[4 * g] = four.x;
      window[4 * g + 1] = four.y;
      window[4 * g + 2] = four.z;
      window[4 * g + 3] = four.w;
    }
#pragma unroll
    for (int j = 0; j < Side; ++j) {
#pragma unroll
      for (int o = 0; o < kRows; ++o) {
        const int i = o + step - (kRows - 1);
        if (i < 0 || i >= Side) continue;
        const float weight = arguments.weights[i * Side + j];
#pragma unroll
        for (int q = 0; q < kCols; ++q) sums[o][q] = fmaf(weight, window[tile.before + cx - j + q], sums[o][q]);
      }
    }
  }
}

/// Taps [0, Taps) of a group of four at weights[0..3] of each of the thread's rows of outputs.
template <bool All>
__device__ __forceinline__ void four_taps(const float* weights, int first_i, int ky, int taps, const float (&window)[8],
                                          float (&sums)[kRows][kCols]) {
#pragma unroll
  for (int o = 0; o < kRows; ++o) {
    const int i = first_i + o;
    if (!All && (i < 0 || i >= ky)) continue;
    const float4 four = *reinterpret_cast<const float4*>(weights + i * Weights<0>::kStride);
    const float weight[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
    for (int t = 0; t < 4; ++t) {
      if (!All && t >= taps) continue;
#pragma unroll
      for (int q = 0; q < kCols; ++q) sums[o][q] = fmaf(weight[t], window[3 + q - t], sums[o][q]);
    }
  }
}

/// Any size: taps in groups of four along x, whose seven pixels slide through registers.
template <>
__device__ __forceinline__ void accumulate<0>(const DirectArguments<0>& arguments, const TileShape& tile,
                                              const float* shared, float (&sums)[kRows][kCols]) {
  const int ky = arguments.ky, kx = arguments.kx;
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  const int base = lane * kCols + tile.before + tile.shift + kx / 2;  // pixel of tap 0 for the first column
  for (int step = 0; step < kRows + ky - 1; ++step) {
    const float* row = shared + (warp * kRows + kRows - 1 + ky - 1 - step) * tile.pitch;
    const int first_i = step - (kRows - 1);
    const bool inner = first_i >= 0 && first_i + kRows <= ky;
    float4 high = *reinterpret_cast<const float4*>(row + base + 1);
    for (int j = 0; j < kx; j += 4) {
      const float4 low = *reinterpret_cast<const float4*>(row + base - j - 3);
      const float window[8] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
      if (inner && j + 4 <= kx) {
        four_taps<true>(arguments.weights + j, first_i, ky, 4, window, sums);
      } else {
        four_taps<false>(arguments.weights + j, first_i, ky, kx - j, window, sums);
      }
      high = low;
    }
  }
}

/// Writes the thread's patch; the number of blank pixels in it.
template <int Side>
__device__ unsigned write_patch(const DirectArguments<Side>& arguments, std::int64_t tile_y, std::int64_t tile_x,
                                const float (&sums)[kRows][kCols], const float (&weights)[kRows][kCols]) {
  const ConvolveJob& job = arguments.job;
  const std::int64_t x = tile_x + (threadIdx.x & 31) * kCols;
  unsigned blank = 0;
#pragma unroll
  for (int o = 0; o < kRows; ++o) {
    const std::int64_t y = tile_y + (threadIdx.x >> 5) * kRows + o;
    if (y >= job.y0 + job.ny || x >= job.in.nx) continue;
    float values[kCols];
#pragma unroll
    for (int q = 0; q < kCols; ++q) {
      values[q] = job.interpolate ? rules::interpolate_output(sums[o][q], weights[o][q], job.total, job.min_weight)
                                  : sums[o][q];
      values[q] = stored_result(values[q]);
      if (x + q < job.in.nx && !isfinite(values[q])) ++blank;
    }
    // The pitch is a multiple of 4: columns beyond nx fall into the gap between rows.
    *reinterpret_cast<float4*>(job.out + (y - job.y0) * job.out_pitch + x) = {values[0], values[1], values[2],
                                                                              values[3]};
  }
  return blank;
}

template <int Side>
__global__ void __launch_bounds__(kLanes* kWarps, Side == 15 ? 2 : 3)
    k_convolve_direct(const __grid_constant__ DirectArguments<Side> arguments) {
  extern __shared__ float4 tile_memory[];
  auto* shared = reinterpret_cast<float*>(tile_memory);
  const ConvolveJob& job = arguments.job;
  const TileShape tile = tile_shape(Side > 0 ? Side : arguments.ky, Side > 0 ? Side : arguments.kx, Side == 0);
  const std::int64_t tile_y = job.y0 + blockIdx.x / arguments.tiles_x * kTileY;
  const std::int64_t tile_x = blockIdx.x % arguments.tiles_x * kTileX;
  float sums[kRows][kCols], weights[kRows][kCols];
  // Second pass: the same sum over the mask of finite pixels, where the tile holds a blank one.
  for (int pass = 0; pass < 2; ++pass) {
    const bool blank_seen = load_tile(arguments, tile, shared, tile_y, tile_x, pass == 1);
    const bool any_blank = __syncthreads_or(blank_seen) != 0;
#pragma unroll
    for (int o = 0; o < kRows; ++o) {
#pragma unroll
      for (int q = 0; q < kCols; ++q) weights[o][q] = 0;
    }
    accumulate(arguments, tile, shared, weights);
    if (pass == 1) break;
#pragma unroll
    for (int o = 0; o < kRows; ++o) {
#pragma unroll
      for (int q = 0; q < kCols; ++q) {
        sums[o][q] = weights[o][q];
        weights[o][q] = arguments.full_weight;
      }
    }
    if (!job.interpolate || !any_blank) break;
    __syncthreads();  // the tile is about to be overwritten
  }
  count_warp(write_patch(arguments, tile_y, tile_x, sums, weights), job.blank);
}

template <int Side>
std::int64_t shared_bytes(Shape kernel) {
  const TileShape tile = tile_shape(static_cast<int>(kernel.ny), static_cast<int>(kernel.nx), Side == 0);
  return std::int64_t{tile.pitch} * tile.rows * static_cast<std::int64_t>(sizeof(float));
}

template <int Side>
class DirectConvolver final : public Convolver {
 public:
  DirectConvolver(const Context& context, Shape kernel, const std::vector<float>& weights) : kernel_(kernel) {
    arguments_.ky = static_cast<int>(kernel.ny);
    arguments_.kx = static_cast<int>(kernel.nx);
    float full = 0;
    for (std::int64_t i = 0; i < kernel.ny; ++i) {
      for (std::int64_t j = 0; j < kernel.nx; ++j) {
        const float weight = weights[i * kernel.nx + j];
        arguments_.weights[i * Weights<Side>::kStride + j] = weight;
        full = std::fma(weight, 1.0f, full);
      }
    }
    arguments_.full_weight = full;
    // The limit belongs to the kernel, which all plans share: the card's own is right for each of them.
    check(cudaFuncSetAttribute(k_convolve_direct<Side>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(context.device().shared_bytes)),
          "cudaFuncSetAttribute");
  }

  void run(cudaStream_t stream, const ConvolveJob& job) const override {
    DirectArguments<Side> arguments = arguments_;
    arguments.job = job;
    arguments.tiles_x = (job.in.nx + kTileX - 1) / kTileX;
    const std::int64_t tiles = arguments.tiles_x * ((job.ny + kTileY - 1) / kTileY);
    k_convolve_direct<Side><<<static_cast<unsigned>(tiles), kLanes * kWarps,
                              static_cast<std::size_t>(shared_bytes<Side>(kernel_)), stream>>>(arguments);
    check_launch("k_convolve_direct", stream);
  }

  [[nodiscard]] std::string description() const override {
    return "direct, tiles of 128 x 32 pixels, " + std::to_string(kernel_.nx) + " x " + std::to_string(kernel_.ny) +
           (Side > 0 ? " weights unrolled" : " weights in a loop");
  }

 private:
  Shape kernel_;
  DirectArguments<Side> arguments_{};
};

template <int Side>
std::unique_ptr<Convolver> make_sized(const Context& context, Shape kernel, const std::vector<float>& weights) {
  if constexpr (Side > kUnrolledSide) {
    return std::make_unique<DirectConvolver<0>>(context, kernel, weights);
  } else {
    if (kernel.ny == Side && kernel.nx == Side)
      return std::make_unique<DirectConvolver<Side>>(context, kernel, weights);
    return make_sized<Side + 2>(context, kernel, weights);
  }
}

}  // namespace

ConvolutionQuote quote_direct(const Context& context, const ConvolutionSpec& spec, Shape shape) {
  const Shape kernel = spec.kernel.shape;
  ConvolutionQuote quote;
  quote.algorithm = Algorithm::direct;
  const std::string size = std::to_string(kernel.nx) + " x " + std::to_string(kernel.ny);
  if (kernel.ny > kMaxSide || kernel.nx > kMaxSide) {
    quote.reason = size + " weights; direct convolution on the device takes at most 63 x 63";
    return quote;
  }
  if (shared_bytes<0>(kernel) > context.device().shared_bytes) {
    quote.reason = "a tile for " + size + " weights needs " + std::to_string(shared_bytes<0>(kernel)) +
                   " bytes of shared memory; the device has " + std::to_string(context.device().shared_bytes);
    return quote;
  }
  quote.possible = true;
  const bool unrolled = kernel.ny == kernel.nx && kernel.ny % 2 == 1 && kernel.ny <= kUnrolledSide && kernel.ny >= 3;
  // Parts of the peak rates that a tiled kernel reaches: 86 % of memory's (H200: 4.12 of 4.8 TB/s copied);
  // multiply-adds 80 % unrolled, 60 % where weights are read in a loop.
  const double pixels = static_cast<double>(shape.count());
  const double memory_ms = pixels * 8 / (0.86 * context.device().memory_bytes_per_ms);
  const double fma_ms =
      pixels * static_cast<double>(kernel.count()) / ((unrolled ? 0.8 : 0.6) * context.device().fma_per_ms);
  quote.cost_ms = 0.005 + std::max(memory_ms, fma_ms) + 0.15 * std::min(memory_ms, fma_ms);
  quote.reason = size + " weights, " + (fma_ms > memory_ms ? "limited by multiply-adds" : "limited by device memory");
  return quote;
}

std::unique_ptr<Convolver> make_direct(Context& context, const ConvolutionSpec& spec, Shape) {
  return make_sized<3>(context, spec.kernel.shape, float_weights(spec.kernel.weights));
}

}  // namespace reber::cuda
