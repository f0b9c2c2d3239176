// SPDX-License-Identifier: BSD-3-Clause
// Clipped mode and rms of one mesh cell from its sorted finite pixels. The order of every sum is fixed by the sorted
// order, so the values do not depend on how the pixels were gathered.
#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/shared/host_device.hpp"
#include "kernels/shared/pixel_rules.hpp"

namespace reber::rules {

/// Sums over a sorted range are kept in kCellLanes partial sums: element k (counted from the start of the range) goes
/// to lane k mod kCellLanes, lanes are then added pairwise, lane l to lane l + half, for half = lanes/2 ... 1.
inline constexpr int kCellLanes = 256;

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

/// Population std from sums about a pivot: sqrt(max(0, sum2/n - (sum/n)^2)). The pivot is the median, so nothing
/// cancels.
REBER_HD double std_from_sums(double sum, double sum2, double n) {
  const double mean = sum / n;
  const double variance = sum2 / n - mean * mean;
  return variance > 0 ? sqrt(variance) : 0.0;
}

/// Sum of (value - median) and of its square over a range.
struct CellSums {
  double sum;
  double sum2;
};

/// What the clip of one cell leaves: sorted[lo, hi) and its statistics. NaN where nothing is left.
struct CellClip {
  std::int64_t lo, hi;
  double median, mean, std;
};

/// kappa-sigma clip of sorted[0, n), n > 0, to convergence or for max_rounds rounds; a range of zero std is final.
/// sums(lo, hi, median) gives the CellSums of sorted[lo, hi) in the lanes' order: one thread's loop on the host, a
/// block's on a GPU. search does what first_above does.
template <class Sums, class Search = PlainSearch>
REBER_HD CellClip clip_sorted_cell(const float* sorted, std::int64_t n, double kappa, int max_rounds, Sums sums,
                                   Search search = {}) {
  CellClip clip{0, n, 0, 0, 0};
  for (int round = 0;; ++round) {
    const double kept = static_cast<double>(clip.hi - clip.lo);
    clip.median = sorted_median(sorted, clip.lo, clip.hi);
    const CellSums total = sums(clip.lo, clip.hi, clip.median);
    clip.mean = clip.median + total.sum / kept;
    clip.std = std_from_sums(total.sum, total.sum2, kept);
    if (!(clip.std > 0) || round >= max_rounds) return clip;
    const double reach = kappa * clip.std;
    const std::int64_t lo = search(sorted, clip.lo, clip.hi, clip.median - reach, true);
    const std::int64_t hi = search(sorted, lo, clip.hi, clip.median + reach, false);
    if (lo == clip.lo && hi == clip.hi) return clip;
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
