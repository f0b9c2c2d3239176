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

/// What the leading warp asks of the block in a round of the clip, and the lanes' sums.
struct ClipMemory {
  double sum[rules::kCellLanes];
  double sum2[rules::kCellLanes];
  double median;
  std::int64_t lo, hi;  ///< hi < lo: no more rounds
};

/// Each thread below kCellLanes sums its lane of the range asked for.
__device__ inline void sum_lane(const float* sorted, ClipMemory* memory) {
  const auto lane = static_cast<int>(threadIdx.x);
  if (lane >= rules::kCellLanes) return;
  const double median = memory->median;
  const std::int64_t hi = memory->hi;
  double sum = 0, sum2 = 0;
  std::int64_t k = memory->lo + lane;
  const auto add = [&](float value) {
    const double d = static_cast<double>(value) - median;
    sum += d;
    sum2 += d * d;
  };
  constexpr int kAhead = 8;  // loads in flight; the additions keep their order
  for (; k + (kAhead - 1) * rules::kCellLanes < hi; k += kAhead * rules::kCellLanes) {
    float values[kAhead];
#pragma unroll
    for (int a = 0; a < kAhead; ++a) values[a] = sorted[k + a * rules::kCellLanes];
#pragma unroll
    for (int a = 0; a < kAhead; ++a) add(values[a]);
  }
  for (; k < hi; k += rules::kCellLanes) add(sorted[k]);
  memory->sum[lane] = sum;
  memory->sum2[lane] = sum2;
}

/// Lanes l, l + 32, ... pairwise, then across the warp: the order of rules::kCellLanes. In all lanes of the warp.
__device__ inline double join_lanes(const double* lanes) {
  static_assert(rules::kCellLanes == 256);
  double part[8];
#pragma unroll
  for (int k = 0; k < 8; ++k) part[k] = lanes[(threadIdx.x & 31) + 32 * k];
#pragma unroll
  for (int half = 4; half > 0; half /= 2)
#pragma unroll
    for (int k = 0; k < half; ++k) part[k] += part[k + half];
  double sum = part[0];
  for (int half = 16; half > 0; half /= 2) sum += __shfl_down_sync(kWarp, sum, half);
  return __shfl_sync(kWarp, sum, 0);
}

/// Sums of a range for the leading warp, made by the whole block.
struct LedSums {
  const float* sorted;
  ClipMemory* memory;

  REBER_HD rules::CellSums operator()(std::int64_t lo, std::int64_t hi, double median) const {
#ifdef __CUDA_ARCH__
    if (threadIdx.x == 0) {
      memory->lo = lo;
      memory->hi = hi;
      memory->median = median;
    }
    meet();  // the range is there for all
    sum_lane(sorted, memory);
    meet();  // all lanes are summed
    return {join_lanes(memory->sum), join_lanes(memory->sum2)};
#else
    (void)lo, (void)hi, (void)median;
    return {0, 0};
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

/// The clip, by the first warp of a block; the other warps call help_clip meanwhile.
__device__ inline rules::CellClip lead_clip(const float* sorted, std::int64_t finite, double kappa, int max_rounds,
                                            ClipMemory* memory) {
  const rules::CellClip clip =
      rules::clip_sorted_cell(sorted, finite, kappa, max_rounds, LedSums{sorted, memory}, WarpSearch{});
  if (threadIdx.x == 0) {
    memory->lo = 1;
    memory->hi = 0;
  }
  meet();  // the others learn that it is over
  return clip;
}

__device__ inline void help_clip(const float* sorted, ClipMemory* memory) {
  while (true) {
    meet();  // the leader has asked
    if (memory->hi < memory->lo) return;
    sum_lane(sorted, memory);
    meet();  // all lanes are summed
  }
}

/// Buckets are as wide as 1 / kPerScale of the cell's scale about its centre, twice as wide from one scale on, four
/// times from three on and so forth: a few pixels of noise each, and sources far out in buckets of their own.
template <int Pixels>
struct BucketSizes {
  static constexpr int kLogPerScale = Pixels <= 1024 ? 7 : (Pixels <= 4096 ? 9 : 11);
  static constexpr int kOctaves = 4;
  static constexpr int kHalf = kOctaves << kLogPerScale;
  static constexpr int kWords = kHalf;  ///< two buckets of 16 bits a word
};
/// More pixels than this in one bucket: the cell is sorted digit by digit.
inline constexpr unsigned kMostInBucket = 96;

template <int Threads, int Items>
union CellMemory {
  struct {
    float sorted[Threads * Items];
    union {
      std::uint32_t words[BucketSizes<Threads * Items>::kWords + 4];
      ClipMemory clip;
    };
    float centre, scale;  ///< scale: 1 / width, or 0 where buckets would not help
    std::uint32_t warps[Threads / 32];
  } bucket;
  typename cub::BlockRadixSort<std::uint32_t, Threads, Items>::TempStorage digits;
};

/// Median and quartiles of 32 pixels, a lane each: a centre and a scale good enough to divide a cell by.
__device__ inline void guess_scale(float pixel, float& centre, float& scale) {
  const int lane = threadIdx.x & 31;
  std::uint32_t key = isfinite(pixel) ? rules::key_of(pixel) : kBlankKey;
  for (int size = 2; size <= 32; size *= 2)
    for (int step = size / 2; step > 0; step /= 2) {
      const std::uint32_t other = __shfl_xor_sync(kWarp, key, step);
      const bool keep_small = ((lane & step) == 0) == ((lane & size) == 0);
      key = keep_small == (other < key) ? other : key;
    }
  const int finite = __popc(__ballot_sync(kWarp, key != kBlankKey));
  const float low = float_of_key(__shfl_sync(kWarp, key, finite / 4));
  const float high = float_of_key(__shfl_sync(kWarp, key, 3 * finite / 4 & 31));
  centre = float_of_key(__shfl_sync(kWarp, key, finite / 2 & 31));
  const float width = (high - low) * 0.74f;
  scale = finite >= 8 && width > 1e-30f && width < 1e30f ? 1 / width : 0;
}

/// Rises with the value.
template <int Pixels>
__device__ inline unsigned bucket_of(float value, float centre, float scale) {
  using Sizes = BucketSizes<Pixels>;
  const float distance = (value - centre) * scale;
  const unsigned far = (__float_as_uint(1 + fabsf(distance)) - 0x3f800000u) >> (23 - Sizes::kLogPerScale);
  const unsigned steps = min(far, static_cast<unsigned>(Sizes::kHalf - 1));
  return distance < 0 ? Sizes::kHalf - 1 - steps : Sizes::kHalf + steps;
}

/// Turns the counts of the buckets into the places where they start, and one more for the end.   returns all pixels
template <int Threads, int Items>
__device__ unsigned scan_buckets(CellMemory<Threads, Items>& memory) {
  constexpr int kWords = BucketSizes<Threads * Items>::kWords, kShare = kWords / Threads;
  static_assert(kShare * Threads == kWords);
  std::uint32_t* mine = memory.bucket.words + threadIdx.x * kShare;
  std::uint32_t words[kShare];
  unsigned sum = 0;
#pragma unroll
  for (int k = 0; k < kShare; ++k) {
    words[k] = mine[k];
    sum += (words[k] & 0xffffu) + (words[k] >> 16);
  }
  unsigned before = sum;
  for (int step = 1; step < 32; step *= 2) {
    const unsigned other = __shfl_up_sync(kWarp, before, step);
    if ((threadIdx.x & 31) >= step) before += other;
  }
  if ((threadIdx.x & 31) == 31) memory.bucket.warps[threadIdx.x / 32] = before;
  before -= sum;
  __syncthreads();  // all warps' sums are there
  unsigned total = 0;
  for (int warp = 0; warp < Threads / 32; ++warp) {
    if (warp == threadIdx.x / 32) before += total;
    total += memory.bucket.warps[warp];
  }
#pragma unroll
  for (int k = 0; k < kShare; ++k) {
    const unsigned low = words[k] & 0xffffu, high = words[k] >> 16;
    mine[k] = before | (before + low) << 16;
    before += low + high;
  }
  if (threadIdx.x == 0) memory.bucket.words[kWords] = total;
  return total;
}

/// A thread's pixels in their buckets: the rank of each in its bucket, in the order of arrival, a byte each.
template <int Threads, int Items>
struct Bucketed {
  float centre, scale;
  std::uint32_t ranks[Items / 4];

  __device__ unsigned bucket(float pixel) const { return bucket_of<Threads * Items>(pixel, centre, scale); }
  __device__ unsigned rank(int item) const { return ranks[item / 4] >> (item % 4 * 8) & 0xffu; }
};

/// Counts the pixels of each bucket.   returns false where there are too many in one, or no scale
template <int Threads, int Items>
__device__ bool count_buckets(const float (&pixels)[Items], float sample, CellMemory<Threads, Items>& memory,
                              Bucketed<Threads, Items>& bucketed) {
  static_assert(Items % 4 == 0);
  std::uint32_t* words = memory.bucket.words;
  for (int k = threadIdx.x; k < BucketSizes<Threads * Items>::kWords; k += Threads) words[k] = 0;
  if (threadIdx.x < 32) {
    float centre = 0, scale = 0;
    guess_scale(sample, centre, scale);
    if (threadIdx.x == 0) {
      memory.bucket.centre = centre;
      memory.bucket.scale = scale;
    }
  }
  __syncthreads();  // counts are 0, the scale is there
  bucketed.centre = memory.bucket.centre;
  bucketed.scale = memory.bucket.scale;
  bool crowded = bucketed.scale == 0;
#pragma unroll
  for (int k = 0; k < Items / 4; ++k) bucketed.ranks[k] = 0;
  if (!crowded) {
#pragma unroll
    for (int item = 0; item < Items; ++item) {
      if (!isfinite(pixels[item])) continue;
      const unsigned bucket = bucketed.bucket(pixels[item]), shift = (bucket & 1) * 16;
      const unsigned rank = atomicAdd(words + bucket / 2, 1u << shift) >> shift & 0xffffu;
      crowded |= rank >= kMostInBucket;
      bucketed.ranks[item / 4] |= (rank & 0xffu) << (item % 4 * 8);
    }
  }
  return __syncthreads_or(crowded) == 0;
}

/// Sorts the finite pixels into memory.bucket.sorted: into buckets by one atomic a pixel, then by counting within each
/// bucket.   returns false where buckets do not serve
/// sample   of the first warp's lanes, pixels from all over the cell
template <int Threads, int Items>
__device__ bool sort_by_buckets(const float (&pixels)[Items], float sample, CellMemory<Threads, Items>& memory,
                                unsigned& finite) {
  Bucketed<Threads, Items> bucketed;
  if (!count_buckets(pixels, sample, memory, bucketed)) return false;
  finite = scan_buckets(memory);
  __syncthreads();  // all buckets' places are there
  const auto* starts = reinterpret_cast<const std::uint16_t*>(memory.bucket.words);
  auto* keys = reinterpret_cast<std::uint32_t*>(memory.bucket.sorted);
#pragma unroll
  for (int item = 0; item < Items; ++item)
    if (isfinite(pixels[item]))
      keys[starts[bucketed.bucket(pixels[item])] + bucketed.rank(item)] = rules::key_of(pixels[item]);
  __syncthreads();  // all pixels are in their buckets
  std::uint32_t places[Items / 2] = {};
#pragma unroll
  for (int item = 0; item < Items; ++item) {
    if (!isfinite(pixels[item])) continue;
    const unsigned bucket = bucketed.bucket(pixels[item]), rank = bucketed.rank(item);
    const unsigned first = starts[bucket], count = starts[bucket + 1] - first;
    const std::uint32_t key = rules::key_of(pixels[item]);
    unsigned place = first;
    if (count > 1) {
      for (unsigned k = 0; k < count; ++k) {
        const std::uint32_t other = keys[first + k];
        place += other < key || (other == key && k < rank) ? 1 : 0;
      }
    }
    places[item / 2] |= place << (item % 2 * 16);
  }
  __syncthreads();  // all places are known before pixels move
#pragma unroll
  for (int item = 0; item < Items; ++item)
    if (isfinite(pixels[item])) memory.bucket.sorted[places[item / 2] >> (item % 2 * 16) & 0xffffu] = pixels[item];
  __syncthreads();  // all pixels are sorted, and the counts' memory is free
  return true;
}

/// The same for any pixels.   returns how many are finite
template <int Threads, int Items>
__device__ unsigned sort_by_digits(const float (&pixels)[Items], CellMemory<Threads, Items>& memory) {
  std::uint32_t keys[Items];
  int finite = 0;
#pragma unroll
  for (int item = 0; item < Items; ++item) {
    keys[item] = isfinite(pixels[item]) ? rules::key_of(pixels[item]) : kBlankKey;
    finite += __syncthreads_count(keys[item] != kBlankKey);  // also: the memory of the buckets is free
  }
  cub::BlockRadixSort<std::uint32_t, Threads, Items>(memory.digits).SortBlockedToStriped(keys);
  __syncthreads();  // the sort's memory is about to hold the sorted pixels
#pragma unroll
  for (int item = 0; item < Items; ++item)
    memory.bucket.sorted[item * Threads + threadIdx.x] = float_of_key(keys[item]);
  __syncthreads();  // all pixels are in place before the first round
  return static_cast<unsigned>(finite);
}

}  // namespace reber::cuda
