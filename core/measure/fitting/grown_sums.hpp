// SPDX-License-Identifier: BSD-3-Clause
// Sums of sources that no Gaussian describes, with the pixels around their islands.
#pragma once

#include <span>
#include <vector>

#include "core/measure/fitting/shared_heights.hpp"
#include "core/measure/fitting/surroundings.hpp"
#include "core/measure/sources/island_rows.hpp"

namespace reber {

/// Islands with rows that keep plain sums or are wide fits, by themselves or together, and how far the emission in them
/// may reach below the flood level: to where a Gaussian of the peak and the number of pixels of such a row has 98 % of
/// its flux, and a radius more.
///   pixels: of every island;   beam: FWHM^2 on the grid
[[nodiscard]] std::vector<Surrounding> islands_to_grow(std::span<const IslandRows> islands, const IslandPixels& pixels,
                                                       const DetectOptions& options, const Covariance& beam);

/// Whether a row without a Gaussian is given the sum of pixels as it stands.
[[nodiscard]] bool keeps_plain_sums(const SourceRow& row, const DetectOptions& options, const Covariance& beam);

/// Of the circle with the pixels of a row.
[[nodiscard]] double radius_of(const SourceRow& row);
/// Out to where a row of an island has all but a fiftieth of its flux if it is a Gaussian, in pixels.
[[nodiscard]] double gaussian_reach(const SourceRow& row, const DetectOptions& options);

/// Adds the surroundings of islands to their rows of plain sums, less what the Gaussians of other rows have there and
/// on the island. A row that is alone takes place and moments of all pixels as well, and wing_flux() where it
/// lies_evenly(); several share in parts of their sums. Beyond the reach of a
/// Gaussian rings are added as long as one holds more than twice the error of
/// its sum. The errors are those of sums of noise with this autocorrelation.
void grow_plain_rows(std::span<const IslandRows> islands, const HeldAgainst& in, const BackgroundModel& background);

}  // namespace reber
