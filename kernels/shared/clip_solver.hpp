// SPDX-License-Identifier: BSD-3-Clause
// Plain and clipped statistics from integer histograms of float keys: exact, whatever the order pixels are seen in.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/seam/compute/statistics.hpp"
#include "kernels/shared/float_keys.hpp"

namespace reber {

/// For each of rules::kBins bins: number of finite pixels, sum and sum of squares of the keys' lower 16 bits. Sums of
/// squares of bins with more than 2^32 pixels may be modulo 2^64, and are not used. Blank pixels are counted nowhere.
struct MomentHistogram {
  std::vector<std::uint64_t> count, sum, sum_squares;
  MomentHistogram() : count(rules::kBins), sum(rules::kBins), sum_squares(rules::kBins) {}
};

/// What a backend must be able to count.
class HistogramSource {
 public:
  virtual ~HistogramSource() = default;
  virtual MomentHistogram moments() = 0;
  /// For each asked-for bin, 65536 counts: how many finite pixels have that bin and each lower half.
  virtual std::vector<std::vector<std::uint64_t>> values(std::span<const std::uint32_t> bins) = 0;
};

/// Clipped statistics, the same rounds and kept pixels as the plain algorithm over sorted pixels. Asks for the moments
/// once and for the values of the bins that hold a limit or a median, several at a time.
[[nodiscard]] ClipStatistics solve_clip(HistogramSource& source, const ClipOptions& options);

/// Plain statistics from the same histograms. blank is passed through.
[[nodiscard]] PlaneStatistics solve_statistics(HistogramSource& source, std::int64_t blank, StatisticsParts parts);

}  // namespace reber
