// SPDX-License-Identifier: BSD-3-Clause
// The pixels of one region, and of many, row by row.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/base/progress.hpp"
#include "core/base/shape.hpp"
#include "core/sky/regions/region_rows.hpp"
#include "core/sky/regions/regions.hpp"

namespace reber {

/// Pixels x0 to x1 - 1 of row y.
struct RegionSpan {
  std::int64_t y = 0, x0 = 0, x1 = 0;
};

/// The pixels of the image whose centres a region holds: rows upwards, the spans of a row from left to right and apart.
/// What border, hole and sector mean: Region. A border of DS9 within 1e-6 px of a centre passes through it, so that
/// boxes whose sides are computed in different ways share none of their pixels and lose none; the sides of polygons are
/// as funtools rounds them. None for lines, points, and shapes that are not finite.
///   throws Cancelled, asked for in every row
void for_each_span(const Region& region, Shape image, const std::function<void(const RegionSpan&)>& take,
                   const Progress& progress = {});

/// For every row of the image, upwards, the pixels that are in one of the regions and in none that is excluded, as runs
/// apart and from left to right; where all are excluded, everything else. Regions of CASA are taken one after another,
/// so that one may bring back what another before it took out. Only regions that reach a row are looked at in it.
///   returns of each region whether it holds a pixel of the image   throws Cancelled
std::vector<bool> for_each_row(const std::vector<Region>& regions, Shape image,
                               const std::function<void(std::int64_t y, const PixelRuns& inside)>& take,
                               const Progress& progress = {});

}  // namespace reber
