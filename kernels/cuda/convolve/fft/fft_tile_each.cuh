// SPDX-License-Identifier: BSD-3-Clause
// Tiles transformed once and convolved with several kernels: the bits of k_convolve_tiles for each, of images without
// blank pixels.
#pragma once

#include "kernels/cuda/convolve/fft/fft_tile.cuh"
#include "kernels/cuda/device/shared_memory.hpp"

namespace reber::cuda::fft {

/// The forward part of last_step_and_product, into `kept` in the order of the kernels' spectra.
template <class S>
__device__ __forceinline__ void last_step_kept(const float2* tile, float2* kept) {
#pragma unroll 1
  for (int b = static_cast<int>(threadIdx.x); b < S::kLast; b += S::Threads) {
    const int y = b % S::NY, l = b / S::NY;
    const float2* at = tile + y * S::Pitch + S::B2 * l;
    float2 v[S::B2];
#pragma unroll
    for (int i = 0; i < S::B2; ++i) v[i] = i == 0 ? at[0] : product(at[i], root<S::NX>(i * l));
    transform<S::B2, false>(v);
#pragma unroll
    for (int i = 0; i < S::B2; ++i) kept[(S::B2 * l + i) * S::NY + y] = v[i];
  }
}

/// Its other part; each thread takes what it kept itself.
template <class S>
__device__ __forceinline__ void product_and_first_step(float2* tile, const float2* kept,
                                                       const float2* __restrict__ spectrum) {
#pragma unroll 1
  for (int b = static_cast<int>(threadIdx.x); b < S::kLast; b += S::Threads) {
    const int y = b % S::NY, l = b / S::NY;
    float2* at = tile + y * S::Pitch + S::B2 * l;
    float2 v[S::B2], h[S::B2];
#pragma unroll
    for (int i = 0; i < S::B2; ++i) {
      h[i] = __ldg(spectrum + (S::B2 * l + i) * S::NY + y);
      v[i] = kept[(S::B2 * l + i) * S::NY + y];
    }
#pragma unroll
    for (int i = 0; i < S::B2; ++i) v[i] = product(v[i], h[i]);
    transform<S::B2, true>(v);
#pragma unroll
    for (int i = 0; i < S::B2; ++i) at[i] = i == 0 ? v[0] : product<true>(v[i], root<S::NX>(i * l));
  }
}

/// Blocks take pairs of tiles in turn, so that what they keep stays in the L2 cache.
template <class S>
__global__ void __launch_bounds__(S::Threads, S::Blocks)
    k_convolve_tiles_each(const __grid_constant__ TileArguments a, const __grid_constant__ TileFan fan) {
  extern __shared__ float2 tile[];
  float2* kept = fan.kept + static_cast<std::int64_t>(blockIdx.x) * S::NY * S::NX;
  const int pairs = (a.tiles + 1) / 2;
#pragma unroll 1
  for (int number = static_cast<int>(blockIdx.x); number < pairs; number += static_cast<int>(gridDim.x)) {
    const TilePair pair = tile_pair(a, number);
    const float2 offset = {__ldg(a.offsets + 2 * number), pair.second ? __ldg(a.offsets + 2 * number + 1) : 0.0f};
    const bool inner = pair.second && tile_is_inner<S>(a, pair, 0) && tile_is_inner<S>(a, pair, 1);
    if (inner)
      first_step_inside<S>(a, pair, offset, tile);
    else
      first_step_anywhere<S>(a, pair, false, offset, tile);
    __syncthreads();  // between steps the values of a butterfly change hands
    middle_step<S, false>(tile);
    __syncthreads();
    last_step_kept<S>(tile, kept);
#pragma unroll 1
    for (int k = 0; k < fan.count; ++k) {
      __syncthreads();  // all have taken their values from the tile
      product_and_first_step<S>(tile, kept, fan.spectra[k]);
      __syncthreads();
      middle_step<S, true>(tile);
      __syncthreads();
      unsigned blank = 0;
      final_step<S>(tile, [&](int j, int x, const float2(&v)[S::A1]) {
        blank += store_rows<S>(a, pair, fan.out[k], j, x, {offset.x * fan.sums[k], offset.y * fan.sums[k]}, v);
      });
      count_warp(blank, fan.blank[k]);
    }
    __syncthreads();  // the tile is free for the next pair
  }
}

template <class S>
void launch_convolve_each(cudaStream_t stream, const TileArguments& a, const TileFan& fan, unsigned blocks) {
  allow_shared(k_convolve_tiles_each<S>, S::kBytes);
  k_convolve_tiles_each<S><<<blocks, S::Threads, S::kBytes, stream>>>(a, fan);
  check_launch("k_convolve_tiles_each", stream);
}

/// tile_variant with the kernel for several spectra.
template <class S>
constexpr TileVariant tile_variant_each() {
  TileVariant variant = tile_variant<S>();
  variant.convolve_each = launch_convolve_each<S>;
  return variant;
}

}  // namespace reber::cuda::fft
