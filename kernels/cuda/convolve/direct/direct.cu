// SPDX-License-Identifier: BSD-3-Clause
// Direct convolution: a tile and its halo in shared memory, a 4 x 8 patch of outputs in each thread's registers.
// Answers kernels/cpu/convolve/direct.cpp: the same fused multiply-adds in the same order. It serves all kernels and
// blank pixels; images without blank ones have faster ways for square kernels up to 31 pixels (direct_march.cu,
// direct_tile.cu).
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>

#include "core/base/error.hpp"
#include "kernels/cuda/convolve/direct/direct.hpp"
#include "kernels/cuda/convolve/direct/direct_march.hpp"
#include "kernels/cuda/convolve/direct/direct_tile.hpp"
#include "kernels/cuda/convolve/march/staging.hpp"
#include "kernels/cuda/device/shared_memory.hpp"

namespace reber::cuda {
namespace {

// 32 lanes x 8 columns and 8 warps x 4 rows: a tile of 256 x 32 outputs. For four taps a thread reads 16 bytes of
// pixels and 16 of weights for each of its rows, and does 128 fused multiply-adds: the multiply-add pipe is the limit.
// The loop over kernel rows stays a loop: unrolled, its instructions outgrow the instruction cache.
constexpr int kLanes = 32, kWarps = 8, kCols = 8, kRows = 4;
constexpr int kTileX = kLanes * kCols, kTileY = kWarps * kRows;
constexpr int kMaxSide = 63;

__host__ __device__ constexpr int up4(int n) { return (n + 3) / 4 * 4; }

/// Taps of a kernel row, with zeros in front and behind. The zeros in front put the tap groups' pixels on multiples of
/// four columns; 0 x a finite pixel changes no sum.
struct PaddedRow {
  int front, taps;  ///< taps is a multiple of 4 and counts the zeros
};
__host__ __device__ constexpr PaddedRow padded_row(int kx) {
  const int front = (3 - kx / 2) & 3;
  return {front, up4(front + kx)};
}

struct DirectArguments {
  ConvolveJob job;
  const float* weights = nullptr;  ///< [tap group][kernel row][4]: four rows' weights are 64 bytes on end
  int ky = 0, kx = 0;
  float full_weight = 0;  ///< what a window of finite pixels sums to, rounding included
  std::int64_t tiles_x = 0;
};

/// Where columns of the tile lie in shared memory: column s of the tile is image column X - before + s.
struct TileShape {
  int before;  ///< columns left of the first output, a multiple of 4
  int tap0;    ///< column of the tile that the first padded tap of output 0 reads; 3 modulo 4
  int groups;  ///< columns / 4
  int rows;
};

__host__ __device__ constexpr TileShape tile_shape(int ky, int kx) {
  const PaddedRow row = padded_row(kx);
  const int reach = kx / 2 + row.front;  // columns right of the output that tap 0 reads
  const int before = up4(row.taps - 1 - reach);
  return {before, before + reach, (before + reach + kTileX + 1) / 4, kTileY + ky - 1};
}

__host__ __device__ constexpr int weight_count(int ky, int kx) { return ky * padded_row(kx).taps; }

/// Pixels x .. x + 3 of a row (null: none) of which some lie outside the image; out of line, since it is rare and long.
__device__ __noinline__ float4 edge_values(const float* row, int x, int nx, Boundary boundary) {
  float values[4];
#pragma unroll
  for (int q = 0; q < 4; ++q) {
    const int at = row == nullptr ? -1 : rules::boundary_index_as<int>(x + q, nx, boundary);
    values[q] = at < 0 ? outside_value(boundary) : __ldg(row + at);
  }
  return {values[0], values[1], values[2], values[3]};
}

/// Fills the tile; whether a blank pixel was met.
__device__ __forceinline__ bool load_tile(const DirectArguments& arguments, const TileShape& tile, float4* shared,
                                          std::int64_t tile_y, std::int64_t tile_x, bool mask) {
  const ConvolveJob& job = arguments.job;
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, nx = static_cast<int>(job.in.nx);
  const int first_row = static_cast<int>(tile_y) - (arguments.ky - 1 - arguments.ky / 2);
  const int first_column = static_cast<int>(tile_x) - tile.before;
  bool blank_seen = false;
  constexpr int kBatch = 3;  // loads in flight; 3 x 32 groups are a row of 256 columns and its halo
#pragma unroll 1
  for (int row = warp; row < tile.rows; row += kWarps) {
    const float* from = held_row(job.in, first_row + row, job.boundary);
    float4 values[kBatch];
#pragma unroll
    for (int b = 0; b < kBatch; ++b) {
      const int group = lane + b * kLanes, x = first_column + group * 4;
      if (group >= tile.groups) continue;
      if (from != nullptr && x >= 0 && x + 4 <= nx) {
        values[b] = __ldg(reinterpret_cast<const float4*>(from + x));
      } else {
        values[b] = edge_values(from, x, nx, job.boundary);
      }
    }
#pragma unroll
    for (int b = 0; b < kBatch; ++b) {
      const int group = lane + b * kLanes;
      if (group >= tile.groups) continue;
      float4 value = values[b];
      value.x = convolved(value.x, mask, blank_seen);
      value.y = convolved(value.y, mask, blank_seen);
      value.z = convolved(value.z, mask, blank_seen);
      value.w = convolved(value.w, mask, blank_seen);
      shared[row * tile.groups + group] = value;
    }
  }
  return blank_seen;
}

/// Four taps of each of the thread's rows of outputs. The window turns: pixel q, counted from that of the last tap for
/// the first column, stands at q - 4 Phase modulo 12, so that nothing is moved from one group of taps to the next. All:
/// every row of outputs has a row of the kernel here. weights: of kernel row first_i, four a row.
template <bool All, int Phase>
__device__ __forceinline__ void four_taps(const float4* weights, int first_i, int ky, const float (&window)[12],
                                          float (&sums)[kRows][kCols]) {
#pragma unroll
  for (int o = 0; o < kRows; ++o) {
    if (!All && (first_i + o < 0 || first_i + o >= ky)) continue;
    const float4 four = weights[o];
    const float weight[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
    for (int t = 0; t < 4; ++t) {
#pragma unroll
      for (int q = 0; q < kCols; ++q) sums[o][q] = fmaf(weight[t], window[(15 + q - t - 4 * Phase) % 12], sums[o][q]);
    }
  }
}

__device__ __forceinline__ void put4(float4 four, float* to) {
  to[0] = four.x;
  to[1] = four.y;
  to[2] = four.z;
  to[3] = four.w;
}

/// All taps of one row of the tile, whose pixels slide through registers. pixels: where the first tap's group starts.
template <bool All>
__device__ __forceinline__ void one_row(const float4* pixels, const float4* weights, int groups, int first_i, int ky,
                                        float (&sums)[kRows][kCols]) {
  float window[12];
  put4(pixels[1], window + 4);
  put4(pixels[2], window + 8);
#pragma unroll 1
  for (;; weights += 3 * ky, pixels -= 3) {
    put4(pixels[0], window);
    four_taps<All, 0>(weights, first_i, ky, window, sums);
    if (--groups == 0) break;
    put4(pixels[-1], window + 8);
    four_taps<All, 1>(weights + ky, first_i, ky, window, sums);
    if (--groups == 0) break;
    put4(pixels[-2], window + 4);
    four_taps<All, 2>(weights + 2 * ky, first_i, ky, window, sums);
    if (--groups == 0) break;
  }
}

/// Rows of the tile are read from the bottom up, which is kernel rows ascending for each output. Apart: each kernel row
/// has a sum of its own, and those are added.
template <bool Apart>
__device__ __forceinline__ void accumulate(const DirectArguments& arguments, const TileShape& tile,
                                           const float4* shared, const float4* weights, float (&sums)[kRows][kCols]) {
  const int ky = arguments.ky, groups = padded_row(arguments.kx).taps / 4;
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
#pragma unroll
  for (int o = 0; o < kRows; ++o) {
#pragma unroll
    for (int q = 0; q < kCols; ++q) sums[o][q] = 0;
  }
  const float4* pixels =
      shared + (warp * kRows + kRows - 1 + ky - 1) * tile.groups + (lane * kCols + tile.tap0 - 3) / 4;
  for (int step = 0; step < kRows + ky - 1; ++step, pixels -= tile.groups) {
    const int first_i = step - (kRows - 1);
    const bool all = first_i >= 0 && first_i + kRows <= ky;
    if constexpr (Apart) {
      float row[kRows][kCols] = {};
      if (all) {
        one_row<true>(pixels, weights + first_i, groups, first_i, ky, row);
      } else {
        one_row<false>(pixels, weights + first_i, groups, first_i, ky, row);
      }
#pragma unroll
      for (int o = 0; o < kRows; ++o) {
#pragma unroll
        for (int q = 0; q < kCols; ++q) sums[o][q] += row[o][q];
      }
    } else if (all) {
      one_row<true>(pixels, weights + first_i, groups, first_i, ky, sums);
    } else {
      one_row<false>(pixels, weights + first_i, groups, first_i, ky, sums);
    }
  }
}

/// What the values of a thread's patch are.
enum class Patch {
  results,  ///< to be written as they are
  sums,     ///< to be kept in the output until the weights are known
  weights,  ///< of finite pixels: they divide the sums that the output holds
};

/// Writes the thread's patch; the number of blank pixels in it (0 for sums).
__device__ unsigned write_patch(const ConvolveJob& job, std::int64_t tile_y, std::int64_t tile_x,
                                const float (&patch)[kRows][kCols], Patch kind) {
  const std::int64_t x = tile_x + (threadIdx.x & 31) * kCols;
  unsigned blank = 0;
#pragma unroll
  for (int o = 0; o < kRows; ++o) {
    const std::int64_t y = tile_y + (threadIdx.x >> 5) * kRows + o;
    if (y >= job.y0 + job.ny) continue;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      if (x + 4 * half >= job.in.nx) continue;
      // The pitch is a multiple of 4: columns beyond nx fall into the gap between rows.
      auto* to = reinterpret_cast<float4*>(job.out + (y - job.y0) * job.out_pitch + x) + half;
      float values[4] = {patch[o][4 * half], patch[o][4 * half + 1], patch[o][4 * half + 2], patch[o][4 * half + 3]};
      if (kind == Patch::weights) {
        const float4 four = *to;
        const float sums[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
        for (int q = 0; q < 4; ++q)
          values[q] = rules::interpolate_output(sums[q], values[q], job.total, job.min_weight);
      }
      if (kind != Patch::sums) {
#pragma unroll
        for (int q = 0; q < 4; ++q) {
          values[q] = stored_result(values[q]);
          if (x + 4 * half + q < job.in.nx && !isfinite(values[q])) ++blank;
        }
      }
      *to = {values[0], values[1], values[2], values[3]};
    }
  }
  return blank;
}

template <bool Apart>
__global__ void __launch_bounds__(kLanes* kWarps, Apart ? 2 : 3) k_convolve_direct(const DirectArguments arguments) {
  extern __shared__ float4 tile_memory[];
  const ConvolveJob& job = arguments.job;
  const TileShape tile = tile_shape(arguments.ky, arguments.kx);
  const std::int64_t tile_y = job.y0 + blockIdx.x / arguments.tiles_x * kTileY;
  const std::int64_t tile_x = blockIdx.x % arguments.tiles_x * kTileX;
  float4* pixels = tile_memory;
  float4* weights = pixels + tile.rows * tile.groups;
  for (int i = threadIdx.x; i < weight_count(arguments.ky, arguments.kx); i += kLanes * kWarps)
    reinterpret_cast<float*>(weights)[i] = arguments.weights[i];
  const bool blank_seen = load_tile(arguments, tile, pixels, tile_y, tile_x, false);
  const bool any_blank = __syncthreads_or(blank_seen) != 0;
  float patch[kRows][kCols];
  accumulate<Apart>(arguments, tile, pixels, weights, patch);
  if (job.interpolate) {
    (void)write_patch(job, tile_y, tile_x, patch, Patch::sums);
    if (any_blank) {
      // The same sum over the mask of finite pixels.
      __syncthreads();  // the tile is about to be overwritten
      (void)load_tile(arguments, tile, pixels, tile_y, tile_x, true);
      __syncthreads();
      accumulate<Apart>(arguments, tile, pixels, weights, patch);
    } else {
#pragma unroll
      for (int o = 0; o < kRows; ++o) {
#pragma unroll
        for (int q = 0; q < kCols; ++q) patch[o][q] = arguments.full_weight;
      }
    }
  }
  const unsigned blank = write_patch(job, tile_y, tile_x, patch, job.interpolate ? Patch::weights : Patch::results);
  count_warp(blank, job.blank);
}

std::int64_t shared_bytes(Shape kernel) {
  const int ky = static_cast<int>(kernel.ny), kx = static_cast<int>(kernel.nx);
  const TileShape tile = tile_shape(ky, kx);
  return (std::int64_t{tile.rows} * tile.groups * 4 + weight_count(ky, kx)) * static_cast<std::int64_t>(sizeof(float));
}

class DirectConvolver final : public Convolver {
 public:
  DirectConvolver(Context& context, Shape kernel, const std::vector<float>& weights)
      : kernel_(kernel), weights_(upload_vector(context, padded(kernel, weights), context.stream())) {
    context.wait();
    arguments_.weights = weights_.data();
    arguments_.ky = static_cast<int>(kernel.ny);
    arguments_.kx = static_cast<int>(kernel.nx);
    arguments_.full_weight = full_weight(kernel, weights);
    // The limit belongs to the kernel, which all plans share: the card's own is right for each of them.
    allow_shared(kernel_function(), context.device().shared_bytes);
  }

  void run(cudaStream_t stream, const ConvolveJob& job) const override {
    DirectArguments arguments = arguments_;
    arguments.job = job;
    arguments.tiles_x = (job.in.nx + kTileX - 1) / kTileX;
    const std::int64_t tiles = arguments.tiles_x * ((job.ny + kTileY - 1) / kTileY);
    kernel_function()<<<static_cast<unsigned>(tiles), kLanes * kWarps, static_cast<std::size_t>(shared_bytes(kernel_)),
                        stream>>>(arguments);
    check_launch("k_convolve_direct", stream);
  }

  [[nodiscard]] std::string description() const override {
    return "direct, tiles of 256 x 32 pixels, " + std::to_string(kernel_.nx) + " x " + std::to_string(kernel_.ny) +
           " weights";
  }

 private:
  using Function = void (*)(DirectArguments);
  [[nodiscard]] Function kernel_function() const {
    return sums_rows_apart(kernel_) ? k_convolve_direct<true> : k_convolve_direct<false>;
  }

  /// What an image of ones gives, bit for bit.
  static float full_weight(Shape kernel, const std::vector<float>& weights) {
    const bool apart = sums_rows_apart(kernel);
    float all = 0;
    for (std::int64_t i = 0; i < kernel.ny; ++i) {
      float sum = apart ? 0 : all;
      for (std::int64_t j = 0; j < kernel.nx; ++j)
        sum = std::fma(weights[static_cast<std::size_t>(i * kernel.nx + j)], 1.0f, sum);
      all = apart ? all + sum : sum;
    }
    return all;
  }

  static std::vector<float> padded(Shape kernel, const std::vector<float>& weights) {
    const PaddedRow row = padded_row(static_cast<int>(kernel.nx));
    std::vector<float> all(static_cast<std::size_t>(kernel.ny * row.taps), 0.0f);
    for (std::int64_t i = 0; i < kernel.ny; ++i) {
      for (std::int64_t j = 0; j < kernel.nx; ++j) {
        const std::int64_t tap = row.front + j;
        all[static_cast<std::size_t>((tap / 4 * kernel.ny + i) * 4 + tap % 4)] = weights[i * kernel.nx + j];
      }
    }
    return all;
  }

  Shape kernel_;
  DeviceBuffer<float> weights_;
  DirectArguments arguments_{};
};

// What `auto` goes by, measured on an H200 at 16384 x 16384 (bench/notes/direct_and_separable.md): the part of memory's
// peak rate that small kernels copy at, and of the multiply-adders' peak that these loops reach with large kernels.
constexpr double kMemoryPart = 0.75, kLoopsPart = 0.8;
/// Where code is made for the kernel's size, these loops take at least so many times as long.
constexpr double kLoopsSlower = 1.2;

}  // namespace

VariantQuote direct_quote(const DeviceInfo& device, Shape kernel, Shape image, double taps, double part) {
  const double pixels = static_cast<double>(image.count());
  const double memory_ms = pixels * 8 / (kMemoryPart * device.memory_bytes_per_ms);
  const double fma_ms = pixels * taps / (part * device.fma_per_ms);
  VariantQuote quote;
  quote.possible = true;
  quote.cost_ms = 0.005 + std::max(memory_ms, fma_ms);
  quote.reason = std::to_string(kernel.nx) + " x " + std::to_string(kernel.ny) + " weights, " +
                 (fma_ms > memory_ms ? "limited by multiply-adds" : "limited by device memory");
  return quote;
}

VariantQuote quote_direct_plain(const DeviceInfo& device, const ConvolutionSpec& spec, Shape image) {
  const Shape kernel = spec.kernel.shape;
  VariantQuote quote;
  const std::string size = std::to_string(kernel.nx) + " x " + std::to_string(kernel.ny);
  if (kernel.ny > kMaxSide || kernel.nx > kMaxSide) {
    quote.reason = size + " weights; direct convolution on the device takes at most 63 x 63";
    return quote;
  }
  if (shared_bytes(kernel) > device.shared_bytes) {
    quote.reason = "a tile for " + size + " weights needs " + std::to_string(shared_bytes(kernel)) +
                   " bytes of shared memory; the device has " + std::to_string(device.shared_bytes);
    return quote;
  }
  quote = direct_quote(device, kernel, image, weight_count(static_cast<int>(kernel.ny), static_cast<int>(kernel.nx)),
                       kLoopsPart);
  for (const VariantQuote& made_for : {quote_direct_march(device, spec, image), quote_direct_tile(device, spec, image)})
    if (made_for.possible) quote.cost_ms = std::max(quote.cost_ms, kLoopsSlower * made_for.cost_ms);
  return quote;
}

std::unique_ptr<Convolver> make_direct_plain(Context& context, const ConvolutionSpec& spec, Shape) {
  return std::make_unique<DirectConvolver>(context, spec.kernel.shape, float_weights(spec.kernel.weights));
}

}  // namespace reber::cuda
