// SPDX-License-Identifier: BSD-3-Clause
// The table of what is drawn on the image: one row each, in drawing order.
#include <array>

#include "gui/ui/overlay.hpp"

namespace reber::gui {
/// Each is defined in its overlay's own file under gui/overlays.
using MakeOverlay = std::unique_ptr<Overlay>();
MakeOverlay make_sources_overlay, make_islands_overlay, make_grid_overlay, make_contours_overlay, make_beam_overlay,
    make_compass_overlay, make_scale_bar_overlay, make_colour_bar_overlay, make_regions_overlay,
    make_catalogues_overlay, make_compare_overlay, make_crosshair_overlay, make_extended_overlay, make_cube_overlay;

namespace {

constexpr std::array kOverlays{
    OverlayRow{"islands", "Island outlines", true, "o", "Edges of the pixels that belong to an island",
               make_islands_overlay},
    OverlayRow{"sources", "Sources", true, "e", "Ellipses of the sources found: full width at half maximum, on the sky",
               make_sources_overlay},
    OverlayRow{"extended", "Extended sources", true, "",
               "Outlines of the structures that Pipeline was told to look for", make_extended_overlay},
    OverlayRow{"grid", "Coordinate grid", false, "g",
               "Lines of round longitude and latitude in the frame of the status bar", make_grid_overlay},
    OverlayRow{"contours", "Contours", false, "Shift+g", "Lines at -3, 3, 6, 12 ... sigma of what is in view",
               make_contours_overlay},
    // What has a plate is read over marks.
    OverlayRow{"catalogues", "Catalogues", true, "", "Sources of the catalogues opened in the panel Match",
               make_catalogues_overlay},
    OverlayRow{"beam", "Beam", true, "", "The restoring beam as it lies on this picture", make_beam_overlay},
    OverlayRow{"compass", "Compass", true, "", "North and east", make_compass_overlay},
    OverlayRow{"scale_bar", "Scale bar", true, "", "A round length on the sky", make_scale_bar_overlay},
    OverlayRow{"colour_bar", "Colour bar", true, "", "Values of the colours", make_colour_bar_overlay},
    OverlayRow{"cube", "Plane of a cube", true, "", "Channel, velocity and Stokes parameter of the plane, axes of cuts",
               make_cube_overlay},
    OverlayRow{"regions", "Regions", true, "", "Shapes drawn or read from files", make_regions_overlay},
    OverlayRow{"compare", "Names of compared images", true, "", "Which image is which, and the line of the split",
               make_compare_overlay},
    OverlayRow{"crosshair", "Crosshair", true, "", "The marked position; arrow keys move it", make_crosshair_overlay},
};

}  // namespace

std::span<const OverlayRow> overlay_rows() { return kOverlays; }

}  // namespace reber::gui
