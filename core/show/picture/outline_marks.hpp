// SPDX-License-Identifier: BSD-3-Clause
// How closed outlines are drawn: lines, thinner where many would hide the picture.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/progress.hpp"
#include "core/show/picture/ink.hpp"
#include "core/show/picture/sky_layout.hpp"
#include "core/sky/model/wcs.hpp"

namespace reber {

/// Closed lines on the canvas; the first point of each is its last as well.
struct OutlineMarks {
  std::vector<std::vector<Point>> paths;
  std::int64_t outlines = 0;  ///< that were given and reach into the picture; some may have no path
  double thickness = 1;       ///< final pixels
};

/// Each outline of image positions as a path on the canvas, without the corners that lie on one final pixel with the
/// one before; one that would be a dot is a small ring. Where lines crowd they become thinner; where even the thinnest
/// would cover more than a quarter of the picture, the largest outlines are drawn alone. NaN: no path. Linear in the
/// corners.   throws Cancelled
[[nodiscard]] OutlineMarks mark_outlines(const SkyLayout& layout,
                                         const std::vector<std::vector<PixelPosition>>& outlines,
                                         const Progress& progress);

/// What a reader must know of them: "300 of 900 extended sources outlined: the largest"; empty where all are.
[[nodiscard]] std::string note_of(const OutlineMarks& marks);

}  // namespace reber
