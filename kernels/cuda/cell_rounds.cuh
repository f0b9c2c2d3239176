// SPDX-License-Identifier: BSD-3-Clause
// Device code for the second half of a cell's way: sure pixels summed, the others listed, the rounds of the clip. For
// mesh_sift.cu.
#pragma once

#include "kernels/cuda/cell_sift.cuh"

namespace reber::cuda::cell {

/// What a pixel is told by: sure ones are at most `half` buckets from `centre` and not tiny, those of the middle in the
/// buckets from `low` to `high`.
struct Divider {
  Buckets buckets;
  float centre, half, low, high, tiny;

  __device__ explicit Divider(const Division& division)
      : buckets(division.buckets),
        centre(kWhole + static_cast<float>(division.centre)),
        half(static_cast<float>(division.half)),
        low(kWhole + static_cast<float>(division.middle_low)),
        high(kWhole + static_cast<float>(division.middle_high)),
        tiny(static_cast<float>(power_of_two(division.exponent - kBits + 23))) {}
  // No short cuts: a branch a pixel would cost more than all tests.
  __device__ bool inner(float bucket) const { return fabsf(bucket - centre) <= half; }
  __device__ bool middle(float bucket) const { return (bucket >= low) & (bucket <= high); }
};

/// Sums the sure ones of four pixels.   returns a bit for each that is to be listed
__device__ __forceinline__ unsigned sum_four(const float4& four, const Divider& divider, float pivot, double wide_pivot,
                                             Sums& sums) {
  const float values[4] = {four.x, four.y, four.z, four.w};
  unsigned bits = 0;
#pragma unroll
  for (int q = 0; q < 4; ++q) {
    const float bucket = divider.buckets(values[q]);
    const bool sure = divider.inner(bucket) & (fabsf(values[q]) >= divider.tiny);
    bits |= static_cast<unsigned>(!sure | divider.middle(bucket)) << q;
    add_lossless(sums, static_cast<double>(sure ? values[q] : pivot) - wide_pivot);
  }
  return bits;
}

/// Lists a pixel. The ranks where the buckets start serve as cursors: less the ranks of what is not listed, a pixel's
/// place in the list.
template <int Threads>
__device__ __forceinline__ void list_pixel(float pixel, const Divider& divider, const CellRule& rule,
                                           CellMemory<Threads>& memory, float* list) {
  if (!isfinite(pixel)) return;
  const Division& division = memory.division;
  const float bucket = held_bucket<Threads>(divider.buckets, pixel);
  const bool inner = divider.inner(bucket), middle = divider.middle(bucket);
  if (!inner | middle) {
    const unsigned passed = middle ? division.middle_start - division.below
                            : bucket < divider.centre
                                ? 0
                                : division.finite - division.above - division.below - division.middle_count;
    list[atomicAdd(memory.starts + (__float_as_uint(bucket) - __float_as_uint(kWhole)), 1u) - passed] = pixel;
  }
  if (inner & (fabsf(pixel) < divider.tiny)) {
    const unsigned place = division.below + division.middle_count + division.above + atomicAdd(&memory.tiny, 1u);
    if (place < rule.list) list[place] = pixel;
  }
}

/// Sums the sure pixels of a thread and lists the others and those of the middle.
template <int Threads>
__device__ Sums divide_pixels(int groups, const CellRule& rule, const float* pixels, CellMemory<Threads>& memory,
                              float* list) {
  const Divider divider(memory.division);
  const float pivot = memory.division.pivot;
  Sums sums{0, power_of_two(2 * memory.division.exponent + kHeadBits), 0};
  for (int first = threadIdx.x; first < groups; first += kGroups * Threads) {
    const int count = min(kGroups, (groups - first + Threads - 1) / Threads);
    unsigned listed = 0;
#pragma unroll 1  // two or four together are slower by 2 to 6 %
    for (int k = 0; k < count; ++k)
      listed |= sum_four(reinterpret_cast<const float4*>(pixels)[first + k * Threads], divider, pivot, pivot, sums)
                << (4 * k);
    for (; listed != 0; listed &= listed - 1) {
      const int at = __ffs(static_cast<int>(listed)) - 1;
      list_pixel(pixels[4 * (first + at / 4 * Threads) + at % 4], divider, rule, memory, list);
    }
  }
  return sums;
}

/// The block's sums in memory.sums: distances in units, heads of the squares in units squared times 2^(kBits + 1), and
/// the rests in units squared, a number a warp each.
template <int Threads>
__device__ void keep_sums(const Sums& sums, int exponent, CellMemory<Threads>& memory) {
  static_assert(2 * kBits - 52 + kHeadBits == kBits + 1, "an ulp of the head is 2^(kBits + 1) units squared");
  const WholeSums whole =
      whole_sums(sums, power_of_two(2 * exponent + kHeadBits), exponent - kBits, 2 * exponent - kBits + 1);
  const long long parts[3] = {warp_sum(whole.sum), warp_sum(whole.head), warp_sum(whole.rest)};
  if ((threadIdx.x & 31) != 0) return;
#pragma unroll
  for (int k = 0; k < 3; ++k) memory.sums[k][threadIdx.x / 32] = parts[k];
}

/// Where the pixels of a bucket of the middle lie in the middle, all buckets' starts having moved to their ends.
struct BucketEnds {
  unsigned start, end;
};

template <int Threads>
__device__ BucketEnds bucket_ends(const CellMemory<Threads>& memory, float pixel) {
  const Division& division = memory.division;
  const int at = static_cast<int>(__float_as_uint(division.buckets(pixel)) - __float_as_uint(kWhole));
  return {at == division.middle_low ? 0 : memory.starts[at - 1] - division.middle_start,
          memory.starts[at] - division.middle_start};
}

/// The middle in the order of its keys: bucket after bucket, by counting within each. Where there are many, they may be
/// few values that occur often, of which each has its own bucket.
template <int Threads>
__device__ void sort_middle(const CellMemory<Threads>& memory, const float* middle, float* sorted) {
  constexpr unsigned kMany = 256;
  const unsigned count = memory.division.middle_count;
  bool alike = count > kMany;
  if (alike) {
    bool differ = false;
    for (unsigned k = threadIdx.x; k < count; k += Threads)
      differ |= __float_as_uint(middle[k]) != __float_as_uint(middle[bucket_ends(memory, middle[k]).start]);
    alike = __syncthreads_or(differ) == 0;
  }
  for (unsigned k = threadIdx.x; k < count; k += Threads) {
    const float pixel = middle[k];
    unsigned place = k;
    if (!alike) {
      const BucketEnds ends = bucket_ends(memory, pixel);
      const std::uint32_t key = rules::key_of(pixel);
      place = ends.start;
      for (unsigned at = ends.start; at < ends.end; ++at) {
        const std::uint32_t other = rules::key_of(middle[at]);
        place += other < key || (other == key && at < k) ? 1 : 0;
      }
    }
    sorted[place] = pixel;
  }
}

/// A cell that is left to the rounds of one warp.
struct Divided {
  const float* middle;  ///< sorted
  const float* list;
  unsigned tail_count;
  rules::Int128 sum;  ///< of the sure pixels' distances from the pivot, in units
  rules::Uint128 squares;

  /// k-th pixel of the tails, and of those too tiny for the unit.
  __device__ float tail(const Division& division, unsigned k) const {
    return list[k < division.below ? k : k + division.middle_count];
  }
};

/// Pixels strictly between low and high are kept.
struct Limits {
  float low, high;
};

/// What a round finds in the tails; in all lanes.
struct TailSums {
  double sum, sum2;
  unsigned kept, below;
};

/// Tails of a lane that it has at hand in every round.
inline constexpr int kAtHand = 4;
struct LaneTails {
  float values[kAtHand];
  double distances[kAtHand];
};

__device__ __forceinline__ void add_tail(float value, double distance, const Limits& limits, TailSums& sums) {
  const bool above = value > limits.low, kept = above & (value < limits.high);
  if (kept) {
    sums.sum += distance;
    sums.sum2 = fma(distance, distance, sums.sum2);
    ++sums.kept;
  }
  if (!above) ++sums.below;
}

__device__ inline LaneTails take_tails(const Division& division, const Divided& cell) {
  const double pivot = division.pivot;
  LaneTails mine;
#pragma unroll
  for (int k = 0; k < kAtHand; ++k) {
    const unsigned at = (threadIdx.x & 31) + 32 * k;
    mine.values[k] = at < cell.tail_count ? cell.tail(division, at) : HUGE_VALF;  // which is never kept nor below
    mine.distances[k] = static_cast<double>(mine.values[k]) - pivot;
  }
  return mine;
}

__device__ inline TailSums sum_tails(const Division& division, const Divided& cell, const LaneTails& mine,
                                     const Limits& limits) {
  TailSums sums{};
#pragma unroll
  for (int k = 0; k < kAtHand; ++k) add_tail(mine.values[k], mine.distances[k], limits, sums);
  for (unsigned k = (threadIdx.x & 31) + 32 * kAtHand; k < cell.tail_count; k += 32) {
    const float value = cell.tail(division, k);
    add_tail(value, static_cast<double>(value) - division.pivot, limits, sums);
  }
  const unsigned counts = __reduce_add_sync(kAll, sums.kept | sums.below << 16);
  for (int step = 16; step > 0; step /= 2) {
    sums.sum += __shfl_xor_sync(kAll, sums.sum, step);
    sums.sum2 += __shfl_xor_sync(kAll, sums.sum2, step);
  }
  sums.kept = counts & 0xffffu;
  sums.below = counts >> 16;
  return sums;
}

/// Mean and std of what the limits leave, of exact sums.   returns false where 128 bits might not hold them
__device__ inline bool exact_sums(const Division& division, const Divided& cell, const Limits& limits, unsigned kept,
                                  rules::MeanStd& result) {
  const double pivot = division.pivot, bound = power_of_two(division.exponent),
               tiny = power_of_two(division.exponent - kBits + 23), per_unit = power_of_two(kBits - division.exponent);
  long long sum = 0;
  rules::Uint128 squares = 0;
  bool fits = true;
  for (unsigned k = threadIdx.x; k < cell.tail_count; k += 32) {
    const float value = cell.tail(division, k);
    if (!(value > limits.low && value < limits.high)) continue;
    const double distance = static_cast<double>(value) - pivot;
    fits = fits && fabs(distance) < bound && (fabsf(value) >= tiny || value == 0);
    const auto whole = static_cast<long long>(distance * per_unit);
    sum += whole;
    squares += static_cast<rules::Uint128>(static_cast<rules::Int128>(whole) * whole);
  }
  if (!__all_sync(kAll, fits)) return false;
  sum = warp_sum(sum);
  for (int step = 16; step > 0; step /= 2) {
    const auto low = __shfl_xor_sync(kAll, static_cast<unsigned long long>(squares), step);
    const auto high = __shfl_xor_sync(kAll, static_cast<unsigned long long>(squares >> 64), step);
    squares += static_cast<rules::Uint128>(high) << 64 | low;
  }
  const int unit = division.exponent - kBits;
  rules::Int128 whole_pivot = 0;
  if (division.pivot != 0) {
    const int ulp = ilogbf(division.pivot) - 23;
    whole_pivot = static_cast<rules::Int128>(static_cast<long long>(pivot * power_of_two(-ulp))) *
                  (static_cast<rules::Int128>(1) << (ulp - unit));
  }
  result = rules::mean_and_std_about(whole_pivot, kept, cell.sum + sum, cell.squares + squares, unit);
  return true;
}

__device__ inline double median_of(const Division& division, const Divided& cell, unsigned below, unsigned kept,
                                   bool& good) {
  const unsigned at = below + kept / 2 - division.middle_start, lower = at - (kept % 2 == 0 ? 1u : 0u);
  good = good && at < division.middle_count && lower < division.middle_count;
  if (!good) return 0;
  const double upper = cell.middle[at];
  return kept % 2 != 0 ? upper : 0.5 * (static_cast<double>(cell.middle[lower]) + upper);
}

/// Limits that the next round keeps to, where every sure pixel lies between them and rounding cannot matter.
__device__ inline Limits next_limits(const Division& division, double median, double std, unsigned kept, double kappa,
                                     bool& good) {
  const rules::CellLimits wanted = rules::cell_limits(median, kappa * std, kept);
  const Limits limits{__double2float_rd(wanted.low), __double2float_ru(wanted.high)};
  good = good && wanted.sure && fabs(median - division.pivot) <= std && std > 0 &&
         division.buckets(limits.low) < kWhole + static_cast<float>(division.lowest) &&
         division.buckets(limits.high) > kWhole + static_cast<float>(division.highest);
  return limits;
}

/// The rounds, by one warp.   returns false where the scheme does not serve
__device__ inline bool clip_cell(const MeshTask& task, const Division& division, const Divided& cell,
                                 rules::CellValue& value) {
  const double unit = power_of_two(division.exponent - kBits);
  const double sure_sum = static_cast<double>(static_cast<long long>(cell.sum)) * unit;
  const double sure_sum2 = (static_cast<double>(static_cast<unsigned long long>(cell.squares >> 64)) * 0x1p64 +
                            static_cast<double>(static_cast<unsigned long long>(cell.squares))) *
                           (unit * unit);
  const unsigned sure = division.finite - cell.tail_count;
  const LaneTails mine = take_tails(division, cell);
  Limits limits{-HUGE_VALF, HUGE_VALF};
  unsigned before = 0;
  bool good = true;
  for (int round = 0;; ++round) {
    const TailSums tails = sum_tails(division, cell, mine, limits);
    const unsigned kept = sure + tails.kept;
    const double median = median_of(division, cell, tails.below, kept, good);
    if (!good) return false;
    if (round >= task.max_rounds || kept == before) {
      rules::MeanStd now;
      if (!exact_sums(division, cell, limits, kept, now)) return false;
      value = rules::cell_value(median, now.mean, now.std, task.bias, task.centre);
      return true;
    }
    before = kept;
    // As rules::std_from_sums, with one division for two.
    const double part = 1 / static_cast<double>(kept), mean = (sure_sum + tails.sum) * part;
    const double variance = (sure_sum2 + tails.sum2) * part - mean * mean;
    const Limits next = next_limits(division, median, variance > 0 ? sqrt(variance) : 0, kept, task.kappa, good);
    if (!good) return false;
    limits = {fmaxf(limits.low, next.low), fminf(limits.high, next.high)};
  }
}

}  // namespace reber::cuda::cell
