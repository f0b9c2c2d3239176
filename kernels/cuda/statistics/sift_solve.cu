// SPDX-License-Identifier: BSD-3-Clause
// The clip of a sorted list and of what was sifted, on the device: sums of chunks by a block each, rounds by one block.
// Every sum is of integers, so the result has the bits of kernels/shared/clip_solver.cpp.
#include <cuda_runtime.h>

#include <cfloat>

#include "kernels/cuda/statistics/sift_solve.hpp"
#include "kernels/cuda/statistics/sift_sums.cuh"
#include "kernels/shared/float_keys.hpp"

namespace reber::cuda {
namespace {

constexpr int kChunkThreads = 256, kChunkWarps = kChunkThreads / 32, kMostChunkBlocks = 2048;
constexpr int kThreads = 512;
constexpr std::uint32_t kInfinityKey = 0xff800000u;  ///< above the keys of all finite floats
constexpr int kMostExponent = 100;

__device__ float value_of_key(std::uint32_t key) { return __uint_as_float(rules::bits_of_key(key)); }
/// First of keys[lo, hi) that is not below `key`, by a whole block.
template <int Threads>
__device__ std::int64_t first_not_below(const std::uint32_t* keys, std::int64_t lo, std::int64_t hi,
                                        std::uint32_t key) {
  while (lo < hi) {
    const std::int64_t step = (hi - lo + Threads - 1) / Threads, at = lo + threadIdx.x * step;
    const int count = __syncthreads_count(at < hi && keys[at] < key);
    hi = min(static_cast<long long>(hi), static_cast<long long>(lo + count * step));
    if (count > 0) lo += (count - 1) * step + 1;
  }
  return lo;
}

/// First of keys[lo, hi) not below `first` and first not below `second`, at once; first <= second.
struct Ends {
  std::int64_t begin, end;
};

__device__ Ends find_ends(const std::uint32_t* keys, std::int64_t lo, std::int64_t hi, std::uint32_t first,
                          std::uint32_t second) {
  // Most rounds remove few: as many as there are threads are looked at from either end before all are searched.
  const std::int64_t low = lo + threadIdx.x, high = hi - 1 - threadIdx.x;
  const bool is_low = low < hi && keys[low] < first, is_high = high >= lo && keys[high] >= second;
  const int lows = __syncthreads_count(is_low), highs = __syncthreads_count(is_high);
  lo += lows;
  hi -= highs;
  std::int64_t from[2] = {lo, lo}, to[2] = {lows < kThreads ? lo : hi, hi};
  if (highs < kThreads) from[1] = hi;
  const std::uint32_t key[2] = {first, second};
  while (from[0] < to[0] || from[1] < to[1]) {
    std::int64_t step[2];
    bool before[2];
#pragma unroll
    for (int k = 0; k < 2; ++k) {
      step[k] = (to[k] - from[k] + kThreads - 1) / kThreads;
      const std::int64_t at = from[k] + threadIdx.x * step[k];
      before[k] = at < to[k] && keys[at] < key[k];
    }
#pragma unroll
    for (int k = 0; k < 2; ++k) {
      const int count = __syncthreads_count(before[k]);
      to[k] = min(static_cast<long long>(to[k]), static_cast<long long>(from[k] + count * step[k]));
      if (count > 0) from[k] += (count - 1) * step[k] + 1;
    }
  }
  return {from[0], from[1]};
}

/// Scale of a list that is all there is: that of the bulk of its values. Out of range where they are all 0.
__device__ int exponent_of(const std::uint32_t* keys, std::int64_t finite) {
  if (finite == 0) return kMostExponent + 1;
  const std::int64_t tail = finite / 64;
  const float size = fmaxf(fabsf(value_of_key(keys[tail])), fabsf(value_of_key(keys[finite - 1 - tail])));
  return size > 0 ? ilogbf(size) + 1 : kMostExponent + 1;
}

__device__ bool in_range(int exponent) { return abs(exponent) <= kMostExponent; }

/// Finite values of the list, and their scale; by a whole block.
struct Extent {
  std::int64_t finite;
  int exponent;
};

template <int Threads>
__device__ Extent extent_of(const SortedList& list, const SiftState* state) {
  if (!list.whole) return {list.count, state->bracket.exponent};
  const std::int64_t finite = first_not_below<Threads>(list.keys, 0, list.count, kInfinityKey);
  return {finite, exponent_of(list.keys, finite)};
}

/// Puts the counts of the state into the list.   returns whether the list is whole and in order
__device__ bool take_counts(SortedList& list, const SiftState& state) {
  if (!list.counted_there) return true;
  const std::int64_t room = list.count, odd_room = list.odd_count;
  list.count = static_cast<std::int64_t>(state.sifted.listed);
  list.odd_count = static_cast<std::int64_t>(state.sifted.odd);
  return state.bracket.usable && state.crowded == 0 && list.count > 0 && list.count <= room &&
         list.odd_count <= odd_room;
}

/// One warp per chunk.
__global__ void __launch_bounds__(kChunkThreads) k_sum_chunks(SortedList list, const SiftState* state) {
  if (!take_counts(list, *state)) return;
  const Extent extent = extent_of<kChunkThreads>(list, state);
  const std::int64_t list_chunks = (list.count + kChunk - 1) / kChunk, chunks = chunks_of(list);
  for (std::int64_t chunk = blockIdx.x * kChunkWarps + threadIdx.x / 32; chunk < chunks;
       chunk += gridDim.x * kChunkWarps) {
    const bool odd = chunk >= list_chunks;
    const std::int64_t first = (odd ? chunk - list_chunks : chunk) * kChunk,
                       count = (odd ? list.odd_count : extent.finite) - first;
    ChunkSums sums{};
    if (in_range(extent.exponent)) {
#pragma unroll
      for (int k = 0; k < kChunk / 32; ++k) {
        const int at = k * 32 + static_cast<int>(threadIdx.x & 31);
        if (at < count)
          add_value(sums, odd ? list.odd[first + at] : value_of_key(list.keys[first + at]), extent.exponent);
      }
    }
    sums = warp_sum(sums);
    if ((threadIdx.x & 31) == 0) list.chunks[chunk] = sums;
  }
}

/// Key of the smallest float greater than the limit, and of the largest one less than it; as in clip_solver.cpp.
__device__ std::uint32_t key_above(double limit) {
  if (limit < -FLT_MAX) return rules::key_of(-FLT_MAX);
  if (limit >= FLT_MAX) return rules::key_of(FLT_MAX) + 1;
  std::uint32_t key = rules::key_of(static_cast<float>(limit));
  while (value_of_key(key) > limit) --key;
  while (!(value_of_key(key) > limit)) ++key;
  return key;
}

/// The key of -x is the complement of that of x.
__device__ std::uint32_t key_below(double limit) { return ~key_above(-limit); }

/// A part of the list: whole chunks, and values before and after them.
struct ListPart {
  std::int64_t begin, head_end, first, last, tail, end;

  __device__ ListPart(std::int64_t from, std::int64_t to)
      : begin(from), first((from + kChunk - 1) / kChunk), last(to / kChunk), end(to) {
    const bool none = first >= last;
    if (none) last = first;
    head_end = none ? to : first * kChunk;
    tail = none ? to : last * kChunk;
  }
  [[nodiscard]] __device__ int values() const { return static_cast<int>(head_end - begin + end - tail); }
  [[nodiscard]] __device__ int chunks() const { return static_cast<int>(last - first); }
  [[nodiscard]] __device__ std::int64_t value(int k) const {
    return begin + k < head_end ? begin + k : tail + (begin + k - head_end);
  }
};

/// Adds a thread's part of what a round removes of [begin, end): chunks as they were summed, the rest value by value.
__device__ void add_removed(ChunkSums& sums, const SortedList& list, std::int64_t begin, std::int64_t end,
                            const Ends& left, int exponent) {
  const ListPart lower(begin, left.begin), upper(left.end, end);
  const int values = lower.values() + upper.values(), chunks = lower.chunks() + upper.chunks();
#pragma unroll 2
  for (int k = threadIdx.x; k < values; k += kThreads) {
    const std::int64_t at = k < lower.values() ? lower.value(k) : upper.value(k - lower.values());
    add_value(sums, value_of_key(list.keys[at]), exponent);
  }
#pragma unroll 2
  for (int k = threadIdx.x; k < chunks; k += kThreads)
    add(sums, list.chunks[k < lower.chunks() ? lower.first + k : upper.first + (k - lower.chunks())]);
}

/// Takes out sums that were added: whole numbers, so what is left is as if they had never been.
__device__ void take_out(ChunkSums& sums, const ChunkSums& part) {
  sums.coarse -= part.coarse;
  sums.fine -= part.fine;
  sums.coarse_squares -= part.coarse_squares;
  sums.fine_squares -= part.fine_squares;
}

/// A std that is quickly made, and how far the exact one, rounded, may be from it.
struct RoughStd {
  double std, error;
};

__device__ double double_of(rules::Uint128 value) {
  return static_cast<double>(static_cast<unsigned long long>(value >> 64)) * 0x1p64 +
         static_cast<double>(static_cast<unsigned long long>(value));
}
__device__ double double_of(rules::Int128 value) {
  return value < 0 ? -double_of(static_cast<rules::Uint128>(-value)) : double_of(static_cast<rules::Uint128>(value));
}

__device__ RoughStd rough_std(const ChunkSums& sums, std::int64_t n, int exponent) {
  constexpr double kError = 0x1p-48, kFine = 0x1p-30;
  static_assert(kFineBits - kCoarseBits == 30);
  const auto count = static_cast<double>(n);
  const double part = 1 / count;  // its rounding is a small part of the error allowed
  const double mean = (double_of(sums.coarse) + double_of(sums.fine) * kFine) * part;
  const double square = (double_of(sums.coarse_squares) + double_of(sums.fine_squares) * (kFine * kFine)) * part;
  const double variance = square - mean * mean, unit = power_of_two(exponent - kCoarseBits);
  if (!(variance > kError * square)) return {0, HUGE_VAL};
  const double std = sqrt(variance);
  return {std * unit, kError * (square / std + std) * unit};
}

/// Adds what is in every round.
__device__ void add_sure(ChunkSums& sums, const Sifted& sifted) {
  const auto joined = [](const unsigned long long* halves) {
    return (static_cast<rules::Int128>(static_cast<long long>(halves[1])) * (1ll << 32)) + halves[0];
  };
  sums.coarse += joined(sifted.sum);
  sums.coarse_squares +=
      static_cast<rules::Uint128>(joined(sifted.squares) * (1ll << 32) + joined(sifted.squares_rest));
}

/// Keys that a round keeps.
struct KeyRange {
  std::uint32_t lo, hi;
  [[nodiscard]] __device__ bool operator==(const KeyRange& other) const { return lo == other.lo && hi == other.hi; }
};

__device__ KeyRange keys_between(double low, double high) { return {key_above(low), key_below(high)}; }

/// Those of the largest and of the least std that the exact one may be, with limits moved outwards and inwards by more
/// than their rounding can matter. By whole warps: one lane per limit.
struct TwoRanges {
  KeyRange most, least;
};

__device__ TwoRanges limits_of(double median, double kappa, const RoughStd& rough) {
  const double outwards = (threadIdx.x & 2) == 0 ? 1 : -1, upwards = (threadIdx.x & 1) == 0 ? -1 : 1;
  const double reach = kappa * (rough.std + outwards * rough.error);
  const double limit = median + upwards * (reach + outwards * 0x1p-50 * (fabs(median) + fabs(reach)));
  const std::uint32_t above = key_above(-upwards * limit), key = upwards < 0 ? above : ~above;
  return {{__shfl_sync(kWholeWarp, key, 0), __shfl_sync(kWholeWarp, key, 1)},
          {__shfl_sync(kWholeWarp, key, 2), __shfl_sync(kWholeWarp, key, 3)}};
}

/// The clip, as a block's threads all hold it.
struct Rounds {
  std::int64_t begin, end;            ///< what is kept of the list
  std::int64_t sure_begin, sure_end;  ///< of the list: those below and those from the first above the sure pixels
  std::int64_t below, above;          ///< sure pixels
  bool good;

  [[nodiscard]] __device__ std::int64_t kept() const { return end - begin + below + above; }
  /// Value of the k-th pixel kept.
  __device__ double select(const std::uint32_t* keys, std::int64_t k) {
    std::int64_t at = begin + k;
    if (at >= sure_begin) {
      at -= below;
      good = good && at >= sure_begin;
      if (at >= sure_end) {
        at -= above;
        good = good && at >= sure_end;
      }
    }
    return good ? value_of_key(keys[at]) : 0;
  }
  __device__ double median(const std::uint32_t* keys) {
    const std::int64_t n = kept();
    const double upper = select(keys, n / 2);
    return n % 2 != 0 ? upper : 0.5 * (select(keys, n / 2 - 1) + upper);
  }
};

/// All that there is, by a whole block.
__device__ Rounds start_rounds(const SortedList& list, const SiftState& state, const Extent& extent) {
  Rounds rounds{0, extent.finite, extent.finite, extent.finite, 0, 0, extent.finite > 0 && in_range(extent.exponent)};
  if (list.whole) return rounds;
  if (list.counted_there) {
    rounds.sure_begin = state.begins[kTailBins];
    rounds.sure_end = state.begins[kTailBins + kMiddleBins];
  } else {
    const Bracket& bracket = state.bracket;
    const Ends ends = find_ends(list.keys, 0, list.count, rules::key_of(bracket.low), rules::key_of(bracket.high));
    rounds.sure_begin = ends.begin;
    rounds.sure_end = ends.end;
  }
  rounds.below = static_cast<std::int64_t>(state.sifted.below);
  rounds.above = static_cast<std::int64_t>(state.sifted.above);
  return rounds;
}

/// What a block shares in its rounds.
struct RoundMemory {
  ChunkSums parts[kThreads / 32];
  RoughStd std;
  bool inexact;
};

/// Sums of all pixels, in thread 0. Sets rounds.good where they are not exact.
__device__ ChunkSums first_sums(const SortedList& list, const SiftState& state, Rounds& rounds, RoundMemory& memory) {
  ChunkSums sums{};
  const auto chunks = static_cast<int>(chunks_of(list));
#pragma unroll 2
  for (int k = threadIdx.x; k < chunks; k += kThreads) add(sums, list.chunks[k]);
  sums = block_sum<kThreads>(sums, memory.parts);
  if (threadIdx.x == 0) {
    if (!list.whole) add_sure(sums, state.sifted);
    memory.inexact = sums.inexact != 0;
  }
  __syncthreads();  // all threads know whether the sums are exact
  rounds.good = rounds.good && !memory.inexact;
  return sums;
}

/// Keys within the round's limits, and clip.std: the rough one where it leads to the same keys as the exact one.
/// clip.converged where that is 0.
__device__ KeyRange round_limits(const ChunkSums& sums, double kappa, int exponent, ClipStatistics& clip,
                                 RoundMemory& memory) {
  __syncthreads();  // the last round's std was read
  if (threadIdx.x == 0) memory.std = rough_std(sums, clip.kept, exponent);
  __syncthreads();  // the std is there for all
  const RoughStd rough = memory.std;
  clip.std = rough.std;
  const TwoRanges ranges = limits_of(clip.median, kappa, rough);
  if (rough.std > rough.error && ranges.most == ranges.least) return ranges.most;
  __syncthreads();  // the rough std was read
  if (threadIdx.x == 0) memory.std = {mean_and_std(sums, clip.kept, exponent).std, 0};
  __syncthreads();  // the std is there for all
  clip.std = memory.std.std;
  clip.converged = !(clip.std > 0);
  return keys_between(clip.median - kappa * clip.std, clip.median + kappa * clip.std);
}

/// Rounds until one removes nothing; sums: of what is kept, in thread 0, and so it is left.
__device__ void clip_list(const SortedList& list, const SiftState& state, const ClipOptions& options, int exponent,
                          Rounds& rounds, ClipStatistics& clip, ChunkSums& sums, RoundMemory& memory) {
  const bool any_sure = rounds.below + rounds.above > 0;
  KeyRange kept{rules::key_of(-FLT_MAX), rules::key_of(FLT_MAX)};
  const auto note_kept = [&] {
    clip.kept = rounds.kept();
    clip.median = rounds.median(list.keys);
  };
  if (rounds.good) note_kept();
  while (rounds.good) {
    if (clip.rounds >= options.max_rounds) break;
    ++clip.rounds;
    const KeyRange limits = round_limits(sums, options.kappa, exponent, clip, memory);
    if (clip.converged) break;
    const double reach = options.kappa * clip.std;
    if (any_sure && !(clip.median - reach < state.bracket.low && clip.median + reach > state.bracket.high))
      rounds.good = false;
    kept = {max(kept.lo, limits.lo), min(kept.hi, limits.hi)};
    const Ends ends = find_ends(list.keys, rounds.begin, rounds.end, kept.lo, max(kept.lo, kept.hi + 1));
    clip.converged = ends.begin == rounds.begin && ends.end == rounds.end;
    if (clip.converged) break;
    const std::int64_t begin = rounds.begin, end = rounds.end;
    rounds.begin = ends.begin;
    rounds.end = ends.end;
    rounds.good = rounds.good && rounds.kept() > 0;
    if (rounds.good) note_kept();  // its loads are under way while the sums are made
    ChunkSums removed{};
    add_removed(removed, list, begin, end, ends, exponent);
    take_out(sums, block_sum<kThreads>(removed, memory.parts));
  }
}

__global__ void __launch_bounds__(kThreads) k_solve_list(SortedList list, ClipOptions options, SiftState* state) {
  __shared__ RoundMemory memory;
  if (!take_counts(list, *state)) return;
  const Extent extent = extent_of<kThreads>(list, state);
  Rounds rounds = start_rounds(list, *state, extent);
  SiftAnswer answer;
  answer.finite = rounds.kept();
  if (rounds.good) {
    answer.min = value_of_key(list.keys[0]);
    answer.max = value_of_key(list.keys[extent.finite - 1]);
    // The extremes of plain statistics must not be among the sure pixels.
    if (options.max_rounds == 0 && rounds.below + rounds.above > 0)
      rounds.good = rounds.sure_begin > 0 && rounds.sure_end < list.count;
  }
  ChunkSums sums = first_sums(list, *state, rounds, memory);
  clip_list(list, *state, options, extent.exponent, rounds, answer.clip, sums, memory);
  if (threadIdx.x != 0) return;
  state->sums = sums;
  state->exponent = extent.exponent;
  answer.exact = rounds.good;
  state->answer = answer;
}

}  // namespace

void solve_list(cudaStream_t stream, const SortedList& list, const ClipOptions& options, SiftState* state) {
  const std::int64_t blocks = (chunks_of(list) + kChunkWarps - 1) / kChunkWarps;
  k_sum_chunks<<<static_cast<unsigned>(blocks < kMostChunkBlocks ? blocks : kMostChunkBlocks), kChunkThreads, 0,
                 stream>>>(list, state);
  check_launch("k_sum_chunks", stream);
  k_solve_list<<<1, kThreads, 0, stream>>>(list, options, state);
  check_launch("k_solve_list", stream);
}

}  // namespace reber::cuda
