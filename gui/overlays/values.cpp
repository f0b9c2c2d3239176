// SPDX-License-Identifier: BSD-3-Clause
// Overlays that tell what values the picture shows: colour bar and contours.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gui/overlays/ink.hpp"
#include "gui/overlays/overlays.hpp"
#include "gui/panels/inspector.hpp"

namespace reber::gui {
namespace {

constexpr unsigned kTextColour = IM_COL32(240, 248, 250, 255);
constexpr unsigned kContourColour = IM_COL32(140, 255, 170, 230);
constexpr unsigned kNegativeColour = IM_COL32(255, 150, 150, 230);
constexpr int kSteps = 64;

/// Value that a part of the colour map stands for, 0 at its lowest: the way back through contrast, bias and stretch.
double value_at(double part, const RenderSettings& r) {
  const double contrast = std::max(r.contrast, 1e-3);
  const double s = std::clamp((part - 0.5) / contrast + r.bias, 0.0, 1.0);
  return r.low + (r.high - r.low) * unstretched({r.stretch, r.softness, r.power}, s);
}

std::string tick_text(double value, double range) {
  if (!(range > 0)) return fmt::format("{:.4g}", value);
  const int digits = std::clamp(static_cast<int>(std::ceil(2 - std::log10(range) - 1e-9)), 0, 9);
  const bool plain = std::abs(value) < 1e5 && range > 1e-6;
  std::string text = plain ? fmt::format("{:.{}f}", value, digits) : fmt::format("{:.3g}", value);
  if (text.find_first_not_of("-0.") == std::string::npos) text.assign(1, '0');
  return text;
}

}  // namespace

void draw_colour_bar_overlay(const CanvasView& canvas, Context&, ImDrawList& list) {
  const Layer& layer = canvas.document.layer(canvas.layer);
  const RenderSettings& r = layer.render;
  if (!canvas.document.header || r.categorical) return;
  const ScreenRect& area = canvas.transform.canvas();
  const bool of_values = canvas.layer != LayerKind::snr;
  const auto [unit, factor] = of_values
                                  ? canvas.document.header->unit.readable(std::max(std::abs(r.low), std::abs(r.high)))
                                  : std::pair<std::string, double>("sigma", 1.0);
  // The histogram's stretch has no formula: its bar tells the ends alone.
  const int ticks = r.stretch == Stretch::histogram ? 2 : 5;
  std::vector<std::string> texts;
  float widest = ImGui::CalcTextSize(unit.c_str()).x;
  for (int i = 0; i < ticks; ++i) {
    const double part = static_cast<double>(i) / (ticks - 1);
    const double value = ticks == 2 ? (i == 0 ? r.low : r.high) : value_at(part, r);
    texts.push_back(tick_text(value * factor, (r.high - r.low) * factor));
    widest = std::max(widest, ImGui::CalcTextSize(texts.back().c_str()).x);
  }
  const auto s = static_cast<float>(canvas.scale);
  const float line = ImGui::GetTextLineHeight(), width = 14 * s, gap = 6 * s;
  const float height = std::min(260 * s, 0.5f * static_cast<float>(area.height));
  if (height < 4 * line) return;
  const float right = static_cast<float>(area.x + area.width) - 14 * s;
  const float x = right - widest - gap - width, top = static_cast<float>(area.y) + 14 * s + 1.5f * line;
  list.AddRectFilled({x - gap, top - 1.4f * line - 4 * s}, {right + gap, top + height + 0.5f * line + 4 * s},
                     IM_COL32(15, 18, 24, 150), 4);
  const auto& entries = colour_maps()[static_cast<std::size_t>(colour_map_index(r.colour_map))].entries;
  for (int i = 0; i < kSteps; ++i) {
    const int index = std::clamp(256 * (2 * i + 1) / (2 * kSteps), 0, 255);
    const auto& c = entries[static_cast<std::size_t>(r.invert ? 255 - index : index)];
    const float y0 = top + height * (1 - static_cast<float>(i + 1) / kSteps),
                y1 = top + height * (1 - static_cast<float>(i) / kSteps);
    list.AddRectFilled({x, y0}, {x + width, y1}, IM_COL32(c[0], c[1], c[2], 255));
  }
  list.AddRect({x, top}, {x + width, top + height}, IM_COL32(240, 248, 250, 160));
  for (int i = 0; i < ticks; ++i) {
    const float y = top + height * (1 - static_cast<float>(i) / static_cast<float>(ticks - 1));
    list.AddLine({x + width, y}, {x + width + 4 * s, y}, kTextColour);
    list.AddText({x + width + gap, y - 0.5f * line}, kTextColour, texts[static_cast<std::size_t>(i)].c_str());
  }
  list.AddText({right - ImGui::CalcTextSize(unit.c_str()).x, top - 1.4f * line - 1}, kTextColour, unit.c_str());
}

void draw_contours_overlay(const CanvasView& canvas, Context& context, ImDrawList& list) {
  if (!canvas.document.header || !canvas.primary) return;
  const Rect area = canvas.transform.visible(canvas.document.header->shape);
  if (area.nx < 2 || area.ny < 2) return;
  const ViewContours* const found = view_contours(context, canvas.document, canvas.layer, area);
  if (found == nullptr) return;
  std::vector<ImVec2> path;
  const auto width = static_cast<float>(1.2 * canvas.scale), dash = static_cast<float>(5 * canvas.scale);
  for (const Contour& contour : found->contours) {
    for (const Polyline& line : contour.lines) {
      path.clear();
      for (const PixelPosition& p : line.points) path.push_back(vec(canvas.transform.to_screen(p)));
      if (contour.below_middle) {
        if (line.closed && !path.empty()) path.push_back(path.front());
        dashed_line(list, path, kNegativeColour, width, dash);
      } else {
        halo_line(list, path, kContourColour, width, line.closed, false);
      }
    }
  }
}

}  // namespace reber::gui
