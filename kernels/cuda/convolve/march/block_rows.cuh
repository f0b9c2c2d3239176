// SPDX-License-Identifier: BSD-3-Clause
// How batches of image rows come into a block's stages in shared memory: 16 bytes per thread, or, where a batch lies
// inside the image and the card has one, in whole rows by the copy engine. That takes half the instructions, but rows
// come later: 3 x 3 to 7 x 7 weights, which wait for memory, take 4 % longer with it
// (bench/notes/direct_and_separable.md).
#pragma once

#include "kernels/cuda/convolve/march/staging.hpp"

#ifdef __CUDACC__

namespace reber::cuda {

/// Stages of Rows rows of Width floats (a multiple of 4), Pitch apart, for a block of Threads threads; Main as
/// stage_rows has it. Bulk: by the copy engine where there is one.
template <bool Bulk, int Stages, int Rows, int Width, int Pitch, int Threads, int Main>
class BlockRows {
  static constexpr bool kBulk = Bulk && kHasBulk;
  static_assert(Width % 4 == 0 && Pitch % 4 == 0);

 public:
  /// By all threads. The barriers, one a stage, are the block's own, in shared memory, and last as long as this.
  __device__ __forceinline__ BlockRows(const ConvolveJob& job, float* stages, std::uint64_t* barriers)
      : job_(job), stages_(stages), barriers_(shared_address(barriers)), turn_(this_warp()) {
    if constexpr (kBulk) {
      if (threadIdx.x == 0) {
#pragma unroll
        for (int stage = 0; stage < Stages; ++stage) init_barrier(barriers_ + 8 * stage, 1);
        fence_bulk();
      }
      __syncthreads();
    }
  }

  [[nodiscard]] __device__ __forceinline__ const float* stage(int number) const {
    return stages_ + number * (Rows * Pitch);
  }

  /// Starts to fill a stage with rows y, y - 1 .. y - Rows + 1 and columns x0 .. x0 + Width - 1. All threads are done
  /// with what was there.
  __device__ __forceinline__ void fetch(int number, int y, int x0) {
    const int held = y - static_cast<int>(job_.in.first);
    const bool inside = x0 >= 0 && x0 + Width <= static_cast<int>(job_.in.nx) && held >= Rows - 1 &&
                        held < static_cast<int>(job_.in.rows);
    if constexpr (kBulk) {
      if (turn_ == 0 && is_elected()) {
        const unsigned barrier = barriers_ + 8 * number;
        arrive_expecting(barrier, inside ? Rows * Width * 4 : 0);
        if (inside) {
          const float* from = job_.in.pixels + held * job_.in.pitch + x0;
          const unsigned to = shared_address(stages_ + number * (Rows * Pitch));
#pragma unroll
          for (int r = 0; r < Rows; ++r, from -= job_.in.pitch)
            copy_bulk(to + r * (Pitch * 4), from, Width * 4, barrier);
        }
      }
      turn_ = turn_ == 0 ? Threads / 32 - 1 : turn_ - 1;
      if (inside) return;
      ordinary_ |= 1u << number;
    }
    stage_rows<Rows, Width, Pitch, Threads, Main>(job_, y, x0, stages_ + number * (Rows * Pitch));
  }

  /// Waits for this thread's own copies but for the last Open groups (one for each close_copies()), and for the
  /// engine's. The others' are there behind a barrier of the block.
  template <int Open>
  __device__ __forceinline__ void wait(int number) {
    wait_copies<Open>();
    if constexpr (kBulk) {
      wait_barrier(barriers_ + 8 * number, rounds_ >> number & 1u);
      rounds_ ^= 1u << number;
      if ((ordinary_ >> number & 1u) != 0) fence_bulk();  // it waits for this thread's stores too: not for every batch
      ordinary_ &= ~(1u << number);
    }
  }

 private:
  const ConvolveJob& job_;
  float* stages_;
  unsigned barriers_, rounds_ = 0;  ///< rounds: bit s is the parity of stage s
  unsigned ordinary_ = 0;  ///< bit s: stage s is filled without the engine, before whose next copies there is a fence
  int turn_;               ///< the warp's: at 0 it asks the engine for a batch
};

}  // namespace reber::cuda

#endif
