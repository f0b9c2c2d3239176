// SPDX-License-Identifier: BSD-3-Clause
// Panel: stretch, limits and colours of the layer that is shown.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "gui/model/image/colour_bar.hpp"
#include "gui/model/image/colour_maps.hpp"
#include "gui/model/image/told_unit.hpp"
#include "gui/panels/planes.hpp"
#include "gui/ui/fields.hpp"
#include "gui/ui/inspector.hpp"
#include "gui/ui/panel.hpp"
#include "gui/ui/theme.hpp"

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
      const auto& c = map.entries[8 * static_cast<std::size_t>(i) + 4];
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
  RenderSettings& render = context.state.render();
  if (context.state.combining()) {
    label("Limits");
    if (ImGui::Button("Even about the middle")) context.state.compare.combined = {};
    context.widgets.item("display.even");
    return;
  }
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

/// The unit in which values are told; one that cannot be had says why.
void draw_unit_choice(Context& context) {
  Document& document = context.state.adjusted();
  if (context.state.combining() || !document.header || layer_unit(document, document.shown).text.empty()) return;
  label("Values in");
  const std::string own = document.header->unit.text + " (file)";
  const std::string refused =
      document.told_in.empty() ? "" : why_not_told_in(document, document.shown, document.told_in);
  if (ImGui::BeginCombo("##unit", document.told_in.empty() ? own.c_str() : document.told_in.c_str(),
                        ImGuiComboFlags_HeightLargest)) {
    if (ImGui::Selectable(own.c_str(), document.told_in.empty())) document.told_in.clear();
    context.widgets.item("display.unit.own");
    for (const ToldUnit& each : told_units()) {
      const std::string word(each.word), why = why_not_told_in(document, document.shown, word);
      ImGui::PushStyleColor(ImGuiCol_Text, why.empty() ? palette().text : palette().text_dim);
      if (ImGui::Selectable(word.c_str(), word == document.told_in)) {
        if (why.empty())
          document.told_in = word;
        else
          context.state.say(fmt::format("Not told in {}: {}", word, why), true);
      }
      ImGui::PopStyleColor();
      if (!why.empty()) tip(why);
      context.widgets.item("display.unit." + word);
    }
    ImGui::EndCombo();
  }
  context.widgets.item("display.unit");
  tip(refused.empty()
          ? "Of readout, colour bar, limits and statistics. K is the Rayleigh-Jeans brightness temperature, "
            "by beam and frequency of the header. Pixels and measurements stay as they are."
          : ("Not told in " + document.told_in + ": " + refused).c_str());
}

/// Low and high in the unit of the colour bar.
void draw_limits(Context& context, RenderSettings& render) {
  const auto [unit, factor] = context.state.unit().readable(std::max(std::abs(render.low), std::abs(render.high)));
  label(unit.empty() ? "Low, high" : unit.c_str());
  const float width = 0.5f * (ImGui::GetContentRegionAvail().x - ImGui::GetStyle().ItemSpacing.x);
  const double size = std::max(std::abs(render.low), std::abs(render.high));
  const std::string format = fmt::format("%.{}g", digits_within(size, render.high - render.low, 4));
  for (double* limit : {&render.low, &render.high}) {
    ImGui::PushID(limit);
    ImGui::SetNextItemWidth(width);
    double shown = *limit * factor;
    if (ImGui::InputDouble("##limit", &shown, 0, 0, format.c_str())) {
      *limit = shown / factor;
      render.limits = "manual";
    }
    context.widgets.item(limit == &render.low ? "display.low" : "display.high");
    tip(limit == &render.low ? "What is darkest" : "What is brightest");
    ImGui::PopID();
    ImGui::SameLine();
  }
  ImGui::NewLine();
}

/// Bias and contrast, told by the values in the middle of the colours and at their ends.
void draw_contrast(Context& context, RenderSettings& render) {
  const Unit unit = context.state.unit();
  const bool known = render.stretch != Stretch::histogram;  // it has no formula
  const auto [name, factor] = unit.readable(std::max(std::abs(render.low), std::abs(render.high)));
  const auto at = [&, scale = factor](double part) {
    const double value = colour_value(part, render);
    return fmt::format("{:.{}g}", scale * value, digits_within(value, render.high - render.low, 3));
  };
  label("Bias");
  slider("##bias", render.bias, 0, 1, known ? (at(0.5) + " " + printf_text(name) + "  (%.2f)").c_str() : "%.2f", 0);
  context.widgets.item("display.bias");
  tip("The value in the middle of the colours; right-drag on the image along x");
  label("Contrast");
  const std::string range = at(0) + " ... " + at(1) + "  (%.2f)";
  slider("##contrast", render.contrast, 0, 10, known ? range.c_str() : "%.2f", ImGuiSliderFlags_Logarithmic);
  context.widgets.item("display.contrast");
  tip("Where the colours begin and end; right-drag on the image along y");
}

class DisplayPanel final : public Panel {
 public:
  void draw(Context& context) override;
};

}  // namespace

void DisplayPanel::draw(Context& context) {
  RenderSettings& render = context.state.render();
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
  draw_unit_choice(context);
  draw_limits(context, render);
  draw_contrast(context, render);
  ImGui::Checkbox("Invert", &render.invert);
  context.widgets.item("display.invert");
  ImGui::SameLine(7.5f * ImGui::GetFontSize());
  ImGui::AlignTextToFramePadding();
  ImGui::TextUnformatted("Blank pixels");
  ImGui::SameLine();
  Rgba& blank = render.blank;
  if (ImGui::ColorButton("Colour of blank pixels", {blank.red, blank.green, blank.blue, 1}, 0,
                         {ImGui::GetContentRegionAvail().x, ImGui::GetFrameHeight()}))
    ImGui::OpenPopup("##blank");
  context.widgets.item("display.blank");
  if (ImGui::BeginPopup("##blank")) {
    ImGui::ColorPicker3("##colour", &blank.red);
    ImGui::EndPopup();
  }
}

std::unique_ptr<Panel> make_display_panel() { return std::make_unique<DisplayPanel>(); }

}  // namespace reber::gui
