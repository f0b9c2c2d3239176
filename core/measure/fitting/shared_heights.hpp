// SPDX-License-Identifier: BSD-3-Clause
// The Gaussians of an island held against the pixels of it and around it.
#pragma once

#include <span>

#include "core/measure/fitting/surroundings.hpp"
#include "core/measure/sources/island_rows.hpp"

namespace reber {

/// Whether the rows of an island are two or more, a Gaussian among them, none cut and none what others leave, and one
/// of more than 1.5 beam areas, by its fit or its moments, or wider than a beam by 3 errors and a twentieth; as well
/// where most of four rows or more were found in what others left, and for one whole fit of more than 3 beam areas
/// (is_wide_fit()). Parts that were fitted alone hold flux of their neighbours, and what Gaussians have off the island
/// no pixel of it contradicts.   beam: FWHM^2 on the grid
[[nodiscard]] bool are_wide_fits(std::span<const SourceRow> island, const Covariance& beam);

/// What such Gaussians are held against.
struct HeldAgainst {
  const IslandPixels& pixels;  ///< of every island
  const IslandPixels& around;  ///< surroundings of islands, as island_pixels() gives them
  const DetectOptions& options;
  const Covariance& beam;
  const NoiseCorrelation& noise;
  ThreadPool& pool;
};

/// Where all rows of such an island are Gaussians, what they lack of held_sum() is shared among them as the squares of
/// the errors of their totals, and each one's parameters go with its total as their covariance has it: a sure peak
/// stays, and an unsure shape takes it. Where that would change a peak or an axis by a factor of two heights do. A row
/// that is alone gets it where that is above 2 errors, and its errors hold the change of each parameter. Gaussians
/// beside rows of moments are multiplied by one number, of no less than a quarter, where all rows together hold more
/// than the pixels and those as far around as
/// gaussian_reach(), by 3 errors of their sum and a fiftieth, or less by 3 errors and a twentieth; rows of plain sums
/// take what is left by themselves, if that is a quarter of them. Errors stay, or grow until those of the totals are
/// together the error of the pixels' sum.
void share_heights(std::span<const IslandRows> islands, const HeldAgainst& in);

}  // namespace reber
