// SPDX-License-Identifier: BSD-3-Clause
// One block's convolution of two tiles, which travel as the real and the imaginary part of one complex tile: the kernel
// is real, so its spectrum multiplies both and they come apart by themselves.
//
// A tile of NY = A1 A2 rows and NX = B1 B2 columns lies in shared memory once. Every step takes the values of a
// butterfly out of it and puts them back where they were, so spectra stand in digit-reversed order; the kernel's is
// made by the same steps, and nothing is ever reordered. Forward: A1 rows A2 apart (straight from the image), then A2
// neighbouring rows and B1 columns B2 apart together, then B2 neighbouring columns; times the kernel; back likewise.
#pragma once

#include "kernels/cuda/convolve/fft/fft_registers.cuh"
#include "kernels/cuda/convolve/fft/fft_roots.cuh"
#include "kernels/cuda/convolve/fft/fft_tile.hpp"
#include "kernels/cuda/device/shared_memory.hpp"

namespace reber::cuda::fft {

/// Two tiles of a job: where they start in the image and in the output. The second may not exist.
struct TilePair {
  std::int64_t y[2], x[2];  ///< of the output's first pixel, y counted from job.y0
  bool second = false;
};

__device__ inline TilePair tile_pair(const TileArguments& a, int number) {
  TilePair pair;
  const int first = number * 2;
  pair.second = first + 1 < a.tiles;
#pragma unroll
  for (int k = 0; k < 2; ++k) {
    pair.y[k] = static_cast<std::int64_t>((first + k) / a.tiles_x) * a.valid_y;
    pair.x[k] = static_cast<std::int64_t>((first + k) % a.tiles_x) * a.valid_x;
  }
  return pair;
}

template <int A1_, int A2_, int B1_, int B2_, int Threads_, int Blocks_>
struct TileShape {
  static constexpr int A1 = A1_, A2 = A2_, B1 = B1_, B2 = B2_, Threads = Threads_, Blocks = Blocks_;
  static constexpr int NY = A1 * A2, NX = B1 * B2;
  /// Odd, so that lanes on neighbouring rows meet different banks; lanes on neighbouring columns do anyway.
  static constexpr int Pitch = NX + 1;
  static constexpr std::int64_t kBytes = std::int64_t{NY} * Pitch * 8;
  static constexpr int kFirst = A2 * NX, kMiddle = A1 * B2, kLast = NY * B1;  ///< butterflies of each step
  static_assert(NX % 32 == 0 && NY % 32 == 0 && B2 % 16 == 0 && Threads % 32 == 0);
};

__constant__ Roots<64> kRoots64 = make_roots<64>();
__constant__ Roots<128> kRoots128 = make_roots<128>();

template <int N>
__device__ __forceinline__ float2 root(int m) {
  static_assert(N == 64 || N == 128);
  if constexpr (N == 64) return kRoots64.w[m];
  return kRoots128.w[m];
}

/// Whether every input pixel of the tile is one that the window holds.
template <class S>
__device__ inline bool tile_is_inner(const TileArguments& a, const TilePair& pair, int k) {
  const std::int64_t row = a.job.y0 + pair.y[k] - (a.kernel_ny - 1 - a.kernel_ny / 2) - a.job.in.first;
  const std::int64_t x = pair.x[k] - (a.kernel_nx - 1 - a.kernel_nx / 2);
  return row >= 0 && row + S::NY <= a.job.in.rows && x >= 0 && x + S::NX <= a.job.in.nx;
}

__device__ inline const float* inner_start(const TileArguments& a, const TilePair& pair, int k) {
  return a.job.in.pixels +
         (a.job.y0 + pair.y[k] - (a.kernel_ny - 1 - a.kernel_ny / 2) - a.job.in.first) * a.job.in.pitch + pair.x[k] -
         (a.kernel_nx - 1 - a.kernel_nx / 2);
}

/// Fills shared memory with any pair of tiles, a row per warp at a time.
template <class S>
__device__ inline bool gather_any(const TileArguments& a, const TilePair& pair, bool mask, float2* tile) {
  const ConvolveJob& job = a.job;
  const int lane = static_cast<int>(threadIdx.x % 32), warp = static_cast<int>(threadIdx.x / 32);
  bool blank_seen = false;
#pragma unroll 1
  for (int task = warp; task < 2 * S::NY; task += S::Threads / 32) {
    const int k = task % 2, row = task / 2;
    const std::int64_t y = job.y0 + (k == 0 ? pair.y[0] : pair.y[1]) - (a.kernel_ny - 1 - a.kernel_ny / 2) + row;
    const std::int64_t x0 = (k == 0 ? pair.x[0] : pair.x[1]) - (a.kernel_nx - 1 - a.kernel_nx / 2);
    // Pixels that no output of this job needs stay 0.
    const bool needed = (k == 0 || pair.second) && y < job.y0 + job.ny + a.kernel_ny / 2;
    const std::int64_t end = needed ? job.in.nx + a.kernel_nx / 2 : x0;
    const float* from = needed ? window_row(job.in, y, job.boundary) : nullptr;
    float* to = reinterpret_cast<float*>(tile + row * S::Pitch) + k;
    float pixels[S::NX / 32];
#pragma unroll
    for (int c = 0; c < S::NX / 32; ++c) {
      const std::int64_t x = x0 + lane + 32 * c;
      pixels[c] = x < end ? row_value(from, x, job.in.nx, job.boundary) : 0.0f;
    }
#pragma unroll
    for (int c = 0; c < S::NX / 32; ++c) {
      const bool outside = x0 + lane + 32 * c >= end;
      to[2 * (lane + 32 * c)] = outside ? 0.0f : convolved(pixels[c], mask, blank_seen);
    }
  }
  return blank_seen;
}

/// First step forward; `load(row, column)` gives the packed pixels of a butterfly's input in turn.
template <class S, class Load>
__device__ __forceinline__ void first_step(float2* tile, Load load) {
#pragma unroll 1
  for (int b = static_cast<int>(threadIdx.x); b < S::kFirst; b += S::Threads) {
    const int x = b % S::NX, j = b / S::NX;
    float2 v[S::A1];
    load(j, x, v);
    transform<S::A1, false>(v);
#pragma unroll
    for (int k = 0; k < S::A1; ++k)
      tile[(S::A2 * k + j) * S::Pitch + x] = k == 0 ? v[0] : product(v[k], root<S::NY>(j * k));
  }
}

/// Middle step, forward or back: A2 rows that are neighbours, B1 columns B2 apart.
template <class S, bool Inverse>
__device__ __forceinline__ void middle_step(float2* tile) {
#pragma unroll 1
  for (int b = static_cast<int>(threadIdx.x); b < S::kMiddle; b += S::Threads) {
    float2* at = tile + (b / S::B2) * S::A2 * S::Pitch + b % S::B2;
    float2 v[S::A2 * S::B1];
#pragma unroll
    for (int j = 0; j < S::A2; ++j) {
#pragma unroll
      for (int i = 0; i < S::B1; ++i) v[j * S::B1 + i] = at[j * S::Pitch + S::B2 * i];
    }
#pragma unroll
    for (int i = 0; i < S::B1; ++i) transform<S::A2, Inverse, S::B1>(v, i);
#pragma unroll
    for (int j = 0; j < S::A2; ++j) transform<S::B1, Inverse>(v, j * S::B1);
#pragma unroll
    for (int j = 0; j < S::A2; ++j) {
#pragma unroll
      for (int i = 0; i < S::B1; ++i) at[j * S::Pitch + S::B2 * i] = v[j * S::B1 + i];
    }
  }
}

/// Last step forward, product with the kernel's spectrum, first step back.
template <class S>
__device__ __forceinline__ void last_step_and_product(float2* tile, const float2* __restrict__ spectrum) {
#pragma unroll 1
  for (int b = static_cast<int>(threadIdx.x); b < S::kLast; b += S::Threads) {
    const int y = b % S::NY, l = b / S::NY;
    float2* at = tile + y * S::Pitch + S::B2 * l;
    const float2* with = spectrum + S::B2 * l * S::NY + y;
    float2 v[S::B2], h[S::B2];
#pragma unroll
    for (int i = 0; i < S::B2; ++i) h[i] = __ldg(with + i * S::NY);
#pragma unroll
    for (int i = 0; i < S::B2; ++i) v[i] = i == 0 ? at[0] : product(at[i], root<S::NX>(i * l));
    transform<S::B2, false>(v);
#pragma unroll
    for (int i = 0; i < S::B2; ++i) v[i] = product(v[i], h[i]);
    transform<S::B2, true>(v);
#pragma unroll
    for (int i = 0; i < S::B2; ++i) at[i] = i == 0 ? v[0] : product<true>(v[i], root<S::NX>(i * l));
  }
}

/// Last step back; `store(row, column, value)` takes what a butterfly leaves.
template <class S, class Store>
__device__ __forceinline__ void final_step(float2* tile, Store store) {
#pragma unroll 1
  for (int b = static_cast<int>(threadIdx.x); b < S::kFirst; b += S::Threads) {
    const int x = b % S::NX, j = b / S::NX;
    float2 v[S::A1];
#pragma unroll
    for (int k = 0; k < S::A1; ++k) {
      const float2 value = tile[(S::A2 * k + j) * S::Pitch + x];
      v[k] = k == 0 ? value : product<true>(value, root<S::NY>(j * k));
    }
    transform<S::A1, true>(v);
    store(j, x, v);
  }
}

template <class S>
__device__ __forceinline__ void load_from_tile(const float2* tile, int j, int x, float2 (&v)[S::A1]) {
#pragma unroll
  for (int i = 0; i < S::A1; ++i) v[i] = tile[(j + S::A2 * i) * S::Pitch + x];
}

/// Writes the two outputs of each of a butterfly's rows to `out`, `back` added to each tile's.
template <class S>
__device__ __forceinline__ unsigned store_rows(const TileArguments& a, const TilePair& pair, float* out, int j, int x,
                                               float2 back, const float2 (&v)[S::A1]) {
  unsigned blank = 0;
  const int dx = x - (a.kernel_nx - 1), dy0 = j - (a.kernel_ny - 1);
  if (dx < 0) return 0;
#pragma unroll
  for (int k = 0; k < 2; ++k) {
    if (pair.x[k] + dx >= a.job.in.nx || (k == 1 && !pair.second)) continue;
    const std::int64_t rows = a.job.ny - pair.y[k];
    const int end = rows < a.valid_y ? static_cast<int>(rows) : a.valid_y;
    float* to = out + (pair.y[k] + dy0) * a.job.out_pitch + pair.x[k] + dx;
#pragma unroll
    for (int i = 0; i < S::A1; ++i, to += S::A2 * a.job.out_pitch) {
      const int dy = dy0 + S::A2 * i;
      if (dy < 0 || dy >= end) continue;
      const float value = stored_result(k == 0 ? v[i].x + back.x : v[i].y + back.y);
      *to = value;
      if (!isfinite(value)) ++blank;
    }
  }
  return blank;
}

/// Divides the sums that stand in the output by the weights of finite pixels that stand in the tile.
template <class S>
__device__ inline unsigned divide_rows(const TileArguments& a, const TilePair& pair, const float2* tile) {
  unsigned blank = 0;
  const int pixels = a.valid_y * a.valid_x;
#pragma unroll 1
  for (int i = static_cast<int>(threadIdx.x); i < 2 * pixels; i += S::Threads) {
    const bool second = i >= pixels;
    const int dy = (second ? i - pixels : i) / a.valid_x, dx = (second ? i - pixels : i) % a.valid_x;
    const std::int64_t y = (second ? pair.y[1] : pair.y[0]) + dy, x = (second ? pair.x[1] : pair.x[0]) + dx;
    if (y >= a.job.ny || x >= a.job.in.nx || (second && !pair.second)) continue;
    const float2 both = tile[(a.kernel_ny - 1 + dy) * S::Pitch + a.kernel_nx - 1 + dx];
    const float raw = second ? both.y : both.x, weight = fabsf(raw) > a.weight_noise ? raw : 0.0f;
    float* to = a.job.out + y * a.job.out_pitch + x;
    const float value = stored_result(rules::interpolate_output(*to, weight, a.job.total, a.job.min_weight));
    *to = value;
    if (!isfinite(value)) ++blank;
  }
  return blank;
}

/// The first step of tiles that lie inside the image, straight from it.
template <class S>
__device__ __forceinline__ bool first_step_inside(const TileArguments& a, const TilePair& pair, float2 offset,
                                                  float2* tile) {
  const float* first = inner_start(a, pair, 0);
  const float* second = inner_start(a, pair, 1);
  bool blank_seen = false;
  first_step<S>(tile, [&](int j, int x, float2(&v)[S::A1]) {
    std::int64_t at = j * a.job.in.pitch + x;
#pragma unroll
    for (int i = 0; i < S::A1; ++i, at += S::A2 * a.job.in.pitch) v[i] = {__ldg(first + at), __ldg(second + at)};
    if (!a.job.all_finite) {
#pragma unroll
      for (int i = 0; i < S::A1; ++i)
        v[i] = {convolved(v[i].x, false, blank_seen), convolved(v[i].y, false, blank_seen)};
    }
    if (offset.x != 0 || offset.y != 0) {
#pragma unroll
      for (int i = 0; i < S::A1; ++i) v[i] = v[i] - offset;
    }
  });
  return blank_seen;
}

/// The same of any tiles, and of weights (1 where a pixel is finite).
template <class S>
__device__ __forceinline__ bool first_step_anywhere(const TileArguments& a, const TilePair& pair, bool weights,
                                                    float2 offset, float2* tile) {
  const bool blank_seen = gather_any<S>(a, pair, weights, tile);
  __syncthreads();  // the gather's threads are not the butterflies'
  first_step<S>(tile, [&](int j, int x, float2(&v)[S::A1]) {
    load_from_tile<S>(tile, j, x, v);
#pragma unroll
    for (int i = 0; i < S::A1; ++i) v[i] = v[i] - offset;
  });
  return blank_seen;
}

template <class S>
__global__ void __launch_bounds__(S::Threads, S::Blocks) k_convolve_tiles(const __grid_constant__ TileArguments a) {
  extern __shared__ float2 tile[];
  const TilePair pair = tile_pair(a, static_cast<int>(blockIdx.x));
  const float2 offset = {__ldg(a.offsets + 2 * blockIdx.x), pair.second ? __ldg(a.offsets + 2 * blockIdx.x + 1) : 0.0f};
  const bool inner = pair.second && tile_is_inner<S>(a, pair, 0) && tile_is_inner<S>(a, pair, 1);
  const bool blank_seen =
      inner ? first_step_inside<S>(a, pair, offset, tile) : first_step_anywhere<S>(a, pair, false, offset, tile);
  unsigned blank = 0;
  // Once for the pixels; once more for the weights of the finite ones, where there are others.
#pragma unroll 1
  for (bool weights = false;; weights = true) {
    __syncthreads();  // between steps the values of a butterfly change hands
    middle_step<S, false>(tile);
    __syncthreads();
    last_step_and_product<S>(tile, a.spectrum);
    __syncthreads();
    middle_step<S, true>(tile);
    __syncthreads();
    final_step<S>(tile, [&](int j, int x, const float2(&v)[S::A1]) {
      if (weights) {
#pragma unroll
        for (int i = 0; i < S::A1; ++i) tile[(j + S::A2 * i) * S::Pitch + x] = v[i];
      } else {
        blank += store_rows<S>(a, pair, a.job.out, j, x, {offset.x * a.sum, offset.y * a.sum}, v);
      }
    });
    if (weights) {
      __syncthreads();  // outputs are divided by other threads than those that made them
      blank = divide_rows<S>(a, pair, tile);
      break;
    }
    // Without a blank pixel in either tile the weights are the whole kernel's, and nothing is to be divided.
    if (!a.job.interpolate || !__syncthreads_or(blank_seen)) break;
    first_step_anywhere<S>(a, pair, true, {0, 0}, tile);
  }
  count_warp(blank, a.job.blank);
}

template <class S>
__global__ void __launch_bounds__(S::Threads)
    k_transform_kernel(const __grid_constant__ TileArguments a, float2* __restrict__ spectrum) {
  extern __shared__ float2 tile[];
  for (int i = static_cast<int>(threadIdx.x); i < S::NY * S::NX; i += S::Threads) {
    const int row = i / S::NX, column = i % S::NX;
    const bool inside = row < a.kernel_ny && column < a.kernel_nx;
    tile[row * S::Pitch + column] = {inside ? a.job.in.pixels[row * a.job.in.pitch + column] : 0.0f, 0.0f};
  }
  __syncthreads();
  first_step<S>(tile, [&](int j, int x, float2(&v)[S::A1]) { load_from_tile<S>(tile, j, x, v); });
  __syncthreads();
  middle_step<S, false>(tile);
  __syncthreads();
  for (int b = static_cast<int>(threadIdx.x); b < S::kLast; b += S::Threads) {
    const int y = b % S::NY, l = b / S::NY;
    float2 v[S::B2];
#pragma unroll
    for (int i = 0; i < S::B2; ++i) v[i] = product(tile[y * S::Pitch + S::B2 * l + i], root<S::NX>(i * l));
    transform<S::B2, false>(v);
#pragma unroll
    for (int i = 0; i < S::B2; ++i) spectrum[(S::B2 * l + i) * S::NY + y] = v[i];
  }
}

template <class S>
void launch_transform(cudaStream_t stream, const TileArguments& a, float2* spectrum) {
  allow_shared(k_transform_kernel<S>, S::kBytes);
  k_transform_kernel<S><<<1, S::Threads, S::kBytes, stream>>>(a, spectrum);
  check_launch("k_transform_kernel", stream);
}

template <class S>
void launch_convolve(cudaStream_t stream, const TileArguments& a) {
  allow_shared(k_convolve_tiles<S>, S::kBytes);
  k_convolve_tiles<S><<<static_cast<unsigned>((a.tiles + 1) / 2), S::Threads, S::kBytes, stream>>>(a);
  check_launch("k_convolve_tiles", stream);
}

template <class S>
constexpr TileVariant tile_variant() {
  return {S::NY, S::NX, S::Blocks, S::kBytes, launch_transform<S>, launch_convolve<S>};
}

}  // namespace reber::cuda::fft
