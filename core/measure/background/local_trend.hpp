// SPDX-License-Identifier: BSD-3-Clause
// Noise that rises and falls from cell to cell, as in mosaics that were divided by the beams of their pointings.
#pragma once

#include "core/measure/background/noise_trend.hpp"

namespace reber {

/// The logarithm of the noise at each cell by a polynomial of second order through the known cells of the 5 x 5 about
/// it, those far off left out; through more where these are fewer than twelve.   rms: of the cells, not filtered
[[nodiscard]] NoiseTrend smooth_trend(const MeshGrid& grid, const std::vector<float>& rms);

/// The same where it is noise and the median filter does not follow. At some 500 cells: the scatter about it is below
/// half of that of the cells, and the filter's value is more than 12 % off at a hundredth of them, three at least. In
/// these cells it is nearer than half of what the filter is, which keeps steps, and the means are those of the image,
/// to .3 rms: emission has levels as well. Each in the median.
[[nodiscard]] std::optional<NoiseTrend> local_trend(const MeshGrid& grid, const MeshCells& cells, int filter);

}  // namespace reber
