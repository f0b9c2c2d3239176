// SPDX-License-Identifier: BSD-3-Clause
// The pixels around islands, out to a distance: what a source holds below the flood level.
#pragma once

#include <vector>

#include "core/base/thread_pool.hpp"
#include "core/measure/fitting/island_margin.hpp"

namespace reber {

/// Width in radii of an island of the rings that are looked at around it: faint wings against noise.
inline constexpr double kRing = 0.5;

/// An island and how far around it pixels are wanted.
struct Surrounding {
  std::size_t island = 0;  ///< entry of the islands' pixels
  double reach_px = 0;
};

/// Pixels inside the image, in no island, that are at most `reach_px` from a pixel of the island and nearer to it than
/// to any other. Nothing around islands whose surroundings would span more than 2^24 pixels.
///   islands: all of an image, in order of their labels;   wanted: each island once
[[nodiscard]] MarginRuns surrounding_runs(const IslandPixels& islands, const std::vector<Surrounding>& wanted,
                                          Shape image, ThreadPool& pool);

/// Of each pixel around an island, how far it is from the nearest one of the island.
[[nodiscard]] std::vector<double> distances_from(const FitPixels& island, const FitPixels& around);

}  // namespace reber
