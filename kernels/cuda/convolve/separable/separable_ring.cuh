// SPDX-License-Identifier: BSD-3-Clause
// What a block of separable.cu has in shared memory.
#pragma once

#include "kernels/cuda/convolve/separable/separable_feed.cuh"
#include "kernels/cuda/convolve/separable/separable_filter.cuh"

namespace reber::cuda::separable {

// Along x a thread makes 16 neighbouring outputs, along y 16 rows of 2 columns: four taps then cost a read of 16 bytes
// (four of 8 bytes) of pixels and one of weights for 64 (128) multiply-adds. Each warp fetches and filters rows of its
// own along x, 8 at a time; the warps of a block meet twice for 16 rows of each. So a block may have any number of
// warps: as many as shared memory holds for these taps.
inline constexpr int kStrip = 64;  ///< columns of a block
constexpr int kMaxWarps = 16, kWarpsPerSm = 16;
constexpr int kRingPitch = kStrip + 4;  ///< eight rows' groups of four columns fall into different banks
constexpr int kMaxTaps = 512;

/// The padded weights of both axes. As a parameter of the kernel they come through uniform registers: a multiply-add
/// then reads a pixel and a sum from the register file, which has two banks. Three operands from it cost 1.3 times as
/// much.
struct SeparableTaps {
  float row[kMaxTaps + 8] = {}, column[kMaxTaps + 4] = {};
};

/// What a block does, and what its shared memory holds: two barriers a warp, the image's column for each staged one,
/// the stages, the ring of filtered rows. Zeros in front of the row's taps put the pixels of each four of them on a
/// multiple of four columns, those in front of the column's make them a multiple of four; the multiply-adds with these
/// are left out. Zeros behind the row's taps change no sum of finite pixels.
struct RingLayout {
  static constexpr int kUnit = 8, kStep = 1;  ///< rows that a warp fetches and filters along x at a time, downwards
  static constexpr int kOpen = 0;             ///< as Feed has it
  static constexpr bool kBulk = true;
  int ky = 0, kx = 0;
  int row_front = 0, row_groups = 0;  ///< zeros in front; groups of four taps
  int column_front = 0, column_groups = 0;
  int before = 0;               ///< columns staged left of the first output, a multiple of 4
  int first_tap = 0;            ///< staged column of the first output's first four taps
  int width = 0, pitch = 0;     ///< of a stage; pitch is 4 times an odd number: eight rows fall into different banks
  int warps = 0, buffers = 0;   ///< buffers: stages of kUnit rows that each warp has, 1 or 2
  int held = 0, ring_rows = 0;  ///< held: rows that the ring keeps from chunk to chunk
  std::int64_t strips = 0;
  int segment = 0;        ///< output rows of a block
  float full_weight = 0;  ///< what a window of finite pixels sums to, rounding included

  /// Output rows that a block makes between two meetings.
  [[nodiscard]] __host__ __device__ int chunk() const { return warps * kOutputs; }
  [[nodiscard]] __host__ __device__ int stage_count() const { return kUnit * pitch; }
  [[nodiscard]] __host__ __device__ int bytes() const {
    return (4 * warps + width + warps * buffers * stage_count() + ring_rows * kRingPitch) *
           static_cast<int>(sizeof(float));
  }
};

/// The parts of a block's shared memory; the feed's barriers and stages are the warp's own.
struct BlockMemory {
  FeedMemory feed;
  float* ring;
};

__device__ __forceinline__ BlockMemory block_memory(float4* memory, const RingLayout& layout) {
  const int warp = this_warp();
  auto* sources = reinterpret_cast<int*>(memory + layout.warps);
  auto* stages = reinterpret_cast<float*>(sources + layout.width);
  return {{reinterpret_cast<std::uint64_t*>(memory) + 2 * warp, sources,
           stages + warp * layout.buffers * layout.stage_count()},
          stages + layout.warps * layout.buffers * layout.stage_count()};
}

/// Two columns of the ring, upwards. at: the lowest of the next group's four rows, counted in floats, which is a
/// multiple of four rows as is their number, so that a group never wraps.
struct RingPixels {
  const float* columns;
  int at, end;

  __device__ __forceinline__ void put(int from, float2* to) const {
#pragma unroll
    for (int q = 0; q < 4; ++q) to[q] = *reinterpret_cast<const float2*>(columns + from + q * kRingPitch);
  }
  __device__ __forceinline__ void above(int k, float2* to) const {
    const int from = at + 4 * k * kRingPitch;
    put(from < end ? from : from - end, to);
  }
  __device__ __forceinline__ void read4(float2* to) {
    put(at, to);
    at -= 4 * kRingPitch;
    if (at < 0) at += end;
  }
};

}  // namespace reber::cuda::separable
