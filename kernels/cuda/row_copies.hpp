// SPDX-License-Identifier: BSD-3-Clause
// Asynchronous copies of whole rows into shared memory by one warp: by the bulk copy engine, which takes one
// instruction a row, on cards of compute capability 9.0; by 16-byte copies of the threads before.
#pragma once

#include "kernels/cuda/staging.hpp"

#ifdef __CUDACC__

namespace reber::cuda {

/// One warp's copies of up to eight rows into one of two buffers, a round at a time for each.
class RowCopies {
 public:
  static constexpr int kRows = 8;

  /// The two barriers are the warp's own, in shared memory, and last as long as this.
  __device__ __forceinline__ explicit RowCopies([[maybe_unused]] std::uint64_t* barriers) {
#if __CUDA_ARCH__ >= 900
    barriers_ = shared_address(barriers);
    if ((threadIdx.x & 31) == 0) {
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barriers_) : "memory");
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barriers_ + 8) : "memory");
      asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    }
    __syncwarp();
#endif
  }

  /// Starts a round: `count` floats (a multiple of 4) from `from` to `to` in each of the first eight lanes whose `from`
  /// is not null. The warp is done with what was there.
  __device__ __forceinline__ void start([[maybe_unused]] int buffer, float* to, const float* from, int count) {
#if __CUDA_ARCH__ >= 900
    const bool wanted = from != nullptr && count > 0;
    const int rows = __popc(__ballot_sync(0xffffffffu, wanted));
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");  // ordinary writes come before the engine's
    __syncwarp();
    if ((threadIdx.x & 31) == 0)
      asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barriers_ + 8 * buffer),
                   "r"(rows * count * 4)
                   : "memory");
    __syncwarp();
    if (wanted)
      asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                       shared_address(to)),
                   "l"(from), "r"(count * 4), "r"(barriers_ + 8 * buffer)
                   : "memory");
#else
    for (int r = 0; r < kRows; ++r) {
      const auto row = __shfl_sync(0xffffffffu, reinterpret_cast<unsigned long long>(from), r);
      const auto row_to = __shfl_sync(0xffffffffu, reinterpret_cast<unsigned long long>(to), r);
      if (row == 0) continue;
      for (int i = (threadIdx.x & 31) * 4; i < count; i += 128)
        copy16(reinterpret_cast<float*>(row_to) + i, reinterpret_cast<const float*>(row) + i);
    }
#endif
  }

  /// Waits for the round: every lane sees the rows.
  __device__ __forceinline__ void wait([[maybe_unused]] int buffer) {
#if __CUDA_ARCH__ >= 900
    unsigned done = 0;
    while (done == 0) {
      asm volatile(
          "{\n"
          ".reg .pred complete;\n"
          "mbarrier.try_wait.parity.shared::cta.b64 complete, [%1], %2;\n"
          "selp.u32 %0, 1, 0, complete;\n"
          "}\n"
          : "=r"(done)
          : "r"(barriers_ + 8 * buffer), "r"(rounds_ >> buffer & 1u)
          : "memory");
    }
    rounds_ ^= 1u << buffer;
#endif
    __syncwarp();
  }

 private:
  [[maybe_unused]] unsigned barriers_ = 0, rounds_ = 0;  ///< rounds: bit b is buffer b's parity
};

}  // namespace reber::cuda

#endif
