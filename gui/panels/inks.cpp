// SPDX-License-Identifier: BSD-3-Clause
// Panel: what is drawn on the image, in which colours, how broad.
#include <fmt/format.h>
#include <imgui.h>

#include "gui/model/image/overlay_ink.hpp"
#include "gui/ui/fields.hpp"
#include "gui/ui/overlay.hpp"
#include "gui/ui/panel.hpp"

namespace reber::gui {
namespace {

class InksPanel final : public Panel {
 public:
  void draw(Context& context) override;
};

}  // namespace

void InksPanel::draw(Context& context) {
  ViewerState& state = context.state;
  for (const InkRow& row : ink_rows()) {
    OverlayInk ink = ink_of(state.inks, row.name);
    ImGui::PushID(row.name);
    ImGui::BeginDisabled(ink.automatic);
    ImGui::ColorEdit3("##colour", ink.colour.data(), ImGuiColorEditFlags_NoInputs);
    ImGui::EndDisabled();
    context.widgets.item(fmt::format("inks.{}.colour", row.name));
    ImGui::SameLine();
    ImGui::TextUnformatted(row.title);
    ImGui::SameLine(11 * ImGui::GetFontSize());
    ImGui::SetNextItemWidth(row.may_be_automatic ? 5 * ImGui::GetFontSize() : -1.0f);
    slider("##width", ink.width, 0.5, 5, "%.1f", 0);
    context.widgets.item(fmt::format("inks.{}.width", row.name));
    tip("Width of the line");
    if (row.may_be_automatic) {
      ImGui::SameLine();
      ImGui::Checkbox("auto", &ink.automatic);
      context.widgets.item(fmt::format("inks.{}.auto", row.name));
      tip("Black or white, whichever stands out of the colours of the image");
    }
    ImGui::PopID();
    if (ink == row.usual)
      state.inks.erase(row.name);
    else
      state.inks[row.name] = ink;
  }
  ImGui::Checkbox("Ellipses follow the table's filter", &state.filter_ellipses);
  context.widgets.item("inks.filter");
  tip("Sources that the filter hides in the table are hidden on the image as well.");
  if (ImGui::Button("As at first")) state.inks.clear();
  context.widgets.item("inks.reset");
  tip("Colours that stay apart for colour-blind readers (Okabe and Ito 2008)");
}

std::unique_ptr<Panel> make_inks_panel() { return std::make_unique<InksPanel>(); }

}  // namespace reber::gui
