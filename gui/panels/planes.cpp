// SPDX-License-Identifier: BSD-3-Clause
// Which HDU and plane of the file is shown, and playing a cube.
#include "gui/panels/planes.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "gui/ui/action.hpp"
#include "gui/ui/fields.hpp"

namespace reber::gui {
namespace {

bool is_image(const HduInfo& hdu) { return hdu.axes.size() >= 2 && hdu.kind.find("image") != std::string::npos; }

std::string hdu_text(const HduInfo& hdu) {
  std::string size;
  for (const std::int64_t axis : hdu.axes) size += (size.empty() ? "" : " x ") + std::to_string(axis);
  return fmt::format("{}  {}{}{}", hdu.index, hdu.name, hdu.name.empty() ? "" : "  ", size);
}

void draw_hdus(Context& context, Document& document) {
  const ImageHeader& header = *document.header;
  if (std::ranges::count_if(header.hdus, is_image) < 2) return;
  const auto now = std::ranges::find(header.hdus, header.hdu, &HduInfo::index);
  label("HDU");
  if (ImGui::BeginCombo("##hdu", now == header.hdus.end() ? "" : hdu_text(*now).c_str())) {
    for (const HduInfo& hdu : header.hdus) {
      if (!is_image(hdu)) continue;
      if (ImGui::Selectable(hdu_text(hdu).c_str(), hdu.index == header.hdu) && hdu.index != header.hdu) {
        OpenOptions next = document.open;
        next.hdu = hdu.index;
        next.plane = 0;
        context.shell.show_plane(document, next);
      }
      context.widgets.item(fmt::format("display.hdu.{}", hdu.index));
    }
    ImGui::EndCombo();
  }
  context.widgets.item("display.hdu");
}

void show(Context& context, Document& document, std::int64_t plane) {
  OpenOptions next = document.open;
  next.hdu = document.header->hdu;
  next.plane = plane;
  context.shell.show_plane(document, next);
}

/// A slider along one axis; the played one tells the channel's coordinate.
void draw_axis(Context& context, Document& document, const CubeAxes::Axis& axis, std::int64_t plane) {
  const CubeAxes& cube = *document.cube;
  const bool played = &axis == &cube.played();
  const bool spectral = axis.kind == CubeAxes::Kind::spectral;
  label(!played ? axis.name.c_str() : spectral ? "Channel" : "Plane");
  auto place = static_cast<int>(CubeAxes::place(axis, plane)) + 1;
  const int first = 1, last = static_cast<int>(axis.count);
  const std::string coordinate = played ? cube.coordinate_text(plane) : std::string();
  const std::string text =
      printf_text(fmt::format(" of {}{}{}", axis.count, coordinate.empty() ? "" : "    ", coordinate));
  const std::string id = fmt::format("##axis{}", axis.number);
  if (slider_of(id.c_str(), ImGuiDataType_S32, &place, &first, &last, ("%d" + text).c_str(), 0))
    show(context, document, CubeAxes::moved(axis, plane, place - 1));
  context.widgets.item(played ? "display.plane" : fmt::format("display.axis.{}", axis.number + 1));
}

/// returns whether it was pressed
bool stokes_button(const std::string& word, bool on, float least) {
  if (on) ImGui::PushStyleColor(ImGuiCol_Button, ImGui::GetStyle().Colors[ImGuiCol_TabActive]);
  const bool pressed = ImGui::Button(word.c_str(), {std::max(least, ImGui::CalcTextSize(word.c_str()).x + 8), 0});
  if (on) ImGui::PopStyleColor();
  return pressed;
}

void show_linear(Context& context, Document& document, LinearPolarisation linear) {
  Layer& input = document.layer(LayerKind::input);
  if (input.render.limits != "manual") input.limits_set = false;
  document.cube_view.linear = linear;
  const std::int64_t plane = document.open.plane.value_or(document.header->plane);
  show(context, document, document.cube->q_and_u(plane)->first);
}

/// "P", behind the Stokes parameters that it is made of, and whether without its bias.
void draw_linear(Context& context, Document& document, float width) {
  const LinearPolarisation now = document.cube_view.linear;
  const bool on = now != LinearPolarisation::off;
  ImGui::SameLine(0, ImGui::GetFontSize());
  if (stokes_button("P", on, width)) show_linear(context, document, on ? now : LinearPolarisation::plain);
  context.widgets.item("display.stokes.P");
  tip("Linearly polarised intensity, the root of Q\xC2\xB2 + U\xC2\xB2");
  if (!on) return;
  label("");
  bool debiased = now == LinearPolarisation::debiased;
  if (ImGui::Checkbox("without the bias of noise", &debiased))
    show_linear(context, document, debiased ? LinearPolarisation::debiased : LinearPolarisation::plain);
  context.widgets.item("display.stokes.debiased");
  tip("The root of Q\xC2\xB2 + U\xC2\xB2 - \xCF\x83\xC2\xB2, 0 where that is negative\n(Wardle and Kronberg 1974)");
}

/// A button for each Stokes parameter.
void draw_stokes(Context& context, Document& document, const CubeAxes::Axis& axis, std::int64_t plane) {
  label("Stokes");
  const float width = 2 * ImGui::GetFontSize();
  for (std::int64_t at = 0; at < axis.count; ++at) {
    if (at > 0) ImGui::SameLine(0, 3);
    const std::string& word = axis.words[static_cast<std::size_t>(at)];
    const bool linear = document.cube_view.linear != LinearPolarisation::off;
    ImGui::PushID(static_cast<int>(at));
    if (stokes_button(word, !linear && at == CubeAxes::place(axis, plane), width)) {
      if (Layer& input = document.layer(LayerKind::input); linear && input.render.limits != "manual")
        input.limits_set = false;
      document.cube_view.linear = LinearPolarisation::off;
      show(context, document, CubeAxes::moved(axis, plane, at));
    }
    ImGui::PopID();
    context.widgets.item("display.stokes." + word);
  }
  if (document.cube->q_and_u(plane)) draw_linear(context, document, width);
}

void draw_playing(Context& context) {
  label("");
  if (ImGui::ArrowButton("##before", ImGuiDir_Left)) run_action(context, "plane.previous");
  context.widgets.item("display.plane.previous");
  ImGui::SameLine(0, 3);
  if (ImGui::ArrowButton("##after", ImGuiDir_Right)) run_action(context, "plane.next");
  context.widgets.item("display.plane.next");
  ImGui::SameLine(0, 3);
  if (ImGui::Button(context.state.animate ? "Stop" : "Play", {4 * ImGui::GetFontSize(), 0}))
    run_action(context, "plane.play");
  context.widgets.item("display.plane.play");
  ImGui::SameLine(0, 3);
  ImGui::SetNextItemWidth(-1);
  slider("##rate", context.state.planes_per_second, 0.5, 60, "%.3g a second", ImGuiSliderFlags_Logarithmic);
  context.widgets.item("display.plane.rate");
  if (context.state.planes_reached > 0) {
    label("");
    ImGui::TextDisabled("%.1f planes a second are reached", context.state.planes_reached);
    context.widgets.item("display.plane.reached");
  }
}

void draw_planes(Context& context, Document& document) {
  if (!document.cube) return;
  const CubeAxes& cube = *document.cube;
  // While a plane is on its way the slider stands where it was put.
  const std::int64_t plane = document.open.plane.value_or(document.header->plane);
  for (const CubeAxes::Axis& axis : cube.axes()) {
    if (axis.kind == CubeAxes::Kind::stokes && axis.count <= 8)
      draw_stokes(context, document, axis, plane);
    else
      draw_axis(context, document, axis, plane);
    if (&axis != &cube.played()) continue;
    draw_playing(context);
    const std::string frequency = cube.frequency_text(plane);
    std::string words = frequency == cube.coordinate_text(plane) ? "" : frequency;
    const std::string stokes = document.cube_view.linear != LinearPolarisation::off ? "P" : cube.stokes(plane);
    for (const std::string& more : {cube.convention(), stokes.empty() ? "" : "Stokes " + stokes})
      if (!more.empty()) words += (words.empty() ? "" : "   ") + more;
    if (words.empty()) continue;
    label("");
    ImGui::PushTextWrapPos(0);
    ImGui::TextDisabled("%s", words.c_str());
    ImGui::PopTextWrapPos();
    context.widgets.item("display.plane.coordinate");
  }
}

}  // namespace

void draw_plane_choice(Context& context) {
  Document& document = *context.state.document();
  if (!document.header || document.in_memory) return;
  draw_hdus(context, document);
  draw_planes(context, document);
}

}  // namespace reber::gui
