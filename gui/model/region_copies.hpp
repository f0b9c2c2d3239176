// SPDX-License-Identifier: BSD-3-Clause
// Regions carried from image to image by text, and how long a line is on the sky.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "core/sky/regions/region_parsers.hpp"
#include "gui/model/state.hpp"

namespace reber::gui {

/// The chosen region, or all where none is, as lines of a DS9 file: on the sky in `system`, in pixels where the image
/// has none. There must be a header.
[[nodiscard]] std::string copied_regions(const Document& document, const SkySystem& system);

/// Adds regions to the document's own, of DS9's or CASA's lines. There must be a header.
///   returns what was read;   throws InputError: a number that cannot be read, or a place off the image's sky
ParsedRegions paste_regions(Document& document, const std::string& text);
/// The same of what was read.
ParsedRegions add_regions(Document& document, ParsedRegions parsed);

/// Adds those of a file, shows them, and says how many. There must be a header.
///   throws as paste_regions; DataError where it cannot be read
void read_regions(ViewerState& state, Document& document, const std::string& path);

struct LineMeasure {
  double length_deg = 0;  ///< along its pieces
  double pa_deg = 0;      ///< where it sets out to from its first point, north through east of the image's own frame
};
/// Of a line; empty for other regions, and where a point is off the image's sky.
[[nodiscard]] std::optional<LineMeasure> line_measure(const Region& region, const Wcs& wcs);
/// "12.35 arcmin, 63.2 deg".
[[nodiscard]] std::string to_text(const LineMeasure& measure);

}  // namespace reber::gui
