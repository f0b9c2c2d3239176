// SPDX-License-Identifier: BSD-3-Clause
// What fits do not know of the background under them.
#pragma once

#include <span>
#include <vector>

#include "core/measure/sources/source.hpp"
#include "core/seam/compute/background.hpp"
#include "core/seam/compute/gaussian_fit.hpp"

namespace reber {

/// Error of the level that a mesh has, times the side of a cell, over that of the mean of one pixel without
/// correlation: pi / 2 for a median of medians, over the five cells of the filter's side.
inline constexpr double kLevelNoise = 0.314;

/// Sets the error of the background's level of each fit whose brightest pixel a local level reaches: the largest of
/// theirs there. The others stay.
void set_level_errors(std::vector<LocalLevel> levels, std::span<SourceRow> rows);

/// Error of the level that the mesh has under wide sources, the same for all of their pixels: that of a median of the
/// noise in as many cells as the filter takes, and how far the level under the middle is from that of places a cell
/// around it, which is what another phase of the cells makes of it. In the image's unit; 0 of a mean that is given as a
/// map.   error: of the sum of the pixels, by the noise
[[nodiscard]] double mesh_level_error(const FitPixels& pixels, double error, const BackgroundModel& background);

}  // namespace reber
