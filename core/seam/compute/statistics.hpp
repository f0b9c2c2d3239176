// SPDX-License-Identifier: BSD-3-Clause
// Plain and clipped statistics of one plane.
#pragma once

#include <cstdint>
#include <limits>

namespace reber {

/// Statistics over the finite pixels. NaN where there are none; std is the population's.
/// median: the mean of the two middle values for an even count, computed in double.
struct PlaneStatistics {
  std::int64_t finite = 0;
  std::int64_t blank = 0;
  double min = std::numeric_limits<double>::quiet_NaN();
  double max = std::numeric_limits<double>::quiet_NaN();
  double mean = std::numeric_limits<double>::quiet_NaN();
  double std = std::numeric_limits<double>::quiet_NaN();
  double median = std::numeric_limits<double>::quiet_NaN();
};

/// What of PlaneStatistics is asked for. mean_and_std, median: these and the counts; the rest stays NaN.
enum class StatisticsParts { all, mean_and_std, median };

struct ClipOptions {
  double kappa = 3;
  int max_rounds = 100;
  bool operator==(const ClipOptions&) const = default;
};

/// kappa-sigma clip about the median. Each round keeps median - kappa std < v < median + kappa std of what the round
/// before kept (strict, population std). It ends with the round that removes nothing. median, mean and std are of the
/// kept pixels. rounds counts every round, the last one (which removes nothing) included.
struct ClipStatistics {
  double median = std::numeric_limits<double>::quiet_NaN();
  double mean = std::numeric_limits<double>::quiet_NaN();
  double std = std::numeric_limits<double>::quiet_NaN();
  std::int64_t kept = 0;
  int rounds = 0;
  bool converged = false;
};

/// Ratio std_clipped / sigma at the fixed point of the clip of Gaussian data: the root of
///   s = sqrt(1 - 2 h phi(h) / erf(h / sqrt 2)), h = kappa s     (0.98485 for kappa 3, 0.72574 for kappa 2)
/// An rms is std / clip_bias(kappa).
[[nodiscard]] double clip_bias(double kappa);

}  // namespace reber
