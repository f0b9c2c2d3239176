// SPDX-License-Identifier: BSD-3-Clause
// Clipped mode and rms of one mesh cell from its sorted finite pixels. Mean and std are of exact sums, so the values
// depend neither on the order of the pixels nor on how they were gathered.
#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/shared/exact_sums.hpp"
#include "kernels/shared/host_device.hpp"
#include "kernels/shared/pixel_rules.hpp"

namespace reber::rules {

/// Sums that lead from one round to the next are kept in at least so many partial sums, to bound their error.
inline constexpr int kCellLanes = 16;

/// Median of sorted[lo, hi): the middle value, or the mean of the two middle ones, in double. hi > lo.
REBER_HD double sorted_median(const float* sorted, std::int64_t lo, std::int64_t hi) {
  const std::int64_t middle = lo + (hi - lo) / 2;
  if (((hi - lo) & 1) != 0) return sorted[middle];
  return 0.5 * (static_cast<double>(sorted[middle - 1]) + static_cast<double>(sorted[middle]));
}

/// First index in sorted[lo, hi) whose value is greater than `limit` (strict) or, not strict, not below it.
REBER_HD std::int64_t first_above(const float* sorted, std::int64_t lo, std::int64_t hi, double limit, bool strict) {
  while (lo < hi) {
    const std::int64_t middle = lo + (hi - lo) / 2;
    const double value = sorted[middle];
    const bool above = strict ? value > limit : value >= limit;
    if (above) {
      hi = middle;
    } else {
      lo = middle + 1;
    }
  }
  return lo;
}

/// The search as a parameter of clip_sorted_cell.
struct PlainSearch {
  REBER_HD std::int64_t operator()(const float* sorted, std::int64_t lo, std::int64_t hi, double limit,
                                   bool strict) const {
    return first_above(sorted, lo, hi, limit, strict);
  }
};

/// Population std from sums about a pivot: sqrt(max(0, sum2/n - (sum/n)^2)). The pivot is near the mean, so little
/// cancels.
REBER_HD double std_from_sums(double sum, double sum2, double n) {
  const double mean = sum / n;
  const double variance = sum2 / n - mean * mean;
  return variance > 0 ? sqrt(variance) : 0.0;
}

/// Rounded sums of (value - median) and of its square over a range.
struct CellSums {
  double sum;
  double sum2;
};

/// Pixels strictly between are kept.
struct CellLimits {
  double low, high;
  /// That no float lies so close to a limit that rounded sums of n values could put it on the wrong side. They bring
  /// an error of at most 3 (n / kCellLanes + 12) units of 2^-53 to std; twice that and more is left.
  bool sure;
};

REBER_HD CellLimits cell_limits(double median, double reach, std::int64_t n) {
  const double low = median - reach, high = median + reach;
  const auto terms = n / kCellLanes + 64;
  const double error = static_cast<double>(terms) * 0x1p-50 * (fabs(median) + reach);
  return {low, high,
          fabs(static_cast<double>(static_cast<float>(low)) - low) > error &&
              fabs(static_cast<double>(static_cast<float>(high)) - high) > error};
}

/// Exact sums over values that are whole numbers of 2^unit, below 2^kWindowBits of them.
struct WindowSums {
  Int128 sum = 0;
  Uint128 squares = 0;
};
inline constexpr int kWindowBits = 36;

/// Mean and std of sorted[lo, hi), any finite floats, hi > lo. window(lo, hi, unit) gives the WindowSums of
/// sorted[lo, hi). Values too tiny for a unit lie next to each other, and make the next window.
template <class Window, class Search>
REBER_HD MeanStd exact_moments(const float* sorted, std::int64_t lo, std::int64_t hi, Window window, Search search) {
  using Wide = WideInt<11>;
  using WideSum = WideInt<5>;  // of fewer than 2^42 values
  constexpr int kLeast = -149, kSignificand = 23;
  constexpr std::uint64_t kMostNarrow = std::uint64_t{1} << 24;  // 128 bits hold n times the sum of squares
  const auto n = static_cast<std::uint64_t>(hi - lo);
  WideSum sum;
  Wide squares;
  while (lo < hi) {
    const float size = fmaxf(fabsf(sorted[lo]), fabsf(sorted[hi - 1]));
    if (size == 0.0f) break;
    const int wanted = ilogbf(size) + 1 - kWindowBits, unit = wanted > kLeast ? wanted : kLeast;
    const double tiny = wanted > kLeast ? ldexp(1.0, unit + kSignificand) : 0.0;
    const std::int64_t left = search(sorted, lo, hi, -tiny, true), right = search(sorted, left, hi, tiny, false);
    const WindowSums below = window(lo, left, unit), above = window(right, hi, unit);
    const Int128 both = below.sum + above.sum;
    const bool rest = left < right && (sorted[left] != 0.0f || sorted[right - 1] != 0.0f);
    if (!rest && static_cast<std::uint64_t>(hi - lo) == n && n < kMostNarrow)
      return mean_and_std_about(0, n, both, below.squares + above.squares, unit);
    const WideSum part = shifted<5>(static_cast<Uint128>(both < 0 ? -both : both), unit - kLeast);
    add(sum, both < 0 ? negated(part) : part);
    add(squares, shifted<11>(below.squares + above.squares, 2 * (unit - kLeast)));
    lo = left;
    hi = right;
  }
  return mean_and_std(n, sum, squares, kLeast);
}

/// What the clip of one cell leaves: sorted[lo, hi) and its statistics. NaN where nothing is left.
struct CellClip {
  std::int64_t lo, hi;
  double median, mean, std;
};

/// kappa-sigma clip of sorted[0, n), n > 0, to convergence or for max_rounds rounds; a range of zero std is final.
/// sums(lo, hi, median) gives the CellSums of sorted[lo, hi), exact(lo, hi) its mean and std; search does what
/// first_above does. One thread's loops on the host, a block's on a GPU.
template <class Sums, class Exact, class Search>
REBER_HD CellClip clip_sorted_cell(const float* sorted, std::int64_t n, double kappa, int max_rounds, Sums sums,
                                   Exact exact, Search search) {
  CellClip clip{0, n, 0, 0, 0};
  for (int round = 0;; ++round) {
    const std::int64_t kept = clip.hi - clip.lo;
    clip.median = sorted_median(sorted, clip.lo, clip.hi);
    std::int64_t lo = clip.lo, hi = clip.hi;
    if (round < max_rounds && sorted[lo] < sorted[hi - 1]) {
      const CellSums total = sums(lo, hi, clip.median);
      const double std = std_from_sums(total.sum, total.sum2, static_cast<double>(kept));
      CellLimits limits = cell_limits(clip.median, kappa * std, kept);
      if (!limits.sure) limits = cell_limits(clip.median, kappa * exact(lo, hi).std, kept);
      lo = search(sorted, clip.lo, clip.hi, limits.low, true);
      hi = search(sorted, lo, clip.hi, limits.high, false);
    }
    if (lo == clip.lo && hi == clip.hi) {
      const MeanStd now = exact(lo, hi);
      clip.mean = now.mean;
      clip.std = now.std;
      return clip;
    }
    clip.lo = lo;
    clip.hi = hi;
    if (lo >= hi) {
      clip.median = clip.mean = clip.std = static_cast<double>(blank_value());
      return clip;
    }
  }
}

struct CellValue {
  float mean;
  float rms;
};

/// Centre (MeshOptions::centre; the median in a crowded cell) and unbiased rms from the converged clip.
REBER_HD CellValue cell_value(double median, double mean, double std, double bias, double centre) {
  const double rms = std / bias;
  const bool crowded = !(fabs(mean - median) < 0.3 * rms);
  return {static_cast<float>(crowded ? median : centre * median - (centre - 1) * mean), static_cast<float>(rms)};
}

}  // namespace reber::rules
