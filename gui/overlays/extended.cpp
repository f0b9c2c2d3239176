// SPDX-License-Identifier: BSD-3-Clause
// Outlines of structures, and choosing one by its outline.
#include <algorithm>
#include <cmath>
#include <limits>

#include "gui/model/image/overlay_ink.hpp"
#include "gui/ui/ink.hpp"
#include "gui/ui/overlay.hpp"

namespace reber::gui {
namespace {

constexpr double kReach = 6;      // screen units from an outline
constexpr float kChosen = 2.2f;   // width of the chosen one
constexpr float kInside = 0.65f;  // width of what lies in another structure

class ExtendedOverlay final : public Overlay {
 public:
  void draw(const CanvasView& canvas, Context& context, ImDrawList& list) override;
  bool input(const CanvasInput& mouse, const CanvasView& canvas, Context& context) override;
};

bool in_view(const ExtendedSource& source, const Rect& seen) {
  return source.x1 + 1 >= seen.x0 && source.x0 - 1 <= seen.x0 + seen.nx && source.y1 + 1 >= seen.y0 &&
         source.y0 - 1 <= seen.y0 + seen.ny;
}

/// Of a point from the closed line, on the screen.
double distance_to(const ExtendedSource& source, const CanvasTransform& canvas, const ScreenPoint& at) {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < source.outline.size(); ++i) {
    const ScreenPoint a = canvas.to_screen(source.outline[i]),
                      b = canvas.to_screen(source.outline[(i + 1) % source.outline.size()]);
    const double dx = b.x - a.x, dy = b.y - a.y, square = dx * dx + dy * dy;
    const double t = square > 0 ? std::clamp(((at.x - a.x) * dx + (at.y - a.y) * dy) / square, 0.0, 1.0) : 0;
    least = std::min(least, std::hypot(a.x + t * dx - at.x, a.y + t * dy - at.y));
  }
  return least;
}

}  // namespace

void ExtendedOverlay::draw(const CanvasView& canvas, Context& context, ImDrawList& list) {
  const Document& document = canvas.document;
  const ExtendedSources* found = document.extended.shown();
  if (found == nullptr || !document.header) return;
  const OverlayInk ink = ink_of(context.state.inks, "extended");
  const bool old = document.result_stale() || document.extended.result.generation != document.result->generation;
  const Rect seen = canvas.transform.visible(document.header->shape);
  const auto width = static_cast<float>(ink.width * canvas.scale);
  for (const ExtendedSource& source : found->sources) {
    if (source.outline.empty() || !in_view(source, seen)) continue;
    std::vector<ImVec2> path;
    path.reserve(source.outline.size() + 1);
    for (const PixelPosition& corner : source.outline) path.push_back(vec(canvas.transform.to_screen(corner)));
    const bool chosen = document.extended.selected == source.id;
    const unsigned colour = chosen ? palette().source_selected : packed(ink, old ? 0.45f : 1);
    halo_line(list, path, colour, (chosen ? kChosen : source.parent != 0 ? kInside : 1) * width, true, !old);
  }
}

bool ExtendedOverlay::input(const CanvasInput& mouse, const CanvasView& canvas, Context& context) {
  ExtendedView& view = canvas.document.extended;
  const ExtendedSources* found = view.shown();
  if (found == nullptr || !mouse.clicked || mouse.control || context.state.mode != Mode::browse) return false;
  double nearest = kReach * canvas.scale;
  std::int64_t chosen = -1;
  for (const ExtendedSource& source : found->sources)
    if (const double distance = distance_to(source, canvas.transform, mouse.at); distance < nearest) {
      nearest = distance;
      chosen = source.id;
    }
  view.selected = chosen;
  if (chosen >= 0) context.state.raised_panel = "extended";
  return chosen >= 0;
}

std::unique_ptr<Overlay> make_extended_overlay() { return std::make_unique<ExtendedOverlay>(); }

}  // namespace reber::gui
