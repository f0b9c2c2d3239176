// SPDX-License-Identifier: BSD-3-Clause
// Asynchronous copies from device memory to shared memory: a thread's own, in groups that it waits for, and those of
// the bulk copy engine, which barriers in shared memory count.
#pragma once

#include <cstdint>

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

// The bulk copy engine: cards of compute capability 9.0 and above. Addresses are those of shared memory.
#if __CUDA_ARCH__ >= 900
constexpr bool kHasBulk = true;
#else
constexpr bool kHasBulk = false;
#endif

/// A round of the barrier ends with so many arrivals, and with the bytes that they said to expect.
__device__ __forceinline__ void init_barrier(unsigned barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}
/// Ordinary accesses of shared memory before it, the barrier's making too, come before the engine's after it.
__device__ __forceinline__ void fence_bulk() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
__device__ __forceinline__ void arrive_expecting(unsigned barrier, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}
/// bytes: a multiple of 16, as are the addresses.
__device__ __forceinline__ void copy_bulk(unsigned to, const float* from, int bytes, unsigned barrier) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to),
               "l"(from), "r"(bytes), "r"(barrier)
               : "memory");
}
/// Waits for the end of a round. parity: 0 and 1 in turn from the first round on.
__device__ __forceinline__ void wait_barrier(unsigned barrier, unsigned parity) {
  unsigned done = 0;
  while (done == 0) {
    asm volatile(
        "{\n"
        ".reg .pred complete;\n"
        "mbarrier.try_wait.parity.shared::cta.b64 complete, [%1], %2;\n"
        "selp.u32 %0, 1, 0, complete;\n"
        "}\n"
        : "=r"(done)
        : "r"(barrier), "r"(parity)
        : "memory");
  }
}
/// True for one lane of a warp, all of which call it; the compiler knows that it is one.
__device__ __forceinline__ bool is_elected() {
  unsigned one = 0;
  asm volatile(
      "{\n"
      ".reg .pred one;\n"
      "elect.sync _|one, 0xffffffff;\n"
      "selp.u32 %0, 1, 0, one;\n"
      "}\n"
      : "=r"(one));
  return one != 0;
}

#endif

}  // namespace reber::cuda
