// SPDX-License-Identifier: BSD-3-Clause
// The pixels of fits by hand: those of islands, and those around a place.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "core/run/pipeline/result.hpp"

namespace reber {

/// Islands of a result as fits by hand leave them: one that was fitted with others is one island with them.
class HandPixels {
 public:
  /// What one fit is of.
  struct Area {
    std::set<std::int64_t> labels;  ///< islands in it; none: it is around a place by itself
    LabelRuns runs;                 ///< labelled 1
    IslandPixels pixels;            ///< one entry: known pixels with a noise; label 1
    bool grown = false;             ///< it is more than one island as it was
  };

  /// throws DeviceError, Cancelled
  HandPixels(const Result& result, const DetectOptions& options, const Job& job);

  /// The islands of these labels; with those that the ellipse of the FWHM around `place` touches, and its pixels.
  ///   throws DeviceError, Cancelled
  [[nodiscard]] Area area(std::set<std::int64_t> labels, const std::optional<GaussianComponent>& place) const;

  /// From now on the area is one island.   returns its label: the least of its islands', or one behind all others
  std::int64_t keep(const Area& area);

  /// The sums of a share of an area's pixels; of the pixel nearest to `at` where the share has none.
  [[nodiscard]] static IslandSums sums_of_share(const IslandPixels& area, const FitPixels& share,
                                                const GaussianComponent& at);

 private:
  const Result& result_;
  const DetectOptions& options_;
  const Job& job_;
  LabelRuns islands_;  ///< labels are those of sources
  std::int64_t last_ = 0;
};

}  // namespace reber
