// SPDX-License-Identifier: BSD-3-Clause
// The Gaussians of an island held against the pixels of it and around it.
#pragma once

#include <span>
#include <vector>

#include "core/fitting/surroundings.hpp"
#include "core/sources/source.hpp"

namespace reber {

/// Whether the rows of an island are two Gaussians or more and nothing else, one of them of more than 1.5 beam areas,
/// none cut. Parts that were fitted alone hold flux of their neighbours, and what Gaussians have off the island no
/// pixel of it contradicts.   beam: FWHM^2 on the grid
[[nodiscard]] bool are_wide_fits(std::span<const SourceSums> rows, std::span<const SourceFit> fits,
                                 const Covariance& beam);

/// What such Gaussians are held against.
struct HeldAgainst {
  const IslandPixels& pixels;  ///< of every island
  const IslandPixels& around;  ///< surroundings of islands, as island_pixels() gives them
  const DetectOptions& options;
  const Covariance& beam;
  const NoiseCorrelation& noise;
  ThreadPool& pool;
};

/// Where the Gaussians of such an island hold more than its pixels and those as far around it as gaussian_reach(), by 3
/// errors of their sum and a fiftieth, or less by 3 errors and a twentieth, they get new heights: those of least
/// squares (1 / rms^2) among all that hold what the pixels hold. Where one would be below a quarter or above twice of
/// what it was, all are multiplied by one number. Places, shapes and the relative errors of the heights stay.
void share_heights(const std::vector<SourceSums>& sums, std::vector<SourceFit>& fits, const HeldAgainst& in);

}  // namespace reber
