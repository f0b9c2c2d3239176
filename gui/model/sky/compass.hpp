// SPDX-License-Identifier: BSD-3-Clause
// Beam, scale bar and compass at a place of the image, as it is seen.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/sky/model/coordinates.hpp"
#include "core/sky/model/image_header.hpp"
#include "gui/model/sky/view_transform.hpp"

namespace reber::gui {

/// Directions on the screen (y down) of north and east in the system shown, of unit length.
struct Compass {
  ScreenPoint north, east;
};
/// Empty off the sky, and at a pole.
[[nodiscard]] std::optional<Compass> compass_at(const SkyView& sky, const CanvasTransform& canvas, PixelPosition at);

/// A horizontal bar of round length: 1, 2, 5, 10, 20 or 30 of mas, arcsec or arcmin, or degrees.
struct ScaleBar {
  double length = 0;  ///< screen units
  double degrees = 0;
  std::string text;
};
/// The longest bar of at most `most` screen units; empty off the sky.
[[nodiscard]] std::optional<ScaleBar> scale_bar_at(const Wcs& wcs, const CanvasTransform& canvas, PixelPosition at,
                                                   double most);

/// Outline of an ellipse of FWHM axes (degrees) and position angle on the sky of the image's own frame, at `at`:
/// offsets from its centre in image pixels. Goes through the local d(east, north)/d(x, y), so it is right for rotated,
/// mirrored and non-square pixels.   empty off the sky
[[nodiscard]] std::vector<PixelPosition> sky_ellipse(const Wcs& wcs, PixelPosition at, double major_deg,
                                                     double minor_deg, double pa_deg, int points = 64);

}  // namespace reber::gui
