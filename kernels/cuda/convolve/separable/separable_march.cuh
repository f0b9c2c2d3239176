// SPDX-License-Identifier: BSD-3-Clause
// The parts of a separable march: a warp marches up a strip of columns by itself. A batch of rows comes into its stage
// in shared memory (Feed) and is filtered along x into its middle there (filter_rows); then each lane takes its columns
// of the middle, whose outputs in the making, one for each tap, stay in registers (add_rows).
#pragma once

#include "kernels/cuda/convolve/separable/separable_feed.cuh"
#include "kernels/cuda/convolve/separable/separable_filter.cuh"

namespace reber::cuda::separable {

/// One way to run kernels of up to Taps taps. Warps: of a block, whose strips lie side by side. Columns: of a lane.
/// Together: rows that one reading of the column's weights serves. Buffers: stages of a warp. Blocks: a multiprocessor.
template <int Taps, int Warps, int Columns, int Together, int Buffers, int Blocks>
struct SeparableMarch {
  static constexpr int taps = Taps, warps = Warps, columns = Columns, together = Together, buffers = Buffers;
  static constexpr int blocks = Blocks, threads = 32 * Warps, warp_strip = 32 * Columns, strip = Warps * warp_strip;
  static constexpr int kUnit = kOutputs / Columns, kStep = -1;  ///< rows of a batch, and that they go up the image
  static constexpr int kOpen = Buffers - 1;                     ///< as Feed has it
  static constexpr bool kBulk = false;
  // Zeros in front of the row's taps put the pixels of each four of them on a multiple of four columns.
  static constexpr int front = (3 - Taps / 2) & 3, row_taps = up_to(front + Taps, 4), column_taps = up_to(Taps, 4);
  static constexpr int reach = Taps / 2 + front;                 ///< columns right of an output that tap 0 reads
  static constexpr int before = up_to(row_taps - 1 - reach, 4);  ///< columns staged left of the first output
  static constexpr int first_tap = before + reach - 3;           ///< staged column of output 0's first four taps
  static constexpr int width = first_tap + warp_strip + 4;
  // 4 times an odd number: eight rows fall into different banks.
  static constexpr int pitch = 4 * (width / 4 | 1), middle_pitch = warp_strip + 4;
  static constexpr int middle = kUnit * middle_pitch;
  static constexpr MarchShape shape{strip, Taps - 1, kUnit};
  /// Of a warp: two barriers, its sources, stages and middle.
  static constexpr int floats = 4 + width + Buffers * kUnit * pitch + middle, bytes = 4 * Warps * floats;
  static __device__ constexpr int stage_count() { return kUnit * pitch; }
};

/// A parameter of the kernel, so that weights come through uniform registers: a multiply-add then reads two operands
/// from the register file, which has two banks.
template <class Policy>
struct MarchTaps {
  float row[Policy::row_taps] = {}, column[Policy::column_taps] = {};
  int ky = 0, kx = 0;       ///< of the kernel itself
  int down = 0, right = 0;  ///< zeros in front of its taps
};

/// A warp's part of shared memory.
struct WarpMemory {
  FeedMemory feed;
  float* middle;
};

template <class Policy>
__device__ __forceinline__ WarpMemory warp_memory(float4* memory) {
  auto* own = reinterpret_cast<float*>(memory) + this_warp() * Policy::floats;
  float* stages = own + 4 + Policy::width;
  return {{reinterpret_cast<std::uint64_t*>(own), reinterpret_cast<int*>(own + 4), stages},
          stages + Policy::buffers * Policy::stage_count()};
}

/// Filters a stage along x. Eight neighbouring lanes take eight rows: their 16-byte reads fall into different banks.
template <class Policy>
__device__ __forceinline__ void filter_rows(const float* stage, const MarchTaps<Policy>& taps, float* middle) {
  const int lane = static_cast<int>(threadIdx.x & 31), row = lane % Policy::kUnit;
  const int column = lane / Policy::kUnit * kOutputs;
  float sums[kOutputs] = {};
  filter(taps.row, Policy::row_taps / 4, Policy::front,
         RowPixels{stage + row * Policy::pitch + column + Policy::first_tap}, sums);
  auto* out = reinterpret_cast<float4*>(middle + row * Policy::middle_pitch + column);
#pragma unroll
  for (int q = 0; q < kOutputs / 4; ++q) out[q] = {sums[4 * q], sums[4 * q + 1], sums[4 * q + 2], sums[4 * q + 3]};
}

template <int Columns>
__device__ __forceinline__ void read_columns(const float* from, float (&values)[Columns]) {
  if constexpr (Columns == 4) {
    const float4 four = *reinterpret_cast<const float4*>(from);
    values[0] = four.x, values[1] = four.y, values[2] = four.z, values[3] = four.w;
  } else if constexpr (Columns == 2) {
    const float2 pair = *reinterpret_cast<const float2*>(from);
    values[0] = pair.x, values[1] = pair.y;
  } else {
    values[0] = *from;
  }
}

/// Adds Rows filtered rows, read upwards, to the outputs in the making. sums[k]: the output that has had taps 0 to k.
/// Each moves up by Rows; done[k]: the output that is complete with row k.
template <class Policy>
__device__ __forceinline__ void add_rows(const MarchTaps<Policy>& taps, const float* rows,
                                         float (&sums)[Policy::taps - 1][Policy::columns],
                                         float (&done)[Policy::together][Policy::columns]) {
  constexpr int kTaps = Policy::taps, kRows = Policy::together, kColumns = Policy::columns;
  constexpr int kChains = 8 / kColumns;  // outputs taken side by side, so that one row's value serves many
  float value[kRows][kColumns];
#pragma unroll
  for (int k = 0; k < kRows; ++k) read_columns(rows + k * Policy::middle_pitch, value[k]);
    // Downwards, so that sums[i - kRows] has not been overwritten when it becomes sums[i].
#pragma unroll
  for (int last = kTaps + kRows - 2; last >= 0; last -= kChains) {
    float sum[kChains][kColumns];
#pragma unroll
    for (int c = 0; c < kChains; ++c) {
#pragma unroll
      for (int q = 0; q < kColumns; ++q) sum[c][q] = last - c >= kRows ? sums[last - c - kRows][q] : 0.0f;
    }
#pragma unroll
    for (int k = 0; k < kRows; ++k) {
#pragma unroll
      for (int c = 0; c < kChains; ++c) {
        const int tap = last - c - kRows + 1 + k;
        if (tap < 0 || tap >= kTaps) continue;
#pragma unroll
        for (int q = 0; q < kColumns; ++q) sum[c][q] = fmaf(taps.column[tap], value[k][q], sum[c][q]);
      }
    }
#pragma unroll
    for (int c = 0; c < kChains; ++c) {
      const int i = last - c;
      if (i < 0) continue;
#pragma unroll
      for (int q = 0; q < kColumns; ++q) {
        if (i < kTaps - 1) {
          sums[i][q] = sum[c][q];
        } else {
          done[kTaps + kRows - 2 - i][q] = sum[c][q];
        }
      }
    }
  }
}

/// Marches up a piece's strip of this warp.   returns the blank outputs that this lane wrote
template <class Policy>
__device__ __forceinline__ unsigned march(const ConvolveJob& job, const MarchPiece& piece, int x0,
                                          const MarchTaps<Policy>& taps, const WarpMemory& memory,
                                          Feed<Policy, true>& feed) {
  constexpr int kTaps = Policy::taps, kBatch = Policy::kUnit, kTogether = Policy::together;
  constexpr int kAhead = Policy::buffers * kBatch;
  const int lane = static_cast<int>(threadIdx.x & 31), x = x0 + lane * Policy::columns;
  const int columns = static_cast<int>(job.in.nx) - x, from = x0 - Policy::before;
  const StageColumns staged = stage_columns(job, from, Policy::width);
  if (staged.a > 0 || staged.b < Policy::width) find_sources(job, from, Policy::width, lane, 32, memory.feed.sources);
  feed.begin(staged, false);
  const int count = piece.rows + kTaps - 1;  // rows of the image
  const int top = static_cast<int>(job.y0) + piece.first + piece.rows - 1 + kTaps / 2;
  // Where the output goes that row 0 of the march would complete.
  float* to = job.out + (piece.first + piece.rows + kTaps - 2) * job.out_pitch + x;
#pragma unroll
  for (int b = 0; b < Policy::buffers; ++b) feed.fetch(b, top - b * kBatch, kBatch);
  float sums[kTaps - 1][Policy::columns] = {};
  unsigned blank = 0;
  int buffer = 0;
#pragma unroll 1
  for (int t = 0; t < count; t += kBatch) {
    feed.wait(buffer, false);
    filter_rows<Policy>(memory.feed.stages + buffer * Policy::stage_count(), taps, memory.middle);
    __syncwarp();                                  // the middle is there, the stage is free
    feed.fetch(buffer, top - t - kAhead, kBatch);  // those beyond the march's last row are not used
    if (Policy::buffers == 2) buffer ^= 1;
    const float* rows = memory.middle + lane * Policy::columns;
#pragma unroll 1
    for (int r = 0; r < kBatch; r += kTogether, rows += kTogether * Policy::middle_pitch) {
      float done[kTogether][Policy::columns];
      add_rows<Policy>(taps, rows, sums, done);
      blank += store_rows(to, job.out_pitch, t + r - (kTaps - 1), piece.rows, columns, done);
      to -= kTogether * job.out_pitch;
    }
    __syncwarp();  // the middle is free
  }
  wait_copies<0>();
  __syncwarp();  // the stages are free
  return blank;
}

}  // namespace reber::cuda::separable
