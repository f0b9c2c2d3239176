// SPDX-License-Identifier: BSD-3-Clause
// Panel: stretch, limits and colours of the layer that is shown.
#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "gui/model/image/colour_maps.hpp"
#include "gui/panels/planes.hpp"
#include "gui/ui/fields.hpp"
#include "gui/ui/inspector.hpp"
#include "gui/ui/panel.hpp"

namespace reber::gui {
namespace {

void draw_map_choice(Context& context, RenderSettings& render) {
  label("Colours");
  if (!ImGui::BeginCombo("##map", render.colour_map.c_str(), ImGuiComboFlags_HeightLargest)) {
    context.widgets.item("display.map");
    return;
  }
  const float width = 7 * ImGui::GetFontSize(), height = ImGui::GetTextLineHeight();
  for (const ColourMap& map : colour_maps()) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    for (int i = 0; i < 32; ++i) {
      const auto& c = map.entries[static_cast<std::size_t>(8 * i + 4)];
      ImGui::GetWindowDrawList()->AddRectFilled({at.x + width * static_cast<float>(i) / 32, at.y},
                                                {at.x + width * static_cast<float>(i + 1) / 32, at.y + height},
                                                IM_COL32(c[0], c[1], c[2], 255));
    }
    ImGui::Dummy({width, height});
    ImGui::SameLine();
    if (ImGui::Selectable(map.name.c_str(), map.name == render.colour_map)) render.colour_map = map.name;
    context.widgets.item("display.map." + map.name);
  }
  ImGui::EndCombo();
}

void draw_stretch(Context& context, RenderSettings& render) {
  int stretch = static_cast<int>(render.stretch);
  label("Stretch");
  if (ImGui::Combo("##stretch", &stretch, kStretchNames.data(), static_cast<int>(kStretchNames.size())))
    render.stretch = static_cast<Stretch>(stretch);
  context.widgets.item("display.stretch");
  if (render.stretch == Stretch::asinh || render.stretch == Stretch::log) {
    label("Softness");
    slider("##softness", render.softness, 1, 1000, "%.0f", ImGuiSliderFlags_Logarithmic);
    context.widgets.item("display.softness");
  }
  if (render.stretch == Stretch::power) {
    label("Power");
    slider("##power", render.power, 0.1, 5, "%.2f", 0);
    context.widgets.item("display.power");
  }
}

/// The rule that the shown layer's limits follow.
void draw_limits_choice(Context& context) {
  RenderSettings& render = context.state.document()->layer().render;
  label("Limits");
  const auto now = limits_rule(render.limits);
  if (ImGui::BeginCombo("##limits rule", now ? name_of(*now).c_str() : "set by hand", ImGuiComboFlags_HeightLargest)) {
    for (const LimitsRule& rule : limits_rules()) {
      const std::string name = name_of(rule);
      if (ImGui::Selectable(name.c_str(), now && name == name_of(*now))) set_limits_by(context, rule);
      context.widgets.item("display.limits." + name);
    }
    ImGui::EndCombo();
  }
  context.widgets.item("display.limits");
}

class DisplayPanel final : public Panel {
 public:
  void draw(Context& context) override;
};

}  // namespace

void DisplayPanel::draw(Context& context) {
  Document& document = *context.state.document();
  RenderSettings& render = document.layer().render;
  draw_plane_choice(context);
  if (render.categorical) {
    ImGui::TextDisabled("One colour an island");
    return;
  }
  draw_stretch(context, render);
  draw_map_choice(context, render);
  draw_limits_choice(context);
  label("Zoomed out");
  constexpr std::array<const char*, 3> kReductions{"means", "peaks", "means and sources"};
  int reduction = static_cast<int>(render.reduction);
  if (ImGui::Combo("##reduction", &reduction, kReductions.data(), static_cast<int>(kReductions.size())))
    render.reduction = static_cast<Reduction>(reduction);
  context.widgets.item("display.reduction");
  tip("Of the image pixels behind a screen pixel: their mean, the brightest, or the mean with the peaks that stand out "
      "of the noise.");
  label("Low, high");
  const std::string unit = shown_unit(document, document.shown).text;
  const float width = 0.5f * (ImGui::GetContentRegionAvail().x - ImGui::GetStyle().ItemSpacing.x);
  for (double* limit : {&render.low, &render.high}) {
    ImGui::PushID(limit);
    ImGui::SetNextItemWidth(width);
    if (ImGui::InputDouble("##limit", limit, 0, 0, "%.4g")) render.limits = "manual";
    context.widgets.item(limit == &render.low ? "display.low" : "display.high");
    if (!unit.empty()) tip("in " + unit);
    ImGui::PopID();
    ImGui::SameLine();
  }
  ImGui::NewLine();
  label("Bias");
  slider("##bias", render.bias, 0, 1, "%.2f", 0);
  context.widgets.item("display.bias");
  label("Contrast");
  slider("##contrast", render.contrast, 0, 10, "%.2f", ImGuiSliderFlags_Logarithmic);
  context.widgets.item("display.contrast");
  ImGui::Checkbox("Invert", &render.invert);
  context.widgets.item("display.invert");
  ImGui::SameLine();
  ImGui::SameLine();
  ImGui::ColorEdit3("Blank", &render.blank.red, ImGuiColorEditFlags_NoInputs);
  context.widgets.item("display.blank");
}

std::unique_ptr<Panel> make_display_panel() { return std::make_unique<DisplayPanel>(); }

}  // namespace reber::gui
