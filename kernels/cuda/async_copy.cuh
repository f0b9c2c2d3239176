// SPDX-License-Identifier: BSD-3-Clause
// Asynchronous copies from device memory to shared memory, a thread's own, in groups that it waits for.
#pragma once

namespace reber::cuda {

#ifdef __CUDACC__

__device__ __forceinline__ unsigned shared_address(const void* at) {
  return static_cast<unsigned>(__cvta_generic_to_shared(at));
}

// Cards before compute capability 8.0 have no asynchronous copies: there each one is done at once.
#if __CUDA_ARCH__ >= 800
__device__ __forceinline__ void copy16(float* to, const float* from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to)), "l"(from) : "memory");
}
/// The first `floats`, zeros behind them.
__device__ __forceinline__ void copy16(float* to, const float* from, int floats) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(to)), "l"(from), "r"(4 * floats)
               : "memory");
}
/// bytes: 4, or 0 for a zero.
__device__ __forceinline__ void copy4(float* to, const float* from, int bytes) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(shared_address(to)), "l"(from), "r"(bytes)
               : "memory");
}
__device__ __forceinline__ void close_copies() { asm volatile("cp.async.commit_group;" ::: "memory"); }
/// Waits until all but the last `Open` groups of this thread's copies are there.
template <int Open>
__device__ __forceinline__ void wait_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(Open) : "memory");
}
#else
__device__ __forceinline__ void copy16(float* to, const float* from) {
  *reinterpret_cast<float4*>(to) = __ldg(reinterpret_cast<const float4*>(from));
}
__device__ __forceinline__ void copy16(float* to, const float* from, int floats) {
  for (int i = 0; i < 4; ++i) to[i] = i < floats ? __ldg(from + i) : 0.0f;
}
__device__ __forceinline__ void copy4(float* to, const float* from, int bytes) {
  *to = bytes == 4 ? __ldg(from) : 0.0f;
}
__device__ __forceinline__ void close_copies() {}
template <int Open>
__device__ __forceinline__ void wait_copies() {}
#endif

#endif

}  // namespace reber::cuda
