// SPDX-License-Identifier: BSD-3-Clause
// Sum, least and largest of a value over the lanes of a warp. Here alone stand the reduction instructions, which cards
// have from compute capability 8.0 on; older cards exchange values by shuffles.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace reber::cuda {

/// All lanes of a warp.
inline constexpr unsigned kWholeWarp = 0xffffffffu;

/// What `join` makes of the values of all lanes, in each of them. All lanes come; `join` is commutative and
/// associative.
template <class T, class Join>
__device__ __forceinline__ T over_warp(T value, const Join& join) {
#pragma unroll
  for (int step = 16; step > 0; step /= 2) value = join(value, __shfl_xor_sync(kWholeWarp, value, step));
  return value;
}

/// Sum over the warp, in each lane. All lanes come. Floats are added in the order of the shuffles.
template <class T>
__device__ __forceinline__ T warp_sum(T value) {
  return over_warp(value, [](T a, T b) { return a + b; });
}

/// The same for 32-bit counts, modulo 2^32.
__device__ __forceinline__ std::uint32_t warp_sum(std::uint32_t value) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  return __reduce_add_sync(kWholeWarp, value);
#else
  return over_warp(value, [](std::uint32_t a, std::uint32_t b) { return a + b; });
#endif
}

/// Least value of the warp, in each lane. All lanes come.
__device__ __forceinline__ std::uint32_t warp_min(std::uint32_t value) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  return __reduce_min_sync(kWholeWarp, value);
#else
  return over_warp(value, [](std::uint32_t a, std::uint32_t b) { return a < b ? a : b; });
#endif
}

/// Largest value of the warp, in each lane. All lanes come.
__device__ __forceinline__ std::uint32_t warp_max(std::uint32_t value) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  return __reduce_max_sync(kWholeWarp, value);
#else
  return over_warp(value, [](std::uint32_t a, std::uint32_t b) { return a > b ? a : b; });
#endif
}

}  // namespace reber::cuda
