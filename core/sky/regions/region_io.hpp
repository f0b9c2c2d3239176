// SPDX-License-Identifier: BSD-3-Clause
// Shapes of region files, DS9's and CASA's (CRTF).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/sky/model/sky_frames.hpp"
#include "core/sky/regions/regions.hpp"

namespace reber {

enum class RegionFormat { ds9, crtf };
/// Of the text's first line, else of the name's ending (.crtf); DS9 where neither says.
[[nodiscard]] RegionFormat region_format(const std::string& name, const std::string& text);

/// A shape as its file has it, whatever the format. Angles: of the first axis, degrees counter-clockwise from the
/// direction of falling longitude (west), or from +x in pixels; so a position angle (north through east) is this
/// less 90.
struct FileRegion {
  Region::Kind kind = Region::Kind::ellipse;
  bool on_sky = false;
  std::optional<SkySystem> system;  ///< empty: the image's own
  bool physical = false;            ///< places and sizes in DS9's physical pixels, places counted from 1
  std::vector<double> places;       ///< x y x y ...: degrees on the sky, else 0-based pixels
  double half_x = 0, half_y = 0;    ///< degrees on the sky, else pixels
  double inner_x = 0, inner_y = 0;  ///< of the hole; 0: none
  bool sizes_in_pixels = false, has_size = false;
  double angle_deg = 0;
  double from_deg = 0, to_deg = 0;  ///< of a sector, counted from angle_deg; equal: all of it
  std::string name;
  bool excluded = false;
  Border border = Border::ds9;
  int line = 0;             ///< of the file, from 1
  bool annotation = false;  ///< only to be drawn, as CASA's "ann" says
};

/// The tag that keeps CASA's border in a DS9 file.
inline constexpr const char* kCasaBorder = "CASA border";

/// To pixels of an image and back. Ellipses and boxes go through the local geometry at their centres; an ellipse stays
/// exact for any pixels, a box of non-square turned pixels becomes the box with the same axes.
///   throws InputError where a place is off the image's sky, or it has none
[[nodiscard]] Region to_region(const FileRegion& file, const Wcs& wcs);
[[nodiscard]] FileRegion to_file_region(const Region& region, const Wcs& wcs, const SkySystem& system, bool on_sky);

}  // namespace reber
