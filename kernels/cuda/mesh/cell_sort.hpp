// SPDX-License-Identifier: BSD-3-Clause
// Device code for one block and one cell of a mesh: sorting its pixels and clipping the sorted array. For mesh.cu
// alone.
#pragma once

#include <cub/block/block_radix_sort.cuh>

#include "kernels/shared/cell_clip.hpp"
#include "kernels/shared/float_keys.hpp"

namespace reber::cuda {

// Above the key of every finite float, so that blank pixels end up behind them.
inline constexpr std::uint32_t kBlankKey = 0xffffffffu;
inline constexpr unsigned kWarp = 0xffffffffu;

__device__ inline float float_of_key(std::uint32_t key) { return __uint_as_float(rules::bits_of_key(key)); }

/// A barrier for all threads of the block that warps may meet at different places of the code.
__device__ inline void meet() { asm volatile("barrier.cta.sync 1, %0;" ::"r"(blockDim.x) : "memory"); }

/// Partial sums that a block makes at once.
inline constexpr int kSumLanes = 256;
static_assert(kSumLanes >= rules::kCellLanes);

/// What the leading warp asks of the block, and the lanes' sums.
struct ClipMemory {
  enum Wanted : int { nothing, rounded, exact };
  double sum[kSumLanes], sum2[kSumLanes];
  long long whole[kSumLanes];
  unsigned long long squares[kSumLanes], upper_squares[kSumLanes];
  std::int64_t lo, hi;
  double median;
  int unit;
  Wanted wanted;  ///< nothing: no more rounds
};

/// Each thread below kSumLanes sums its lane of the range asked for.
__device__ inline void sum_lane(const float* sorted, ClipMemory* memory) {
  const auto lane = static_cast<int>(threadIdx.x);
  if (lane >= kSumLanes) return;
  const std::int64_t hi = memory->hi;
  if (memory->wanted == ClipMemory::rounded) {
    const double median = memory->median;
    double sum = 0, sum2 = 0;
    for (std::int64_t k = memory->lo + lane; k < hi; k += kSumLanes) {
      const double d = static_cast<double>(sorted[k]) - median;
      sum += d;
      sum2 += d * d;
    }
    memory->sum[lane] = sum;
    memory->sum2[lane] = sum2;
    return;
  }
  const double per_unit = ldexp(1.0, -memory->unit);
  long long whole = 0;
  rules::Uint128 squares = 0;
  for (std::int64_t k = memory->lo + lane; k < hi; k += kSumLanes) {
    const auto value = static_cast<long long>(static_cast<double>(sorted[k]) * per_unit);
    whole += value;
    squares += static_cast<rules::Uint128>(static_cast<rules::Int128>(value) * value);
  }
  memory->whole[lane] = whole;
  memory->squares[lane] = static_cast<unsigned long long>(squares);
  memory->upper_squares[lane] = static_cast<unsigned long long>(squares >> 64);
}

/// The sum of all lanes, in all lanes of a warp.
__device__ inline double join_lanes(const double* lanes) {
  double sum = 0;
  for (int k = threadIdx.x & 31; k < kSumLanes; k += 32) sum += lanes[k];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(kWarp, sum, step);
  return sum;
}

__device__ inline rules::WindowSums join_windows(const ClipMemory* memory) {
  rules::WindowSums total;
  for (int k = threadIdx.x & 31; k < kSumLanes; k += 32) {
    total.sum += memory->whole[k];
    total.squares += static_cast<rules::Uint128>(memory->upper_squares[k]) << 64 | memory->squares[k];
  }
  const auto from_lane = [](rules::Uint128 mine, int step) {
    const auto low = __shfl_xor_sync(kWarp, static_cast<unsigned long long>(mine), step);
    const auto high = __shfl_xor_sync(kWarp, static_cast<unsigned long long>(mine >> 64), step);
    return static_cast<rules::Uint128>(high) << 64 | low;
  };
  for (int step = 16; step > 0; step /= 2) {
    total.sum += static_cast<rules::Int128>(from_lane(static_cast<rules::Uint128>(total.sum), step));
    total.squares += from_lane(total.squares, step);
  }
  return total;
}

/// By the leading warp: has the block sum what memory->wanted says.
__device__ inline void have_summed(const float* sorted, ClipMemory* memory, std::int64_t lo, std::int64_t hi) {
  if (threadIdx.x == 0) {
    memory->lo = lo;
    memory->hi = hi;
  }
  meet();  // the range is there for all
  sum_lane(sorted, memory);
  meet();  // all lanes are summed
}

/// Sums of a range for the leading warp, made by the whole block.
struct LedSums {
  const float* sorted;
  ClipMemory* memory;

  REBER_HD rules::CellSums operator()(std::int64_t lo, std::int64_t hi, double median) const {
#ifdef __CUDA_ARCH__
    if (threadIdx.x == 0) {
      memory->wanted = ClipMemory::rounded;
      memory->median = median;
    }
    have_summed(sorted, memory, lo, hi);
    return {join_lanes(memory->sum), join_lanes(memory->sum2)};
#else
    (void)lo, (void)hi, (void)median;
    return {0, 0};
#endif
  }
};

struct LedWindow {
  const float* sorted;
  ClipMemory* memory;

  REBER_HD rules::WindowSums operator()(std::int64_t lo, std::int64_t hi, int unit) const {
#ifdef __CUDA_ARCH__
    if (threadIdx.x == 0) {
      memory->wanted = ClipMemory::exact;
      memory->unit = unit;
    }
    have_summed(sorted, memory, lo, hi);
    return join_windows(memory);
#else
    (void)lo, (void)hi, (void)unit;
    return {};
#endif
  }
};

/// rules::first_above by a warp: 32 places at a time.
struct WarpSearch {
  REBER_HD std::int64_t operator()(const float* sorted, std::int64_t lo, std::int64_t hi, double limit,
                                   bool strict) const {
#ifdef __CUDA_ARCH__
    while (lo < hi) {
      const std::int64_t step = (hi - lo + 31) / 32, at = lo + (threadIdx.x & 31) * step;
      const double value = at < hi ? sorted[at] : 0;
      const bool above = strict ? value > limit : value >= limit;
      const int count = __popc(__ballot_sync(kWarp, at < hi && !above));
      if (lo + count * step < hi) hi = lo + count * step;
      if (count > 0) lo += (count - 1) * step + 1;
    }
    return lo;
#else
    return rules::first_above(sorted, lo, hi, limit, strict);
#endif
  }
};

struct LedExact {
  const float* sorted;
  ClipMemory* memory;

  REBER_HD rules::MeanStd operator()(std::int64_t lo, std::int64_t hi) const {
    return rules::exact_moments(sorted, lo, hi, LedWindow{sorted, memory}, WarpSearch{});
  }
};

/// The clip, by the first warp of a block; the other warps call help_clip meanwhile.
__device__ inline rules::CellClip lead_clip(const float* sorted, std::int64_t finite, double kappa, int max_rounds,
                                            ClipMemory* memory) {
  const rules::CellClip clip = rules::clip_sorted_cell(sorted, finite, kappa, max_rounds, LedSums{sorted, memory},
                                                       LedExact{sorted, memory}, WarpSearch{});
  if (threadIdx.x == 0) memory->wanted = ClipMemory::nothing;
  meet();  // the others learn that it is over
  return clip;
}

__device__ inline void help_clip(const float* sorted, ClipMemory* memory) {
  while (true) {
    meet();  // the leader has asked
    if (memory->wanted == ClipMemory::nothing) return;
    sum_lane(sorted, memory);
    meet();  // all lanes are summed
  }
}

/// Digits of 4 bits; with 32 pixels per thread there are no registers to keep a pass's counts in.
template <int Threads, int Items>
using CellSort = cub::BlockRadixSort<std::uint32_t, Threads, Items, cub::NullType, 4, (Items <= 16)>;

template <int Threads, int Items>
union CellMemory {
  struct {
    float sorted[Threads * Items];
    ClipMemory clip;
  } cell;
  typename CellSort<Threads, Items>::TempStorage digits;
};

/// Sorts the finite pixels into memory.cell.sorted.   returns how many they are
template <int Threads, int Items>
__device__ unsigned sort_by_digits(const float (&pixels)[Items], CellMemory<Threads, Items>& memory) {
  std::uint32_t keys[Items];
  int finite = 0;
#pragma unroll
  for (int item = 0; item < Items; ++item) {
    keys[item] = isfinite(pixels[item]) ? rules::key_of(pixels[item]) : kBlankKey;
    finite += __syncthreads_count(keys[item] != kBlankKey);
  }
  CellSort<Threads, Items>(memory.digits).SortBlockedToStriped(keys);
  __syncthreads();  // the sort's memory is about to hold the sorted pixels
#pragma unroll
  for (int item = 0; item < Items; ++item) memory.cell.sorted[item * Threads + threadIdx.x] = float_of_key(keys[item]);
  __syncthreads();  // all pixels are in place before the first round
  return static_cast<unsigned>(finite);
}

}  // namespace reber::cuda
