// SPDX-License-Identifier: BSD-3-Clause
// Overlays that tell what values the picture shows: colour bar and contours.
#include <algorithm>

#include "gui/model/image/colour_bar.hpp"
#include "gui/model/image/colour_maps.hpp"
#include "gui/ui/ink.hpp"
#include "gui/ui/inspector.hpp"
#include "gui/ui/overlay.hpp"

namespace reber::gui {
namespace {

constexpr unsigned kTextColour = IM_COL32(240, 248, 250, 255);
constexpr int kSteps = 64;

class ColourBarOverlay final : public Overlay {
 public:
  void draw(const CanvasView& canvas, Context&, ImDrawList& list) override;
};

class ContoursOverlay final : public Overlay {
 public:
  void draw(const CanvasView& canvas, Context& context, ImDrawList& list) override;
};

}  // namespace

void ColourBarOverlay::draw(const CanvasView& canvas, Context& context, ImDrawList& list) {
  const Layer& layer = canvas.document.layer(canvas.layer);
  const bool combined = context.state.combining() && canvas.primary;
  const RenderSettings& r = combined ? context.state.render() : layer.render;
  const bool coloured = context.state.compare.kind == Compare::Kind::rgb && canvas.primary;
  if (!canvas.document.header || r.categorical || canvas.framed || coloured) return;
  const ScreenRect& area = canvas.transform.canvas();
  const ColourBar bar = colour_bar(r, combined ? context.state.unit() : shown_unit(canvas.document, canvas.layer));
  float widest = ImGui::CalcTextSize(bar.unit.c_str()).x;
  for (const auto& [part, text] : bar.ticks) widest = std::max(widest, ImGui::CalcTextSize(text.c_str()).x);
  const auto s = static_cast<float>(canvas.scale);
  const float line = ImGui::GetTextLineHeight(), width = 14 * s, gap = 6 * s;
  const float height = std::min(260 * s, 0.5f * static_cast<float>(area.height));
  constexpr double kLeastWidth = 260;  // in a small tile it would cover the image
  if (height < 4 * line || area.width < kLeastWidth * canvas.scale) return;
  const float right = static_cast<float>(area.x + area.width) - 14 * s;
  const float x = right - widest - gap - width, top = static_cast<float>(area.y) + 14 * s + 1.5f * line;
  const ImVec2 low{x - gap, top - 1.4f * line - 4 * s}, high{right + gap, top + height + 0.5f * line + 4 * s};
  list.AddRectFilled(low, high, IM_COL32(15, 18, 24, 150), 4);
  context.widgets.area(colour_bar_name(canvas), {low.x, low.y, high.x - low.x, high.y - low.y});
  const auto& entries = colour_maps()[static_cast<std::size_t>(colour_map_index(r.colour_map))].entries;
  for (int i = 0; i < kSteps; ++i) {
    const int index = std::clamp(256 * (2 * i + 1) / (2 * kSteps), 0, 255);
    const auto& c = entries[static_cast<std::size_t>(r.invert ? 255 - index : index)];
    const float y0 = top + height * (1 - static_cast<float>(i + 1) / kSteps),
                y1 = top + height * (1 - static_cast<float>(i) / kSteps);
    list.AddRectFilled({x, y0}, {x + width, y1}, IM_COL32(c[0], c[1], c[2], 255));
  }
  list.AddRect({x, top}, {x + width, top + height}, IM_COL32(240, 248, 250, 160));
  for (const auto& [part, text] : bar.ticks) {
    const float y = top + height * (1 - static_cast<float>(part));
    list.AddLine({x + width, y}, {x + width + 4 * s, y}, kTextColour);
    list.AddText({x + width + gap, y - 0.5f * line}, kTextColour, text.c_str());
  }
  list.AddText({right - ImGui::CalcTextSize(bar.unit.c_str()).x, top - 1.4f * line - 1}, kTextColour, bar.unit.c_str());
}

void ContoursOverlay::draw(const CanvasView& canvas, Context& context, ImDrawList& list) {
  if (!canvas.document.header || !canvas.primary) return;
  const Rect area = canvas.transform.visible(canvas.document.header->shape);
  if (area.nx < 2 || area.ny < 2) return;
  const ViewContours* const found = view_contours(context, canvas.document, canvas.layer, area);
  if (found == nullptr) return;
  std::vector<ImVec2> path;
  const OverlayInk above = ink_of(context.state.inks, "contours"), below = ink_of(context.state.inks, "below");
  const auto width = static_cast<float>(above.width * canvas.scale), dash = static_cast<float>(5 * canvas.scale);
  for (const Contour& contour : found->contours) {
    for (const Polyline& line : contour.lines) {
      path.clear();
      for (const PixelPosition& p : line.points) path.push_back(vec(canvas.transform.to_screen(p)));
      if (contour.below_middle) {
        if (line.closed && !path.empty()) path.push_back(path.front());
        dashed_line(list, path, packed(below), static_cast<float>(below.width * canvas.scale), dash);
      } else {
        halo_line(list, path, packed(above), width, line.closed, false);
      }
    }
  }
}

std::unique_ptr<Overlay> make_colour_bar_overlay() { return std::make_unique<ColourBarOverlay>(); }
std::unique_ptr<Overlay> make_contours_overlay() { return std::make_unique<ContoursOverlay>(); }

}  // namespace reber::gui
