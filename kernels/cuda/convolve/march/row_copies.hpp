// SPDX-License-Identifier: BSD-3-Clause
// Asynchronous copies of whole rows into shared memory by one warp: 16 bytes per lane, or, on cards of compute
// capability 9.0, by the bulk copy engine, which takes rows that lie anywhere at eight instructions each.
#pragma once

#include "kernels/cuda/convolve/march/staging.hpp"

#ifdef __CUDACC__

namespace reber::cuda {

/// One warp's copies of up to Rows (at most 32) rows into one of two buffers, a round at a time for each. Bulk: by the
/// copy engine where there is one.
template <int Rows, bool Bulk>
class RowCopies {
  static constexpr bool kBulk = Bulk && kHasBulk;

 public:
  /// The two barriers are the warp's own, in shared memory, and last as long as this.
  __device__ __forceinline__ explicit RowCopies(std::uint64_t* barriers) {
    if constexpr (kBulk) {
      barriers_ = shared_address(barriers);
      if ((threadIdx.x & 31) == 0) {
        init_barrier(barriers_, 1);
        init_barrier(barriers_ + 8, 1);
        fence_bulk();
      }
      __syncwarp();
    }
  }

  /// The warp's ordinary writes and copies up to now come before the engine's. It waits for the lanes' stores too, so
  /// it is not for every round.
  __device__ __forceinline__ void fence() {
    if constexpr (kBulk) fence_bulk();
  }

  /// Starts a round: `count` floats (a multiple of 4) from `from` to `to` for each of the first Rows lanes whose
  /// `from` is not null. The warp is done with what was there, and behind a fence() if it wrote any of it.
  __device__ __forceinline__ void start(int buffer, float* to, const float* from, int count) {
    if constexpr (kBulk) {
      const bool wanted = from != nullptr && count > 0;
      const int rows = __popc(__ballot_sync(0xffffffffu, wanted));
      __syncwarp();
      if ((threadIdx.x & 31) == 0) arrive_expecting(barriers_ + 8 * buffer, rows * count * 4);
      __syncwarp();
      if (wanted) copy_bulk(shared_address(to), from, count * 4, barriers_ + 8 * buffer);
    } else {
#pragma unroll 1
      for (int r = 0; r < Rows; ++r) {
        const auto row = __shfl_sync(0xffffffffu, reinterpret_cast<unsigned long long>(from), r);
        const auto row_to = __shfl_sync(0xffffffffu, reinterpret_cast<unsigned long long>(to), r);
        if (row == 0) continue;
        for (int i = (threadIdx.x & 31) * 4; i < count; i += 128)
          copy16(reinterpret_cast<float*>(row_to) + i, reinterpret_cast<const float*>(row) + i);
      }
    }
  }

  /// Waits for the round: every lane sees the rows. Copies of the lanes themselves have been waited for.
  __device__ __forceinline__ void wait(int buffer) {
    if constexpr (kBulk) {
      wait_barrier(barriers_ + 8 * buffer, rounds_ >> buffer & 1u);
      rounds_ ^= 1u << buffer;
    }
    __syncwarp();
  }

 private:
  unsigned barriers_ = 0, rounds_ = 0;  ///< rounds: bit b is buffer b's parity
};

}  // namespace reber::cuda

#endif
