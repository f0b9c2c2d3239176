// SPDX-License-Identifier: BSD-3-Clause
// The overlays of one window: made, switched on and off.
#include "gui/ui/overlay.hpp"

#include <fmt/format.h>

namespace reber::gui {

Overlays::Overlays() {
  for (const OverlayRow& row : overlay_rows()) all_.push_back({row, row.make()});
}

bool is_on(const ViewerState& state, const OverlayRow& overlay) {
  const auto found = state.overlay_on.find(overlay.name);
  return found == state.overlay_on.end() ? overlay.on_by_default : found->second;
}

std::string colour_bar_name(const CanvasView& canvas) {
  if (canvas.primary) return "overlay.colour_bar";
  return fmt::format("overlay.colour_bar.{}.{}", canvas.document.id, static_cast<int>(canvas.layer));
}

}  // namespace reber::gui
