// SPDX-License-Identifier: BSD-3-Clause
// Labels of the selected sources, and picking them with the mouse.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <utility>

#include "gui/overlays/overlays.hpp"
#include "gui/ui/compare_view.hpp"
#include "gui/ui/ink.hpp"
#include "gui/ui/theme.hpp"

namespace reber::gui {

void draw_sources_overlay(const CanvasView& canvas, Context&, ImDrawList& list) {
  const Document& document = canvas.document;
  constexpr std::size_t kMostLabels = 60;
  if (!document.result || document.selection.rows.size() > kMostLabels) return;
  const float gap = static_cast<float>(6 * canvas.scale);
  for (const std::int64_t row : document.selection.rows) {
    if (row < 0 || row >= static_cast<std::int64_t>(document.shapes.size())) continue;
    const SourceShape& shape = document.shapes[static_cast<std::size_t>(row)];
    const ScreenPoint at = canvas.transform.to_screen({shape.x, shape.y});
    const auto reach = static_cast<float>(0.5 * axes_of(shape.fwhm2).major * canvas.transform.zoom());
    const std::string text = fmt::format("{}", row);
    const ImVec2 place{static_cast<float>(at.x) + 0.7f * reach + gap,
                       static_cast<float>(at.y) - 0.7f * reach - 2 * gap};
    halo_text(list, place, palette().source_selected, text);
  }
}

bool sources_overlay_input(const CanvasInput& mouse, const CanvasView& canvas, Context& context) {
  constexpr double kReach = 8;  // screen units
  Document& document = canvas.document;
  if (!mouse.clicked && !mouse.double_clicked) return false;
  if (document.shapes.empty() || mouse.control || context.state.mode != Mode::browse) return false;
  double reach = kReach * canvas.scale / canvas.transform.zoom();
  const std::int64_t row = nearest_source(document.shapes, mouse.image_at.x, mouse.image_at.y, reach);
  if (row < 0) {
    if (mouse.clicked && !mouse.shift) document.selection.clear();
    return false;
  }
  if (mouse.shift)
    document.selection.toggle(row);
  else
    document.selection.select_only(row);
  if (mouse.double_clicked) {
    const SourceShape& shape = document.shapes[static_cast<std::size_t>(row)];
    const double size = std::max(4.0, axes_of(shape.fwhm2).major);
    document.view.centre = {shape.x, shape.y};
    document.view.zoom = std::clamp(canvas.transform.canvas().height / (16 * size), kLeastZoom, kMostZoom);
  }
  context.state.cursor.crosshair.reset();
  return true;
}

void draw_crosshair_overlay(const CanvasView& canvas, Context& context, ImDrawList& list) {
  const auto& crosshair = context.state.cursor.crosshair;
  if (!crosshair) return;
  const Document* shown = context.state.document();
  const auto place = shown == nullptr ? crosshair : matching_place(context.state, *shown, canvas.document, *crosshair);
  if (!place) return;
  const ScreenPoint at = canvas.transform.to_screen(*place);
  const auto x = static_cast<float>(at.x), y = static_cast<float>(at.y);
  const auto inner = static_cast<float>(5 * canvas.scale), outer = static_cast<float>(16 * canvas.scale);
  const auto line = static_cast<float>(1.5 * canvas.scale);
  for (const auto& [dx, dy] : {std::pair(1.f, 0.f), {-1.f, 0.f}, {0.f, 1.f}, {0.f, -1.f}}) {
    const ImVec2 from{x + dx * inner, y + dy * inner}, to{x + dx * outer, y + dy * outer};
    list.AddLine(from, to, palette().halo, line + 2);
    list.AddLine(from, to, palette().source_selected, line);
  }
}

}  // namespace reber::gui
