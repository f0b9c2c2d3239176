// SPDX-License-Identifier: BSD-3-Clause
// Medians, spreads and floors.
#include "app/bench/bench_rows.hpp"

#include <cmath>
#include <limits>

namespace reber::app {
namespace {

/// Between the two nearest samples.
double quantile(const std::vector<double>& sorted, double part) {
  const double at = part * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

}  // namespace

Timing Timing::of(std::vector<double> samples) {
  Timing timing;
  if (samples.empty()) return timing;
  std::sort(samples.begin(), samples.end());
  timing.median = quantile(samples, 0.5);
  timing.low = samples.front();
  timing.high = samples.back();
  timing.quarter = quantile(samples, 0.25);
  timing.three_quarters = quantile(samples, 0.75);
  timing.repeats = static_cast<int>(samples.size());
  return timing;
}

Floor floor_of(const Work& work, const MachineLimits& limits) {
  Floor floor{limits.launch_ms, "launch"};
  const auto raise = [&floor](double ms, const char* bound) {
    if (ms > floor.ms) floor = {ms, bound};
  };
  // What is read beyond what is written moves at the rate of reading alone.
  const std::int64_t copied = 2 * std::min(work.bytes_read, work.bytes_written);
  const std::int64_t rest = work.bytes_read + work.bytes_written - copied;
  raise(static_cast<double>(copied) / limits.copy_bytes_per_ms + static_cast<double>(rest) / limits.read_bytes_per_ms,
        copied > 0 ? "copy" : "read");
  raise(0.5 * work.flop / limits.fma_per_ms, "FMA");
  if (limits.up_bytes_per_ms > 0) raise(static_cast<double>(work.bytes_up) / limits.up_bytes_per_ms, "bus");
  if (limits.down_bytes_per_ms > 0) raise(static_cast<double>(work.bytes_down) / limits.down_bytes_per_ms, "bus");
  return floor;
}

double ScalingTable::spread(const ScalingRow& row) const {
  double least = INFINITY, most = -INFINITY;
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    if (!std::isfinite(row.ms[k])) continue;
    least = std::min(least, ps_of(row.ms, k));
    most = std::max(most, ps_of(row.ms, k));
  }
  return most > 0 ? most / least : std::numeric_limits<double>::quiet_NaN();
}

double ScalingTable::fixed_us(const ScalingRow& row) const {
  double ww = 0, wp = 0, pp = 0, w = 0, p = 0;
  int count = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (!std::isfinite(row.ms[i])) continue;
    // Both sides of the line divided by the time.
    const double one = 1 / row.ms[i], pixels = static_cast<double>(sizes[i] * sizes[i]) / row.ms[i];
    ww += one * one, wp += one * pixels, pp += pixels * pixels, w += one, p += pixels;
    ++count;
  }
  const double determinant = ww * pp - wp * wp;
  return count > 1 && determinant > 0 ? 1e3 * (w * pp - p * wp) / determinant
                                      : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace reber::app
