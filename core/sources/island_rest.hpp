// SPDX-License-Identifier: BSD-3-Clause
// The books of an island: what its rows hold of its pixels, and what they leave.
#pragma once

#include <optional>
#include <vector>

#include "core/sources/source.hpp"

namespace reber {

/// What the rows of an island leave of its pixels, where that is flux of its own: above 5 errors and a twentieth of the
/// island's. Its sums are those of the pixels less the rows' Gaussians, scaled to what rows with moments leave as well.
/// sources, fits: the island's rows are those from `first`;   pixels: of the island, less background
[[nodiscard]] std::optional<SourceSums> rest_of(const std::vector<SourceSums>& sources,
                                                const std::vector<SourceFit>& fits, std::size_t first,
                                                const FitPixels& pixels, const Covariance& beam);

/// Whether a source covers more than twice the pixels that a point of its peak would: no Gaussian is to be read into
/// its moments if none could be fitted. Diffuse emission just above the threshold would be given twice its flux. ratio:
/// of the peak to the threshold
[[nodiscard]] bool wider_than_point(const IslandSums& sums, double ratio, const Covariance& beam);

/// Sets isl_rest of all rows of one image.
void set_rests(std::vector<Source>& sources);

}  // namespace reber
