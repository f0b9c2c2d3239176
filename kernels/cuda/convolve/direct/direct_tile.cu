// SPDX-License-Identifier: BSD-3-Clause
// Direct convolution of images without blank pixels with kernels of 11 to 31 pixels: a tile and its halo in shared
// memory, 4 x 8 outputs in each thread's registers, loops over a kernel row unrolled. The same fused multiply-adds in
// the same order as direct.cu.
#include <cuda_runtime.h>

#include <algorithm>
#include <vector>

#include "kernels/cuda/convolve/common/reached_part.hpp"
#include "kernels/cuda/convolve/direct/direct.hpp"
#include "kernels/cuda/convolve/direct/direct_tile.hpp"
#include "kernels/cuda/convolve/march/staging.hpp"
#include "kernels/cuda/device/shared_memory.hpp"

namespace reber::cuda {
namespace {

constexpr int up4(int n) { return (n + 3) / 4 * 4; }

// 32 lanes x 8 columns and 8 warps x 4 rows, as in direct.cu. H200, 16384 x 16384: 15 x 15 takes 2.36 ms with three
// blocks per multiprocessor; 31 x 31 has registers for two: 9.41. 2, 6 or 8 rows per thread were slower.
template <int Side>
struct Tile {
  static constexpr int lanes = 32, warps = 8, columns = 8, rows = 4, threads = lanes * warps;
  static constexpr int blocks = Side <= 15 ? 3 : 2;
  /// Kernel rows in one stretch of code: with two, most weights serve both. With three, or two from 17 x 17 on, the
  /// code outgrows the instruction cache.
  static constexpr int together = Side <= 15 ? 2 : 1;
  static constexpr bool apart = Side > 15;  ///< each kernel row has a sum of its own: sums_rows_apart
  static constexpr int across = lanes * columns, down = warps * rows, halo = up4(Side / 2);
  static constexpr int pitch = across + 2 * halo, held_rows = down + Side - 1;
  static constexpr int weight_pitch = up4(Side), weights = Side * weight_pitch;
  /// Weights come from the kernel's parameters through uniform registers, which spares the register file's two banks a
  /// third operand; else from shared memory: larger kernels miss the constant cache.
  static constexpr bool uniform = Side <= 15;
  static constexpr int bytes = ((uniform ? 0 : weights) + held_rows * pitch) * static_cast<int>(sizeof(float));
};

template <int Side>
struct TileWeights {
  float taps[Tile<Side>::weights] = {};
};

/// Where a group of four columns stands in its row: lanes read every other group, so that every second eight of them
/// stand the other way round to use all banks.
__device__ __forceinline__ int place(int group) { return (group ^ ((group >> 3) & 1)) * 4; }

/// Starts the copies of the tile whose first row and column are y and x0.
template <class T>
__device__ __forceinline__ void stage_tile(const ConvolveJob& job, int y, int x0, float* pixels) {
  constexpr int kGroups = T::pitch / 4, kMain = T::across / 4, kRest = kGroups - kMain, kStep = T::threads / kMain;
  const int held = y - static_cast<int>(job.in.first), nx = static_cast<int>(job.in.nx);
  if (held >= 0 && held + T::held_rows <= static_cast<int>(job.in.rows) && x0 >= 0 && x0 + T::pitch <= nx) {
    const float* top = job.in.pixels + held * job.in.pitch + x0;
    const int group = threadIdx.x % kMain, first = threadIdx.x / kMain;
    const float* from = top + first * job.in.pitch + group * 4;
    float* to = pixels + first * T::pitch + place(group);
#pragma unroll 4
    for (int r = first; r < T::held_rows; r += kStep) {
      copy16(to, from);
      from += kStep * job.in.pitch;
      to += kStep * T::pitch;
    }
#pragma unroll 2
    for (int i = threadIdx.x; i < T::held_rows * kRest; i += T::threads) {
      const int r = i / kRest, other = kMain + i % kRest;
      copy16(pixels + r * T::pitch + place(other), top + r * job.in.pitch + other * 4);
    }
    return;
  }
#pragma unroll 1
  for (int i = threadIdx.x; i < T::held_rows * kGroups; i += T::threads) {
    const int r = i / kGroups, group = i % kGroups, x = x0 + group * 4;
    const float* row = held_row(job.in, y + r, job.boundary);
    float* to = pixels + r * T::pitch + place(group);
    if (row != nullptr && x >= 0 && x + 4 <= nx) {
      copy16(to, row + x);
    } else {
      copy_edge(job, row, x, to);
    }
  }
}

/// Adds a row of pixels under one kernel row to eight neighbouring outputs.
template <int Side, int Count>
__device__ __forceinline__ void add_row(const float* weights, const float (&window)[Count], float (&sums)[8]) {
  constexpr int kHalo = up4(Side / 2);
  constexpr bool kApart = Tile<Side>::apart;
  float sum[8] = {0, 0, 0, 0, 0, 0, 0, 0};
#pragma unroll
  for (int q = 0; q < 8; ++q) {
    if (!kApart) sum[q] = sums[q];
  }
#pragma unroll
  for (int j = 0; j < Side; j += 4) {
    float taps[4];
    if constexpr (Tile<Side>::uniform) {
#pragma unroll
      for (int t = 0; t < 4; ++t) taps[t] = weights[j + t];
    } else {
      const float4 four = *reinterpret_cast<const float4*>(weights + j);
      taps[0] = four.x, taps[1] = four.y, taps[2] = four.z, taps[3] = four.w;
    }
#pragma unroll
    for (int t = 0; t < 4 && j + t < Side; ++t) {
#pragma unroll
      for (int q = 0; q < 8; ++q) sum[q] = fmaf(taps[t], window[kHalo + q + Side / 2 - j - t], sum[q]);
    }
  }
#pragma unroll
  for (int q = 0; q < 8; ++q) sums[q] = kApart ? sums[q] + sum[q] : sum[q];
}

/// Reads a row of the tile for a thread's outputs and goes one row up.
template <int Side, int Groups>
__device__ __forceinline__ void read_row(const float* (&at)[Groups], float (&window)[4 * Groups]) {
#pragma unroll
  for (int k = Groups - 1; k >= 0; --k) {
    const float4 four = *reinterpret_cast<const float4*>(at[k]);
    window[4 * k] = four.x, window[4 * k + 1] = four.y, window[4 * k + 2] = four.z, window[4 * k + 3] = four.w;
    at[k] -= Tile<Side>::pitch;
  }
}

/// Rows of the tile are read from the bottom up, which is kernel rows ascending for each output. Most rows of the tile
/// lie under the kernel for all four rows of outputs: those are one stretch of code, so that the next kernel row's
/// weights are read while this one's are used.
template <int Side>
__device__ __forceinline__ void accumulate(const float* weights, const float* pixels, float (&sums)[4][8]) {
  using T = Tile<Side>;
  constexpr int kGroups = (T::columns + 2 * T::halo) / 4;
  const int lane = threadIdx.x & 31, warp = this_warp();
  const float* at[kGroups];
#pragma unroll
  for (int k = 0; k < kGroups; ++k)
    at[k] = pixels + (warp * T::rows + T::rows - 1 + Side - 1) * T::pitch + place(lane * 2 + k);
  weights -= (T::rows - 1) * T::weight_pitch;  // of the kernel row above the first output row's
  const auto some_outputs = [&](int first, int last) {
#pragma unroll 1
    for (int step = first; step < last; ++step, weights += T::weight_pitch) {
      float window[4 * kGroups];
      read_row<Side>(at, window);
#pragma unroll
      for (int o = 0; o < T::rows; ++o) {
        const int row = step - (T::rows - 1) + o;
        if (row >= 0 && row < Side) add_row<Side>(weights + o * T::weight_pitch, window, sums[o]);
      }
    }
  };
  some_outputs(0, T::rows - 1);
#pragma unroll T::together
  for (int step = T::rows - 1; step < Side; ++step, weights += T::weight_pitch) {
    float window[4 * kGroups];
    read_row<Side>(at, window);
#pragma unroll
    for (int o = 0; o < T::rows; ++o) add_row<Side>(weights + o * T::weight_pitch, window, sums[o]);
  }
  some_outputs(Side, T::rows + Side - 1);
}

template <int Side>
__global__ void __launch_bounds__(Tile<Side>::threads, Tile<Side>::blocks)
    k_convolve_tile(const __grid_constant__ ConvolveJob job, const __grid_constant__ TileWeights<Side> all_weights,
                    unsigned tiles_x) {
  using T = Tile<Side>;
  extern __shared__ float4 tile_memory[];
  auto* memory = reinterpret_cast<float*>(tile_memory);
  const float* weights = T::uniform ? all_weights.taps : memory;
  float* pixels = memory + (T::uniform ? 0 : T::weights);
  const int out_y = static_cast<int>(blockIdx.x / tiles_x) * T::down;
  const int tile_x = static_cast<int>(blockIdx.x % tiles_x) * T::across;
  stage_tile<T>(job, static_cast<int>(job.y0) + out_y - Side / 2, tile_x - T::halo, pixels);
  close_copies();
  if constexpr (!T::uniform)
    for (int i = threadIdx.x; i < T::weights; i += T::threads) memory[i] = all_weights.taps[i];
  wait_copies<0>();
  __syncthreads();  // the tile and the weights are there
  float sums[T::rows][T::columns] = {};
  accumulate<Side>(weights, pixels, sums);
  const int y = out_y + static_cast<int>(threadIdx.x >> 5) * T::rows;
  const int x = tile_x + static_cast<int>(threadIdx.x & 31) * T::columns;
  const int rows = static_cast<int>(job.ny) - y, columns = static_cast<int>(job.in.nx) - x;
  unsigned blank = 0;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    float values[T::rows][4];
#pragma unroll
    for (int o = 0; o < T::rows; ++o) {
#pragma unroll
      for (int q = 0; q < 4; ++q) values[o][q] = sums[o][4 * half + q];
    }
    // Rows go down the image here.
    blank +=
        store_rows(job.out + y * job.out_pitch + x + 4 * half, -job.out_pitch, 0, rows, columns - 4 * half, values);
  }
  count_warp(blank, job.blank);
}

// ---- host

template <int Side>
class TileConvolver final : public Convolver {
 public:
  TileConvolver(Shape kernel, const std::vector<float>& weights) : kernel_(kernel) {
    // The centre stays where it is; the zeros around the kernel change no sum of finite pixels.
    const std::int64_t down = Side / 2 - kernel.ny / 2, right = Side / 2 - kernel.nx / 2;
    for (std::int64_t i = 0; i < kernel.ny; ++i)
      for (std::int64_t j = 0; j < kernel.nx; ++j)
        weights_.taps[(i + down) * Tile<Side>::weight_pitch + j + right] =
            weights[static_cast<std::size_t>(i * kernel.nx + j)];
    allow_shared(k_convolve_tile<Side>, Tile<Side>::bytes);
  }

  void run(cudaStream_t stream, const ConvolveJob& job) const override {
    using T = Tile<Side>;
    const std::int64_t tiles_x = (job.in.nx + T::across - 1) / T::across;
    const std::int64_t tiles = tiles_x * ((job.ny + T::down - 1) / T::down);
    k_convolve_tile<Side>
        <<<static_cast<unsigned>(tiles), T::threads, T::bytes, stream>>>(job, weights_, static_cast<unsigned>(tiles_x));
    check_launch("k_convolve_tile", stream);
  }

  [[nodiscard]] std::string description() const override {
    return "direct, " + std::to_string(kernel_.nx) + " x " + std::to_string(kernel_.ny) +
           " weights, tiles of 256 x 32 pixels, made for " + std::to_string(Side);
  }

 private:
  Shape kernel_;
  TileWeights<Side> weights_{};
};

template <int Side, int... Larger>
std::unique_ptr<Convolver> make_side(int side, Shape kernel, const std::vector<float>& weights) {
  if constexpr (sizeof...(Larger) > 0) {
    if (side > Side) return make_side<Larger...>(side, kernel, weights);
  }
  return std::make_unique<TileConvolver<Side>>(kernel, weights);
}

/// What `auto` goes by, measured on an H200 at 16384 x 16384 (bench/notes/direct_and_separable.md).
constexpr ReachedPart kReached[] = {{11, 0.68}, {13, 0.72}, {15, 0.75}, {21, 0.77}, {31, 0.82}};

}  // namespace

VariantQuote quote_direct_tile(const DeviceInfo& device, const ConvolutionSpec& spec, Shape image) {
  const Shape kernel = spec.kernel.shape;
  const std::int64_t side = std::max(kernel.ny, kernel.nx) | 1;
  VariantQuote quote;
  // Square ones and those that zeros make square at less than a fifth of the work again: what the run-time loops cost.
  if (side < 11 || side > 31 || 5 * side * side > 6 * kernel.count() + 5 * side ||
      sums_rows_apart(kernel) != (side > 15)) {
    quote.reason = std::to_string(kernel.nx) + " x " + std::to_string(kernel.ny) +
                   " weights; tiles take kernels of 11 to 31 pixels that are square or nearly so";
    return quote;
  }
  if (device.shared_bytes < Tile<31>::bytes) {
    quote.reason = "tiles need " + std::to_string(Tile<31>::bytes) + " bytes of shared memory; the device has " +
                   std::to_string(device.shared_bytes);
    return quote;
  }
  const auto wide = static_cast<double>(side);
  return direct_quote(device, kernel, image, wide * wide, part_reached(kReached, wide));
}

std::unique_ptr<Convolver> make_direct_tile(Context&, const ConvolutionSpec& spec, Shape) {
  const Shape kernel = spec.kernel.shape;
  const auto side = static_cast<int>(std::max(kernel.ny, kernel.nx) | 1);
  return make_side<11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31>(side, kernel, float_weights(spec.kernel.weights));
}

}  // namespace reber::cuda
