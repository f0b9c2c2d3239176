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

std::string plane_text(const ImageHeader& header) {
  const double frequency = header.wcs.frequency_hz();
  return fmt::format("%d of {}{}", header.planes,
                     frequency > 0 ? fmt::format("   {:.6g} {}", frequency / (frequency >= 1e9 ? 1e9 : 1e6),
                                                 frequency >= 1e9 ? "GHz" : "MHz")
                                   : "");
}

void draw_planes(Context& context, Document& document) {
  const ImageHeader& header = *document.header;
  if (header.planes < 2) return;
  label("Plane");
  // While a plane is on its way the slider stands where it was put.
  auto plane = static_cast<int>(document.open.plane.value_or(header.plane)) + 1;
  const int first = 1, last = static_cast<int>(header.planes);
  if (slider_of("##plane", ImGuiDataType_S32, &plane, &first, &last, plane_text(header).c_str(), 0)) {
    OpenOptions next = document.open;
    next.hdu = header.hdu;
    next.plane = plane - 1;
    context.shell.show_plane(document, next);
  }
  context.widgets.item("display.plane");
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
}

}  // namespace

void draw_plane_choice(Context& context) {
  Document& document = *context.state.document();
  if (!document.header || document.in_memory) return;
  draw_hdus(context, document);
  draw_planes(context, document);
}

}  // namespace reber::gui
