// SPDX-License-Identifier: BSD-3-Clause
// Rows of a catalogue out of what the fits of islands found.
#pragma once

#include <cstddef>
#include <vector>

#include "core/base/thread_pool.hpp"
#include "core/measure/sources/fit_ladder.hpp"
#include "core/measure/sources/fit_sources.hpp"
#include "core/seam/compute/job.hpp"

namespace reber {

/// A range of entries of the sums: the sources of one island.
struct IslandSources {
  std::size_t first, count;
  std::size_t pixels;  ///< entry of IslandPixels
};

/// Islands that were fitted, in the order of their sources.
struct FittedIslands {
  const std::vector<IslandSources>& islands;
  const IslandPixels& pixels;
  const std::vector<std::vector<LadderResult>>& found;  ///< of each island
  const std::vector<std::vector<FitAttempt>>& attempts;
  bool negative;
  const std::vector<LadderSetting>& settings;  ///< one, or one of each; without a beam, no row holds what others leave
};

/// Rows with their fits, those that the fits added behind the others of their island, as is the row that holds what its
/// Gaussians leave. Sources of other islands keep their sums.   throws Cancelled
[[nodiscard]] std::vector<SourceRow> collect_rows(const std::vector<SourceRow>& sources, const FittedIslands& in,
                                                  ThreadPool& pool, const Job& job);

}  // namespace reber
