// SPDX-License-Identifier: BSD-3-Clause
// What a block of separable.cu has in shared memory, and how rows of the image come into it.
#pragma once

#include "kernels/cuda/row_copies.hpp"

namespace reber::cuda::separable {

// Along x a thread makes 16 neighbouring outputs, along y 16 rows of 2 columns: four taps then cost a read of 16 bytes
// (four of 8 bytes) of pixels and one of weights for 64 (128) multiply-adds. Each warp fetches and filters rows of its
// own along x, 8 at a time; the warps of a block meet twice for 16 rows of each. So a block may have any number of
// warps: as many as shared memory holds for these taps.
inline constexpr int kStrip = 64;                           ///< columns of a block
constexpr int kOutputs = 16;                                ///< of a thread at a time
constexpr int kWindow = kOutputs + 4, kTurn = kWindow / 4;  ///< groups of taps after which the window is where it was
constexpr int kUnit = RowCopies::kRows;                     ///< rows that a warp filters along x at a time
constexpr int kMaxWarps = 16, kWarpsPerSm = 16;
constexpr int kRingPitch = kStrip + 4;  ///< eight rows' groups of four columns fall into different banks
constexpr int kMaxTaps = 512;

constexpr int up_to(int n, int multiple) { return (n + multiple - 1) / multiple * multiple; }

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

/// The parts of a block's shared memory; barriers and stages are the warp's own.
struct BlockMemory {
  std::uint64_t* barriers;
  int* sources;
  float *stages, *ring;
};

__device__ __forceinline__ BlockMemory block_memory(float4* memory, const RingLayout& layout) {
  const int warp = this_warp();
  auto* sources = reinterpret_cast<int*>(memory + layout.warps);
  auto* stages = reinterpret_cast<float*>(sources + layout.width);
  return {reinterpret_cast<std::uint64_t*>(memory) + 2 * warp, sources,
          stages + warp * layout.buffers * layout.stage_count(),
          stages + layout.warps * layout.buffers * layout.stage_count()};
}

/// Which columns of a stage come from where. [a, b): copied as they stand. The rest of [low, high): one by one, from
/// the columns that the boundary rule names. Others keep what stands for pixels outside the image.
struct StageColumns {
  int x0, low, high, a, b;
};

__device__ __forceinline__ StageColumns stage_columns(const ConvolveJob& job, const RingLayout& layout, int strip) {
  const int x0 = strip * kStrip - layout.before, nx = static_cast<int>(job.in.nx);
  const bool alone = job.boundary == Boundary::zero || job.boundary == Boundary::blank;
  const int a = min(max(-x0, 0), layout.width), b = min(max((nx - x0) & ~3, a), layout.width);
  return {x0, alone ? a : 0, alone ? max(min(layout.width, nx - x0), b) : layout.width, a, b};
}

/// A warp's rows on their way from the image through its stages. Row 0 of the march is what output row 0's last tap
/// reads; unit u holds rows first + 8 u and up.
template <bool Finite>
class Feed {
 public:
  __device__ __forceinline__ Feed(const ConvolveJob& job, const RingLayout& layout, const BlockMemory& memory,
                                  const StageColumns& columns)
      : job_(job), layout_(layout), memory_(memory), columns_(columns), copies_(memory.barriers) {}

  /// Before a march: the stages hold what stands for pixels outside the image.
  __device__ __forceinline__ void clear(bool mask) {
    bool blank_seen = false;
    const float outside =
        Finite ? outside_value(job_.boundary) : convolved(outside_value(job_.boundary), mask, blank_seen);
    for (int i = lane(); i < layout_.buffers * layout_.stage_count(); i += 32) memory_.stages[i] = outside;
    __syncwarp();
  }

  /// Starts to fill a buffer with image rows y to y + rows - 1.
  __device__ __forceinline__ void fetch(int buffer, int y, int rows) {
    float* stage = memory_.stages + buffer * layout_.stage_count();
    const bool mine = lane() < min(rows, kUnit);
    const float* row = mine ? held_row(job_.in, y + lane(), job_.boundary) : nullptr;
    const unsigned none = __ballot_sync(0xffffffffu, mine && row == nullptr);
    const int single = columns_.a - columns_.low + columns_.high - columns_.b;
    if (none != 0 || single > 0) fetch_singly(stage, row, rows, single);
    copies_.start(buffer, stage + lane() * layout_.pitch + columns_.a,
                  row == nullptr ? nullptr : row + (columns_.x0 + columns_.a), columns_.b - columns_.a);
    close_copies();
  }

  /// Waits for a buffer.   returns whether a blank pixel is in it. Rows that were not fetched hold what stood there.
  __device__ __forceinline__ bool wait(int buffer, bool mask) {
    wait_copies<0>();
    copies_.wait(buffer);
    if constexpr (Finite) return false;
    bool blank_seen = job_.boundary == Boundary::blank && (columns_.low > 0 || columns_.high < layout_.width);
    float* stage = memory_.stages + buffer * layout_.stage_count();
#pragma unroll 1
    for (int some = columns_.low; some < columns_.high; some += 128) {
      const int c = some + 4 * lane();
      if (c >= columns_.high) continue;
      float4 values[kUnit];
#pragma unroll
      for (int r = 0; r < kUnit; ++r) values[r] = *reinterpret_cast<const float4*>(stage + r * layout_.pitch + c);
#pragma unroll
      for (int r = 0; r < kUnit; ++r) {
        float4 value = values[r];
        value.x = convolved(value.x, mask, blank_seen);
        if (c + 1 < columns_.high) value.y = convolved(value.y, mask, blank_seen);
        if (c + 2 < columns_.high) value.z = convolved(value.z, mask, blank_seen);
        if (c + 3 < columns_.high) value.w = convolved(value.w, mask, blank_seen);
        *reinterpret_cast<float4*>(stage + r * layout_.pitch + c) = value;
      }
    }
    __syncwarp();
    return blank_seen;
  }

 private:
  static __device__ __forceinline__ int lane() { return static_cast<int>(threadIdx.x & 31); }

  /// The part of fetch that is not whole groups of the image's own columns. row: of this lane's row, or null.
  __device__ __forceinline__ void fetch_singly(float* stage, const float* row, int rows, int single) {
    const float outside = outside_value(job_.boundary);
#pragma unroll 1
    for (int r = 0; r < min(rows, kUnit); ++r, stage += layout_.pitch) {
      const auto from =
          reinterpret_cast<const float*>(__shfl_sync(0xffffffffu, reinterpret_cast<unsigned long long>(row), r));
      if (from == nullptr) {
        for (int c = columns_.low + lane(); c < columns_.high; c += 32) stage[c] = outside;
      } else {
        for (int k = lane(); k < single; k += 32) {
          const int c = k < columns_.a - columns_.low ? columns_.low + k : columns_.b + k - (columns_.a - columns_.low);
          copy4(stage + c, from + memory_.sources[c], 4);
        }
      }
    }
  }

  const ConvolveJob& job_;
  const RingLayout& layout_;
  const BlockMemory& memory_;
  const StageColumns& columns_;
  RowCopies copies_;
};

}  // namespace reber::cuda::separable
