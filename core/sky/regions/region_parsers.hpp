// SPDX-License-Identifier: BSD-3-Clause
// Reading DS9's and CASA's region files.
#pragma once

#include <string>
#include <vector>

#include "core/base/progress.hpp"
#include "core/sky/regions/region_io.hpp"

namespace reber {

struct ParsedRegions {
  std::vector<FileRegion> regions;
  std::vector<std::string> skipped;  ///< "line 12: annulus is not a shape that is drawn here" ...
};

/// DS9: image, physical, icrs, fk5, fk4, galactic, ecliptic; circle, ellipse, box, annulus, ellipses and boxes with a
/// hole, polygon, line, point; text={...} as name. Rings between several radii are one region. CRTF: circle, ellipse,
/// annulus, box, centerbox, rotbox, poly, line, symbol; coord=..., without which places are in the image's own frame;
/// label='...'.
///   throws InputError naming the line where a number or unit cannot be read; Cancelled, asked for at every shape
[[nodiscard]] ParsedRegions parse_ds9(const std::string& text, const Progress& progress = {});
[[nodiscard]] ParsedRegions parse_crtf(const std::string& text, const Progress& progress = {});

}  // namespace reber
