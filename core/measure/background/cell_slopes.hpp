// SPDX-License-Identifier: BSD-3-Clause
// Cells in which the background rises from one side to the other: their noise without the rise, and the image's rim.
#pragma once

#include "core/seam/compute/background.hpp"

namespace reber {

/// The cells, their rms without what a slope of the background adds to it: pixels of a cell of ny x nx whose background
/// rises by gy and gx a pixel have a variance of (gy^2 (ny^2 - 1) + gx^2 (nx^2 - 1)) / 12 more than their noise. A
/// slope is the smaller of those to the two neighbours (at the rim: to the next and from there to the one after it), 0
/// where their signs differ or one is not known: neither an edge nor a peak is a slope. A cell changes where that
/// variance is above 4 % of the rest, and the rest a tenth of the whole; with no such cell the cells come back as they
/// are, to the bit, else without filtered values.
[[nodiscard]] MeshCells without_slopes(const MeshGrid& grid, MeshCells cells);

/// The model with nodes at the first and last rows and columns that cells cover, where its mean has a slope there as
/// above: carried on along it, the rms as at the outermost cells. The same model where there is none. Cells stand
/// apart.
[[nodiscard]] BackgroundModel carried_to_rim(BackgroundModel model);

}  // namespace reber
