// SPDX-License-Identifier: BSD-3-Clause
// Direct convolution with small kernels of images without blank pixels: each block marches up a strip of columns, rows
// come through shared memory, and each thread keeps the outputs it works on, four columns wide, in registers. The same
// fused multiply-adds in the same order as direct.cu.
#include <cuda_runtime.h>

#include <algorithm>
#include <vector>

#include "kernels/cuda/convolve/common/reached_part.hpp"
#include "kernels/cuda/convolve/direct/direct.hpp"
#include "kernels/cuda/convolve/direct/direct_march.hpp"
#include "kernels/cuda/convolve/march/block_rows.cuh"
#include "kernels/cuda/convolve/march/march_convolver.cuh"

namespace reber::cuda {
namespace {

constexpr int up4(int n) { return (n + 3) / 4 * 4; }

template <int Side>
struct alignas(16) MarchWeights {
  float taps[up4(Side * Side)] = {};
};

/// One way to run a kernel size. Threads: four columns each. Together: rows that one reading of the weights serves.
/// Batch: rows that are copied at a time, in Stages buffers. Blocks: a multiprocessor. Uniform, where multiply-adds
/// matter: weights come from the kernel's parameters through uniform registers, which spares the register file's two
/// banks a third operand, and rows by the copy engine; else weights from shared memory, which is quicker elsewhere.
template <int Side, int Threads, int Together, int Batch, int Stages, int Blocks, bool Uniform = false>
struct March {
  static constexpr int side = Side, threads = Threads, together = Together, batch = Batch, stages = Stages;
  static constexpr bool uniform = Uniform;
  static constexpr int blocks = Blocks, halo = up4(Side / 2), strip = 4 * Threads, width = strip + 2 * halo;
  static constexpr int weights = Uniform ? 0 : up4(Side * Side), stage = Batch * width;
  static constexpr int bytes = (weights + Stages * stage) * static_cast<int>(sizeof(float));
  // Gives four marches at 3 x 3 and one at 9 x 9, which is what H200 likes best.
  static constexpr MarchShape shape{strip, Side - 1, Batch, Uniform ? 0.02 : 0.15, Uniform};
  using Feed = BlockRows<Uniform, Stages, Batch, width, width, Threads, Threads>;
};

// The best of some 50 on an H200, 16384 x 16384 (bench/notes/direct_and_separable.md): 0.58, 0.59, 0.63 and 0.83 ms;
// the copy alone takes 0.51.
template <int Side>
struct MarchPolicy;
template <>
struct MarchPolicy<3> : March<3, 256, 2, 4, 2, 4> {};
template <>
struct MarchPolicy<5> : March<5, 256, 2, 4, 2, 3> {};
template <>
struct MarchPolicy<7> : March<7, 128, 2, 8, 2, 6> {};
template <>
struct MarchPolicy<9> : March<9, 128, 4, 12, 2, 4, true> {};

/// Reads Count floats, a multiple of four, from a multiple of 16 bytes.
template <int Count>
__device__ __forceinline__ void read_fours(const float* from, float (&values)[Count]) {
#pragma unroll
  for (int i = 0; i < Count; i += 4) {
    const float4 four = *reinterpret_cast<const float4*>(from + i);
    values[i] = four.x, values[i + 1] = four.y, values[i + 2] = four.z, values[i + 3] = four.w;
  }
}

/// Adds Rows rows of the image, read upwards, to the outputs in the making. sums[k]: the output that has had kernel
/// rows 0 to k. Each moves up by Rows; done[k]: the output that is complete with row k.
template <int Side, int Rows>
__device__ __forceinline__ void add_rows(const float* weights, const float* pixels, int pitch,
                                         float (&sums)[Side - 1][4], float (&done)[Rows][4]) {
  constexpr int kHalo = up4(Side / 2);
  float window[Rows][4 + 2 * kHalo];
#pragma unroll
  for (int k = 0; k < Rows; ++k) read_fours(pixels + k * pitch, window[k]);
  float taps[up4(Side * Side)];
  // Downwards, so that sums[i - Rows] has not been overwritten when it becomes sums[i].
#pragma unroll
  for (int i = Side + Rows - 2; i >= 0; --i) {
    const int fresh = i - Rows + 1;  // the kernel row that is read now; those below it still serve
#pragma unroll
    for (int t = 0; t < up4(Side * Side); t += 4) {
      const bool held = fresh < Side - 1 && t + 4 > (fresh + 1) * Side;
      if (fresh < 0 || t + 4 <= fresh * Side || t >= (fresh + 1) * Side || held) continue;
      const float4 four = *reinterpret_cast<const float4*>(weights + t);
      taps[t] = four.x, taps[t + 1] = four.y, taps[t + 2] = four.z, taps[t + 3] = four.w;
    }
    float sum[4] = {0, 0, 0, 0};
#pragma unroll
    for (int q = 0; q < 4; ++q) {
      if (i >= Rows) sum[q] = sums[i - Rows][q];
    }
#pragma unroll
    for (int k = 0; k < Rows; ++k) {
      const int row = fresh + k;
      if (row < 0 || row >= Side) continue;
#pragma unroll
      for (int j = 0; j < Side; ++j) {
#pragma unroll
        for (int q = 0; q < 4; ++q) sum[q] = fmaf(taps[row * Side + j], window[k][kHalo + q + Side / 2 - j], sum[q]);
      }
    }
#pragma unroll
    for (int q = 0; q < 4; ++q) {
      if (i < Side - 1) {
        sums[i][q] = sum[q];
      } else {
        done[Side + Rows - 2 - i][q] = sum[q];
      }
    }
  }
}

/// Marches up one piece.   returns the blank outputs that this thread wrote
template <class Policy>
__device__ __forceinline__ unsigned march(const ConvolveJob& job, const MarchPiece& piece, const float* weights,
                                          typename Policy::Feed& feed) {
  constexpr int kSide = Policy::side, kBatch = Policy::batch, kTogether = Policy::together, kStages = Policy::stages;
  constexpr int kAhead = (kStages - 1) * kBatch;
  const int x0 = piece.strip * Policy::strip, x = x0 + static_cast<int>(threadIdx.x) * 4;
  const int columns = static_cast<int>(job.in.nx) - x;
  const int count = piece.rows + kSide - 1;  // rows of the image
  const int top = static_cast<int>(job.y0) + piece.first + piece.rows - 1 + kSide / 2;
  // Where the output goes that row 0 of the march would complete.
  float* to = job.out + (piece.first + piece.rows + kSide - 2) * job.out_pitch + x;
  float sums[kSide - 1][4] = {};
  unsigned blank = 0;
  int now = 0, next = 0;
#pragma unroll 1
  for (int t = -kAhead; t < count; t += kBatch) {
    if (t >= 0) {
      feed.template wait<kStages - 2>(now);
      __syncthreads();  // this stage is there, the one before it is free
    }
    if (t + kAhead < count) feed.fetch(next, top - t - kAhead, x0 - Policy::halo);
    close_copies();
    next = next + 1 == kStages ? 0 : next + 1;
    if (t < 0) continue;
    const float* pixels = feed.stage(now) + threadIdx.x * 4;
#pragma unroll 1
    for (int r = 0; r < kBatch; r += kTogether, pixels += kTogether * Policy::width) {
      float done[kTogether][4];
      add_rows<kSide, kTogether>(weights, pixels, Policy::width, sums, done);
      blank += store_rows(to, job.out_pitch, t + r - (kSide - 1), piece.rows, columns, done);
      to -= kTogether * job.out_pitch;
    }
    now = now + 1 == kStages ? 0 : now + 1;
  }
  __syncthreads();  // the stages are free for the next piece
  return blank;
}

template <class Policy>
__global__ void __launch_bounds__(Policy::threads, Policy::blocks)
    k_convolve_march(const __grid_constant__ ConvolveJob job, const __grid_constant__ MarchGrid grid,
                     const __grid_constant__ MarchWeights<Policy::side> weights) {
  extern __shared__ float4 march_memory[];
  __shared__ std::uint64_t barriers[Policy::stages];
  auto* memory = reinterpret_cast<float*>(march_memory);
  const float* taps = Policy::uniform ? weights.taps : memory;
  for (int i = threadIdx.x; i < Policy::weights; i += Policy::threads) memory[i] = weights.taps[i];
  typename Policy::Feed feed(job, memory + Policy::weights, barriers);
  unsigned blank = 0;  // the first barrier of a march covers the weights
  for_each_piece(grid, job.ny, [&](const MarchPiece& piece) { blank += march<Policy>(job, piece, taps, feed); });
  count_warp(blank, job.blank);
}

// ---- host

template <int Side>
std::unique_ptr<Convolver> make_march(const Context& context, Shape kernel, const std::vector<float>& weights) {
  using Policy = MarchPolicy<Side>;
  // The centre stays where it is; the zeros around the kernel change no sum of finite pixels.
  const std::int64_t down = Side / 2 - kernel.ny / 2, right = Side / 2 - kernel.nx / 2;
  MarchWeights<Side> padded;
  for (std::int64_t i = 0; i < kernel.ny; ++i)
    for (std::int64_t j = 0; j < kernel.nx; ++j)
      padded.taps[(i + down) * Side + j + right] = weights[static_cast<std::size_t>(i * kernel.nx + j)];
  return std::make_unique<MarchConvolver<Policy, MarchWeights<Side>>>(
      context, "k_convolve_march", k_convolve_march<Policy>, padded,
      "direct, " + std::to_string(kernel.nx) + " x " + std::to_string(kernel.ny) + " weights, strips of " +
          std::to_string(Policy::strip) + " columns (tiles where pixels are blank)");
}

/// What `auto` goes by, measured on an H200 at 16384 x 16384 (bench/notes/direct_and_separable.md): 3 to 7 pixels are
/// bound by memory.
constexpr ReachedPart kReached[] = {{7, 0.59}, {9, 0.80}};

}  // namespace

VariantQuote quote_direct_march(const DeviceInfo& device, const ConvolutionSpec& spec, Shape image) {
  const Shape kernel = spec.kernel.shape;
  const std::int64_t side = std::max(kernel.ny, kernel.nx) | 1;
  // Square ones and those that zeros make square at less than half the work again.
  if (side < 3 || side > 9 || 2 * side * side > 3 * kernel.count()) {
    VariantQuote quote;
    quote.reason = std::to_string(kernel.nx) + " x " + std::to_string(kernel.ny) +
                   " weights; marches take kernels of 3 to 9 pixels that are square or nearly so";
    return quote;
  }
  const auto wide = static_cast<double>(side);
  return direct_quote(device, kernel, image, wide * wide, part_reached(kReached, wide));
}

std::unique_ptr<Convolver> make_direct_march(Context& context, const ConvolutionSpec& spec, Shape) {
  const Shape kernel = spec.kernel.shape;
  const std::vector<float> weights = float_weights(spec.kernel.weights);
  switch (std::max(kernel.ny, kernel.nx) | 1) {
    case 3:
      return make_march<3>(context, kernel, weights);
    case 5:
      return make_march<5>(context, kernel, weights);
    case 7:
      return make_march<7>(context, kernel, weights);
    default:
      return make_march<9>(context, kernel, weights);
  }
}

}  // namespace reber::cuda
