// SPDX-License-Identifier: BSD-3-Clause
// What the pixels of a finished run say of its image: coverage, noise, the distribution of S/N.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/run/pipeline/result.hpp"
#include "core/seam/compute/job.hpp"

namespace reber {

/// Pixels counted by their S/N.
struct SnrHistogram {
  static constexpr double kLow = -10, kHigh = 30, kWidth = 0.25;
  static constexpr std::size_t kBins = static_cast<std::size_t>((kHigh - kLow) / kWidth);
  std::vector<std::int64_t> counts = std::vector<std::int64_t>(kBins);
  std::int64_t below = 0, above = 0;  ///< of what is counted in no bin
  [[nodiscard]] static double middle(std::size_t bin) { return kLow + (static_cast<double>(bin) + 0.5) * kWidth; }
};

struct FieldNumbers {
  static constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  std::int64_t pixels = 0;
  std::int64_t blank = 0;    ///< not finite, or exactly 0
  std::int64_t corners = 0;  ///< of these, outside of the convex hull of the others but within its bounding box
  std::int64_t known = 0;    ///< pixels with an S/N
  /// Noise at the quantiles (k + 0.5) / kNoiseSteps, in the image's unit without its prefix: the area by depth.
  static constexpr std::size_t kNoiseSteps = 50;
  std::vector<double> noise;
  double rms_low = kNan, rms_median = kNan, rms_high = kNan;  ///< 5, 50 and 95 % quantiles, the same unit
  std::array<double, 4> quadrants{kNan, kNan, kNan, kNan};    ///< median noise, same unit; NaN for one without any
  double snr_median = kNan, snr_low = kNan;                   ///< 50 and 15.87 % quantiles of the S/N
  SnrHistogram histogram;
};

/// Walks over the maps of the run, band by band; reads them through its backend.   throws Cancelled, DeviceError
[[nodiscard]] FieldNumbers measure_field(const Result& result, const Job& job);

}  // namespace reber
