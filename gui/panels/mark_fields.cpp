// SPDX-License-Identifier: BSD-3-Clause
// Column, scaling and limits of sizes and colours.
#include "gui/panels/mark_fields.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "gui/model/image/colour_maps.hpp"
#include "gui/ui/fields.hpp"

namespace reber::gui {
namespace {

void draw_column(Context& context, const std::string& name, const char* title, MarkAxis& axis,
                 const Catalogue& catalogue) {
  label(title);
  if (ImGui::BeginCombo("##column", axis.column.empty() ? "alike" : axis.column.c_str(), ImGuiComboFlags_HeightLarge)) {
    if (ImGui::Selectable("alike", axis.column.empty())) axis = {};
    context.widgets.item(name + ".alike");
    for (const std::string& column : number_columns(catalogue)) {
      if (ImGui::Selectable(column.c_str(), column == axis.column)) axis = {column, axis.scaling, false, 0, 1};
      context.widgets.item(fmt::format("{}.{}", name, column));
    }
    ImGui::EndCombo();
  }
  context.widgets.item(name);
}

/// The column's, until one is typed.
void draw_limits(Context& context, const std::string& name, MarkAxis& axis, const Catalogue& catalogue) {
  const MarkParts parts = mark_parts(catalogue, axis);
  if (!std::isfinite(parts.low)) {
    ImGui::TextDisabled(parts.part.empty() ? "no such column" : "no value that can be shown");
    return;
  }
  label("  low, high");
  const float button = ImGui::GetFrameHeight(), gap = ImGui::GetStyle().ItemSpacing.x;
  const float width = 0.5f * (ImGui::GetContentRegionAvail().x - button - 2 * gap);
  double low = parts.low, high = parts.high;
  bool changed = false;
  for (double* limit : {&low, &high}) {
    ImGui::PushID(limit == &low ? "low" : "high");
    ImGui::SetNextItemWidth(width);
    changed = ImGui::InputDouble("##limit", limit, 0, 0, "%.4g") || changed;
    context.widgets.item(name + (limit == &low ? ".low" : ".high"));
    ImGui::PopID();
    ImGui::SameLine();
  }
  if (changed && std::isfinite(low) && std::isfinite(high)) {
    axis.low = low;
    axis.high = high;
    axis.own_limits = true;
  }
  ImGui::BeginDisabled(!axis.own_limits);
  if (ImGui::Button("a", {button, 0})) axis = {axis.column, axis.scaling, false, 0, 1};
  ImGui::EndDisabled();
  context.widgets.item(name + ".all");
  tip("From the least to the largest value of the column");
}

void draw_axis(Context& context, const std::string& name, const char* title, MarkAxis& axis,
               const Catalogue& catalogue) {
  ImGui::PushID(name.c_str());
  draw_column(context, name, title, axis, catalogue);
  if (!axis.column.empty()) {
    int scaling = static_cast<int>(axis.scaling);
    if (choice_of(context, "  scaling", (name + ".scaling").c_str(), scaling, kMarkScalingNames.data(),
                  static_cast<int>(kMarkScalingNames.size())))
      axis.scaling = static_cast<MarkScaling>(scaling);
    draw_limits(context, name, axis, catalogue);
  }
  ImGui::PopID();
}

}  // namespace

void draw_mark_fields(Context& context, const std::string& name, MarkLook& look, const Catalogue& catalogue) {
  ImGui::PushID(name.c_str());
  draw_axis(context, name + ".size", "Size", look.size, catalogue);
  if (!look.size.column.empty()) {
    number(context, "  smallest", (name + ".least").c_str(), look.least, 1, 30, "%.0f");
    number(context, "  largest", (name + ".most").c_str(), look.most, 1, 60, "%.0f");
    look.most = std::max(look.most, look.least);
  }
  draw_axis(context, name + ".colour", "Colour", look.colour, catalogue);
  if (!look.colour.column.empty()) {
    label("  colours");
    if (ImGui::BeginCombo("##map", look.colour_map.c_str(), ImGuiComboFlags_HeightLarge)) {
      for (const ColourMap& map : colour_maps()) {
        if (ImGui::Selectable(map.name.c_str(), map.name == look.colour_map)) look.colour_map = map.name;
        context.widgets.item(name + ".map." + map.name);
      }
      ImGui::EndCombo();
    }
    context.widgets.item(name + ".map");
  }
  ImGui::PopID();
}

}  // namespace reber::gui
