// SPDX-License-Identifier: BSD-3-Clause
// How rows of the image come into a warp's own stages in shared memory, in whole rows by the copy engine, and what
// stands there for pixels outside the image.
#pragma once

#include "kernels/cuda/convolve/march/row_copies.hpp"

namespace reber::cuda::separable {

/// A warp's shared memory for its rows: two barriers, the image's column for each staged one, the stages.
struct FeedMemory {
  std::uint64_t* barriers;
  int* sources;
  float* stages;
};

/// Which columns of a stage come from where. [a, b): copied as they stand. The rest of [low, high): one by one, from
/// the columns that the boundary rule names. Others keep what stands for pixels outside the image.
struct StageColumns {
  int x0, low, high, a, b;
};

/// x0: the image's column in a stage's first, a multiple of 4; width: of the stage, a multiple of 4.
__device__ __forceinline__ StageColumns stage_columns(const ConvolveJob& job, int x0, int width) {
  const int nx = static_cast<int>(job.in.nx);
  const bool alone = job.boundary == Boundary::zero || job.boundary == Boundary::blank;
  const int a = min(max(-x0, 0), width), b = min(max((nx - x0) & ~3, a), width);
  return {x0, alone ? a : 0, alone ? max(min(width, nx - x0), b) : width, a, b};
}

/// Fills sources[first], sources[first + step] ..
__device__ __forceinline__ void find_sources(const ConvolveJob& job, int x0, int width, int first, int step,
                                             int* sources) {
  for (int c = first; c < width; c += step)
    sources[c] = rules::boundary_index_as<int>(x0 + c, static_cast<int>(job.in.nx), job.boundary);
}

/// A warp's rows on their way from the image through its stages. Layout: width, pitch and number (buffers, 1 or 2) of
/// the stages, each of kUnit rows, which follow each other down the image (kStep 1) or up (-1); kBulk: whether the copy
/// engine fetches them; kOpen: fetches that may be under way while one is waited for. Finite: the job is all_finite.
template <class Layout, bool Finite>
class Feed {
 public:
  static constexpr int kUnit = Layout::kUnit;

  __device__ __forceinline__ Feed(const ConvolveJob& job, const Layout& layout, const FeedMemory& memory)
      : job_(job), layout_(layout), memory_(memory), copies_(memory.barriers) {}

  /// Before a march: the stages hold what stands for pixels outside the image. Nothing is on its way.
  __device__ __forceinline__ void begin(const StageColumns& columns, bool mask) {
    columns_ = columns;
    bool blank_seen = false;
    const float outside =
        Finite ? outside_value(job_.boundary) : convolved(outside_value(job_.boundary), mask, blank_seen);
    for (int i = lane(); i < layout_.buffers * layout_.stage_count(); i += 32) memory_.stages[i] = outside;
    copies_.fence();
    __syncwarp();
  }

  /// Starts to fill a buffer with `rows` image rows (at most kUnit) from y on.
  __device__ __forceinline__ void fetch(int buffer, int y, int rows) {
    float* stage = memory_.stages + buffer * layout_.stage_count();
    if constexpr (!Layout::kBulk) {
      if (fetch_regular(stage, y)) return;
    }
    const bool mine = lane() < min(rows, kUnit);
    const float* row = mine ? held_row(job_.in, y + Layout::kStep * lane(), job_.boundary) : nullptr;
    const unsigned none = __ballot_sync(0xffffffffu, mine && row == nullptr);
    const int single = columns_.a - columns_.low + columns_.high - columns_.b;
    if (none != 0 || single > 0) fetch_singly(stage, row, rows, single);
    if (!Finite || none != 0) copies_.fence();  // else what is copied over was the engine's
    copies_.start(buffer, stage + lane() * layout_.pitch + columns_.a,
                  row == nullptr ? nullptr : row + (columns_.x0 + columns_.a), columns_.b - columns_.a);
    close_copies();
  }

  /// Waits for a buffer.   returns whether a blank pixel is in it. Rows that were not fetched hold what stood there.
  __device__ __forceinline__ bool wait(int buffer, bool mask) {
    wait_copies<Layout::kOpen>();
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

  /// fetch of rows that lie at equal steps in the image, all but those at its upper and lower edge: a lane copies its
  /// columns of each.   returns false where they do not, or where columns come one by one
  __device__ __forceinline__ bool fetch_regular(float* stage, int y) {
    constexpr int kLast = Layout::kStep * (kUnit - 1);
    const int held = y - static_cast<int>(job_.in.first), rows = static_cast<int>(job_.in.rows);
    if (min(held, held + kLast) < 0 || max(held, held + kLast) >= rows || columns_.a > columns_.low ||
        columns_.b < columns_.high)
      return false;
    const std::int64_t step = Layout::kStep * job_.in.pitch;
    const float* row = job_.in.pixels + held * job_.in.pitch + columns_.x0;
#pragma unroll
    for (int c0 = 0; c0 < layout_.width; c0 += 128) {
      const int c = c0 + 4 * lane();
      if (c < columns_.a || c >= columns_.b) continue;
      const float* from = row + c;
#pragma unroll
      for (int r = 0; r < kUnit; ++r, from += step) copy16(stage + r * layout_.pitch + c, from);
    }
    close_copies();
    return true;
  }

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
  const Layout& layout_;
  const FeedMemory memory_;
  StageColumns columns_{};
  RowCopies<kUnit, Layout::kBulk> copies_;
};

}  // namespace reber::cuda::separable
