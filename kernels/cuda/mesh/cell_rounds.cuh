// SPDX-License-Identifier: BSD-3-Clause
// Device code for the end of a cell's way: the rounds of the clip, by a team of lanes. For mesh_sift.cu.
#pragma once

#include "kernels/cuda/mesh/cell_sift.cuh"

namespace reber::cuda::cell {

/// Pixels of the tails, and of those too tiny for the unit, in a block's list: `below` of them, then the others behind
/// a gap. Where they lie together, a pointer serves as well.
struct PartedTails {
  const float* list;
  unsigned below, gap;
  __device__ float operator[](unsigned k) const { return list[k < below ? k : k + gap]; }
};

/// Pixels strictly between low and high are kept.
struct Limits {
  float low, high;
};

/// What a round finds in the tails.
struct TailSums {
  double sum, sum2;
  unsigned kept, below;
};

/// A sum over neighbouring lanes, in each of them. All lanes of the warp must come.
template <int Team, class T>
__device__ __forceinline__ T team_sum(T value) {
#pragma unroll
  for (int step = Team / 2; step > 0; step /= 2) value += __shfl_xor_sync(kAll, value, step);
  return value;
}

template <int Team>
__device__ __forceinline__ rules::Uint128 wide_team_sum(rules::Uint128 value) {
#pragma unroll
  for (int step = Team / 2; step > 0; step /= 2) {
    const auto low = __shfl_xor_sync(kAll, static_cast<unsigned long long>(value), step);
    const auto high = __shfl_xor_sync(kAll, static_cast<unsigned long long>(value >> 64), step);
    value += static_cast<rules::Uint128>(high) << 64 | low;
  }
  return value;
}

template <int Team, class Tails>
__device__ __forceinline__ TailSums sum_tails(const Tails& tails, unsigned count, double pivot, const Limits& limits) {
  TailSums sums{};
#pragma unroll 4
  for (unsigned k = threadIdx.x % Team; k < count; k += Team) {
    const float value = tails[k];
    const double distance = static_cast<double>(value) - pivot;
    const bool above = value > limits.low, kept = above & (value < limits.high);
    if (kept) {
      sums.sum += distance;
      sums.sum2 = fma(distance, distance, sums.sum2);
      ++sums.kept;
    }
    if (!above) ++sums.below;
  }
  const unsigned counts = team_sum<Team>(sums.kept | sums.below << 16);  // of fewer than 2^16 pixels
  return {team_sum<Team>(sums.sum), team_sum<Team>(sums.sum2), counts & 0xffffu, counts >> 16};
}

/// middle: sorted.
__device__ __forceinline__ double median_of(const CellRecord& record, const float* middle, unsigned below,
                                            unsigned kept, bool& good) {
  const unsigned at = below + kept / 2 - record.middle_start, lower = at - (kept % 2 == 0 ? 1u : 0u);
  good = good && at < record.middle_count && lower < record.middle_count;
  if (!good) return 0;
  const double upper = middle[at];
  return kept % 2 != 0 ? upper : 0.5 * (static_cast<double>(middle[lower]) + upper);
}

/// Limits that the next round keeps to, where every sure pixel lies between them and rounding cannot matter.
__device__ __forceinline__ Limits next_limits(const CellRecord& record, double median, double std, unsigned kept,
                                              double kappa, bool& good) {
  const Buckets buckets{record.scale, record.offset};
  const rules::CellLimits wanted = rules::cell_limits(median, kappa * std, kept);
  const Limits limits{__double2float_rd(wanted.low), __double2float_ru(wanted.high)};
  good = good && wanted.sure && fabs(median - record.pivot) <= std && std > 0 &&
         buckets(limits.low) < kWhole + static_cast<float>(record.lowest) &&
         buckets(limits.high) > kWhole + static_cast<float>(record.highest);
  return limits;
}

/// Squares of the sure pixels' distances from the pivot, in units squared.
__device__ __forceinline__ rules::Uint128 sure_squares(const CellRecord& record) {
  return static_cast<rules::Uint128>(static_cast<rules::Int128>(record.heads) * (1ll << (kBits + 1)) + record.rests);
}

/// Where the clip of a cell ends, in each lane of its team.
struct ClipEnd {
  Limits limits{-HUGE_VALF, HUGE_VALF};
  unsigned kept = 0;
  double median = 0;
  bool good = false;  ///< else the scheme does not serve
};

/// The rounds of each team's cell. Teams whose clip has converged, or that are not `active`, wait for the others of
/// their warp.
template <int Team, class Tails>
__device__ ClipEnd clip_rounds(const MeshTask& task, const CellRecord& record, const Tails& tails, const float* middle,
                               bool active) {
  const double pivot = record.pivot, unit = power_of_two(record.exponent - kBits);
  const rules::Uint128 squares = sure_squares(record);
  const double sure_sum = static_cast<double>(record.sum) * unit;
  const double sure_sum2 = (static_cast<double>(static_cast<unsigned long long>(squares >> 64)) * 0x1p64 +
                            static_cast<double>(static_cast<unsigned long long>(squares))) *
                           (unit * unit);
  const unsigned sure = record.finite - record.tails;
  ClipEnd end;
  end.good = active;
  unsigned before = 0;
  for (int round = 0; __any_sync(kAll, active); ++round) {
    const TailSums found = sum_tails<Team>(tails, active ? record.tails : 0, pivot, end.limits);
    if (!active) continue;
    end.kept = sure + found.kept;
    end.median = median_of(record, middle, found.below, end.kept, end.good);
    active = end.good && round < task.max_rounds && end.kept != before;
    if (!active) continue;
    before = end.kept;
    // As rules::std_from_sums, with one division for two.
    const double part = 1 / static_cast<double>(end.kept), mean = (sure_sum + found.sum) * part;
    const double variance = (sure_sum2 + found.sum2) * part - mean * mean;
    const Limits next =
        next_limits(record, end.median, variance > 0 ? sqrt(variance) : 0, end.kept, task.kappa, end.good);
    active = end.good;
    end.limits = {fmaxf(end.limits.low, next.low), fminf(end.limits.high, next.high)};
  }
  return end;
}

/// Mean and std of what a clip leaves, of exact sums.   returns false where 128 bits might not hold them
template <int Team, class Tails>
__device__ bool exact_moments_of(const CellRecord& record, const Tails& tails, unsigned count, const ClipEnd& end,
                                 rules::MeanStd& result) {
  const double pivot = record.pivot, bound = power_of_two(record.exponent),
               tiny = power_of_two(record.exponent - kBits + 23), per_unit = power_of_two(kBits - record.exponent);
  long long sum = 0;
  rules::Uint128 squares = 0;
  bool fits = true;
  for (unsigned k = threadIdx.x % Team; k < count; k += Team) {
    const float value = tails[k];
    if (!(value > end.limits.low && value < end.limits.high)) continue;
    const double distance = static_cast<double>(value) - pivot;
    fits = fits && fabs(distance) < bound && (fabsf(value) >= tiny || value == 0);
    const auto whole = static_cast<long long>(distance * per_unit);
    sum += whole;
    squares += static_cast<rules::Uint128>(static_cast<rules::Int128>(whole) * whole);
  }
  fits = team_sum<Team>(fits ? 0u : 1u) == 0;
  sum = team_sum<Team>(sum);
  squares = wide_team_sum<Team>(squares);
  const int unit = record.exponent - kBits;
  rules::Int128 whole_pivot = 0;
  if (record.pivot != 0) {
    const int ulp = ilogbf(record.pivot) - 23;
    whole_pivot = static_cast<rules::Int128>(static_cast<long long>(pivot * power_of_two(-ulp))) *
                  (static_cast<rules::Int128>(1) << (ulp - unit));
  }
  if (fits && end.good)
    result = rules::mean_and_std_about(whole_pivot, end.kept, static_cast<rules::Int128>(record.sum) + sum,
                                       sure_squares(record) + squares, unit);
  return fits && end.good;
}

/// Values of each team's cell, in all its lanes. middle: sorted.   returns false where the scheme does not serve
template <int Team, class Tails>
__device__ bool clip_cell(const MeshTask& task, const CellRecord& record, const Tails& tails, const float* middle,
                          bool active, rules::CellValue& value) {
  const ClipEnd end = clip_rounds<Team>(task, record, tails, middle, active);
  rules::MeanStd moments{};
  const bool served = exact_moments_of<Team>(record, tails, active ? record.tails : 0, end, moments);
  value = rules::cell_value(end.median, moments.mean, moments.std, task.bias, task.centre);
  return served;
}

}  // namespace reber::cuda::cell
