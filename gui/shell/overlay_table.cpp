// SPDX-License-Identifier: BSD-3-Clause
// The table of what is drawn on the image: one row each, in drawing order.
#include <array>

#include "gui/overlays/overlays.hpp"
#include "gui/shell/overlay.hpp"

namespace reber::gui {
namespace {

constexpr std::array kOverlays{
    Overlay{"sources", "Sources", true, "e", "Ellipses of the sources found: full width at half maximum, on the sky",
            draw_sources_overlay, sources_overlay_input},
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
