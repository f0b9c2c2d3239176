// SPDX-License-Identifier: BSD-3-Clause
// Outlines of sources in a sky picture.
#pragma once

#include <vector>

#include "core/model/beam.hpp"
#include "core/model/catalogue.hpp"
#include "core/model/wcs.hpp"
#include "core/picture/picture_layout.hpp"

namespace reber {

/// Outline of an ellipse given by its squared FWHMs on the pixel grid, at half maximum times `grow`.
[[nodiscard]] std::vector<Point> outline(const PictureLayout& layout, double x, double y, const Covariance& fwhm2,
                                         double grow);

/// One ellipse per source, of the columns Maj, Min, PA; a circle where there are none. Where sources are many for the
/// room there is, outlines are smaller and thinner, so that the image shows between them.
void draw_sources(Canvas& canvas, const PictureLayout& layout, const Catalogue& sources, const Wcs& wcs);

}  // namespace reber
