// SPDX-License-Identifier: BSD-3-Clause
// Columns as marks, and their legend.
#include "gui/ui/marks.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "gui/model/image/colour_maps.hpp"
#include "gui/ui/theme.hpp"

namespace reber::gui {
namespace {

constexpr unsigned kTextColour = IM_COL32(240, 248, 250, 255), kPlate = IM_COL32(15, 18, 24, 150),
                   kNoValue = IM_COL32(150, 150, 150, 255);

unsigned colour_at(const ColourMap& map, double part) {
  const auto& c = map.entries[static_cast<std::size_t>(std::clamp(std::lround(255 * part), 0L, 255L))];
  return IM_COL32(c[0], c[1], c[2], 255);
}

std::string told(double value) { return fmt::format("{:.3g}", value); }

/// The values at both ends of the colours and in their middle.
std::array<std::string, 3> ends_of(const MarkAxis& axis, const MarkParts& parts) {
  return {told(parts.low), told(mark_value(axis, parts, 0.5)), told(parts.high)};
}

/// The plate's height and width for what it tells.
ImVec2 size_of(const MarkLook& look, const Marks& marks, float scale) {
  const float em = ImGui::GetFontSize(), pad = 6 * scale;
  float width = 8 * em, height = 2 * pad;
  for (const auto& [axis, parts] : {std::pair(&look.size, &marks.size), std::pair(&look.colour, &marks.colour)}) {
    if (axis->column.empty()) continue;
    width = std::max(width, ImGui::CalcTextSize(parts->title.c_str()).x);
    height += 1.3f * em;
    if (axis == &look.colour) {
      float labels = 2 * em;  // and the gaps between them
      for (const std::string& text : ends_of(look.colour, marks.colour)) labels += ImGui::CalcTextSize(text.c_str()).x;
      width = std::max(width, labels);
      height += 2 * em;
      continue;
    }
    for (const double part : {0.0, 0.5, 1.0})
      height += std::max(1.2f * em, 2 * scale * static_cast<float>(look.least + (look.most - look.least) * part) + 4);
    width = std::max(width, 2 * scale * static_cast<float>(look.most) + 5 * em);
  }
  return {width + 2 * pad, height};
}

}  // namespace

Marks marks_of(const Catalogue& catalogue, const MarkLook& look) {
  Marks made;
  if (!look.on()) return made;
  made.size = mark_parts(catalogue, look.size);
  made.colour = mark_parts(catalogue, look.colour);
  const ColourMap& map = colour_maps()[static_cast<std::size_t>(colour_map_index(look.colour_map))];
  made.rows.resize(std::max(made.size.part.size(), made.colour.part.size()));
  for (std::size_t i = 0; i < made.size.part.size(); ++i) {
    const float part = made.size.part[i];
    made.rows[i].radius = static_cast<float>(look.least + (look.most - look.least) * (part >= 0 ? part : 0));
  }
  for (std::size_t i = 0; i < made.colour.part.size(); ++i)
    made.rows[i].colour = made.colour.part[i] >= 0 ? colour_at(map, made.colour.part[i]) : kNoValue;
  made.size.part = made.colour.part = {};
  return made;
}

const Catalogue* marked_table(const Document& document) {
  const SourceView& view = document.sources;
  const bool in_step =
      document.result && view.generation == document.result->generation && view.edition == document.result->edition;
  return view.marks.on() && in_step ? &view.table.catalogue() : nullptr;
}

double mark_legend_top(const CanvasView& canvas) { return 0.3 * canvas.transform.canvas().height; }

double draw_mark_legend(const CanvasView& canvas, Context& context, ImDrawList& list, const MarkLook& look,
                        const Marks& marks, const std::string& name, double y) {
  const ScreenRect& area = canvas.transform.canvas();
  constexpr double kLeastWidth = 260, kLeastHeight = 300;
  if (!canvas.primary || marks.rows.empty() || area.width < kLeastWidth * canvas.scale ||
      area.height < kLeastHeight * canvas.scale)
    return y;
  const auto s = static_cast<float>(canvas.scale);
  const float em = ImGui::GetFontSize(), pad = 6 * s, round = 3;
  const ImVec2 size = size_of(look, marks, s);
  constexpr double kBeam = 60;  // below it
  if (y + static_cast<double>(size.y) > area.height - kBeam * canvas.scale) return y;
  const ImVec2 low{static_cast<float>(area.x) + 14 * s, static_cast<float>(area.y + y)},
      high{low.x + size.x, low.y + size.y};
  list.AddRectFilled(low, high, kPlate, round);
  context.widgets.area(name, {low.x, low.y, size.x, size.y});
  float at = low.y + pad;
  const float left = low.x + pad, right = high.x - pad;
  const auto title = [&](const MarkParts& parts) {
    list.AddText({left, at}, kTextColour, parts.title.c_str());
    at += 1.3f * em;
    if (std::isfinite(parts.low)) return true;
    list.AddText({left, at}, kTextColour, "no value");
    return false;
  };
  if (!look.size.column.empty() && title(marks.size))
    for (const double part : {0.0, 0.5, 1.0}) {
      const float radius = s * static_cast<float>(look.least + (look.most - look.least) * part);
      const float line = std::max(1.2f * em, 2 * radius + 4), middle = left + s * static_cast<float>(look.most);
      list.AddCircle({middle, at + 0.5f * line}, radius, kTextColour, 0, 1.4f * s);
      list.AddText({left + 2 * s * static_cast<float>(look.most) + 0.6f * em, at + 0.5f * (line - em)}, kTextColour,
                   told(mark_value(look.size, marks.size, part)).c_str());
      at += line;
    }
  if (!look.colour.column.empty() && title(marks.colour)) {
    const ColourMap& map = colour_maps()[static_cast<std::size_t>(colour_map_index(look.colour_map))];
    constexpr int kSteps = 64;
    const float step = (right - left) / kSteps;
    for (int i = 0; i < kSteps; ++i)
      list.AddRectFilled({left + step * static_cast<float>(i), at},
                         {left + step * static_cast<float>(i + 1), at + 0.8f * em}, colour_at(map, (i + 0.5) / kSteps));
    at += 0.9f * em;
    const std::array<std::string, 3> texts = ends_of(look.colour, marks.colour);
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const float wide = ImGui::CalcTextSize(texts[i].c_str()).x;
      list.AddText({left + 0.5f * static_cast<float>(i) * (right - left - wide), at}, kTextColour, texts[i].c_str());
    }
  }
  return y + static_cast<double>(size.y) + 4 * canvas.scale;
}

}  // namespace reber::gui
