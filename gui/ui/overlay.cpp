// SPDX-License-Identifier: BSD-3-Clause
// The overlays of one window: made, switched on and off.
#include "gui/ui/overlay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gui/model/cube/cube_images.hpp"

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

double colour_bar_room(const Widgets& widgets, const ScreenRect& canvas) {
  const ScreenRect* const bar = widgets.find("overlay.colour_bar");
  if (bar == nullptr || !canvas.contains({bar->x, bar->y})) return 0;
  return 8 * std::ceil((canvas.x + canvas.width - bar->x) / 8);
}

ViewTransform whole_view(const Document& document, const ScreenRect& canvas, double bar_room) {
  const bool grid = document.made_of && !document.made_of->cells.empty();
  const double room = grid ? bar_room : 0;
  ScreenRect free = canvas;
  free.width = std::max(1.0, canvas.width - room);
  const ViewTransform whole = fit_view(document.view, document.header->shape, free);
  return room > 0 ? pan_by(whole, canvas, -0.5 * room, 0) : whole;
}

}  // namespace reber::gui
