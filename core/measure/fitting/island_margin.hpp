// SPDX-License-Identifier: BSD-3-Clause
// The pixels beside islands: what a fit sees of a source below the threshold.
#pragma once

#include <cstdint>
#include <vector>

#include "core/seam/compute/backend.hpp"

namespace reber {

/// Pixels beside islands as islands of their own, numbered anew.
struct MarginRuns {
  LabelRuns runs;
  std::vector<std::int64_t> island;  ///< label of the island that entry k, labelled k + 1 in the runs, lies beside
};

/// Pixels inside the image that have a neighbour, of eight, in exactly one island and are in none.
///   islands: all of an image, in order of their labels
[[nodiscard]] MarginRuns margin_runs(const IslandPixels& islands, Shape image);

/// Pixels of such runs, fetched from the backend: one entry per island, `label` that of the island. Blank ones and
/// those without a noise are left out.   throws as Backend::island_pixels
[[nodiscard]] IslandPixels pixels_of_runs(Backend& backend, const Plane& plane, const BackgroundModel& background,
                                          const MarginRuns& margins, const DetectOptions& options, const Job& job);

/// The margins, fetched from the backend.   throws as Backend::island_pixels
[[nodiscard]] IslandPixels island_margins(Backend& backend, const Plane& plane, const BackgroundModel& background,
                                          const IslandPixels& islands, const DetectOptions& options, const Job& job);

}  // namespace reber
