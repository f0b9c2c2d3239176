// SPDX-License-Identifier: BSD-3-Clause
// The table of what is drawn on the image: one row each, in drawing order.
#include <array>

#include "gui/overlays/overlays.hpp"
#include "gui/ui/compare_view.hpp"
#include "gui/ui/overlay.hpp"

namespace reber::gui {
namespace {

constexpr std::array kOverlays{
    Overlay{"sources", "Sources", true, "e", "Ellipses of the sources found: full width at half maximum, on the sky",
            draw_sources_overlay, sources_overlay_input},
    Overlay{"islands", "Island outlines", true, "o", "Edges of the pixels that belong to an island", nullptr, nullptr},
    Overlay{"grid", "Coordinate grid", false, "g",
            "Lines of round longitude and latitude in the frame of the status bar", draw_grid_overlay, nullptr},
    Overlay{"contours", "Contours", false, "Shift+g", "Lines at -3, 3, 6, 12 ... sigma of what is in view",
            draw_contours_overlay, nullptr},
    Overlay{"beam", "Beam", true, "", "The restoring beam as it lies on this picture", draw_beam_overlay, nullptr},
    Overlay{"compass", "Compass", true, "", "North and east", draw_compass_overlay, nullptr},
    Overlay{"scale_bar", "Scale bar", true, "", "A round length on the sky", draw_scale_bar_overlay, nullptr},
    Overlay{"colour_bar", "Colour bar", true, "", "Values of the colours", draw_colour_bar_overlay, nullptr},
    Overlay{"regions", "Regions", true, "", "Shapes drawn or read from files", draw_regions_overlay,
            regions_overlay_input},
    Overlay{"catalogues", "Catalogues", true, "", "Sources of the catalogues opened in the panel Match",
            draw_catalogues_overlay, nullptr},
    Overlay{"compare", "Names of compared images", true, "", "Which image is which, and the line of the split",
            draw_compare_overlay, compare_overlay_input},
    Overlay{"crosshair", "Crosshair", true, "", "The marked position; arrow keys move it", draw_crosshair_overlay,
            nullptr},
};

}  // namespace

std::span<const Overlay> overlays() { return kOverlays; }

bool is_on(const ViewerState& state, const Overlay& overlay) {
  const auto found = state.overlay_on.find(overlay.name);
  return found == state.overlay_on.end() ? overlay.on_by_default : found->second;
}

}  // namespace reber::gui
