// SPDX-License-Identifier: BSD-3-Clause
// Panel: what the page of the tour speaks of, and a ring about the pointer that it moves.
#include <fmt/format.h>
#include <imgui.h>

#include "gui/model/workbench.hpp"
#include "gui/ui/panel.hpp"
#include "gui/ui/theme.hpp"

namespace reber::gui {
namespace {

class TourPanel final : public Panel {
 public:
  void draw(Context& context) override;
};

}  // namespace

void TourPanel::draw(Context& context) {
  TourWork& tour = context.state.workbench->tour;
  const float unit = ImGui::GetFontSize();
  if (ImGui::IsWindowAppearing()) {  // at the foot of the column, off the image and what the pages click
    const ImGuiViewport& all = *ImGui::GetMainViewport();
    ImGui::SetWindowPos(
        {all.Pos.x + all.Size.x - ImGui::GetWindowWidth() - 0.6f * unit, all.Pos.y + all.Size.y - 12.5f * unit});
  }
  if (!tour.resting) {
    constexpr int kSides = 32;
    ImGui::GetForegroundDrawList()->AddCircle(ImGui::GetIO().MousePos, 0.9f * unit, palette().warn, kSides, 2.5f);
  }
  ImGui::PushFont(bold_font());
  ImGui::TextWrapped("%d of %d: %s", tour.page, tour.pages, tour.title.c_str());
  ImGui::PopFont();
  ImGui::TextWrapped("%s", tour.text.c_str());
  const bool last = tour.page == tour.pages;
  ImGui::BeginDisabled(!tour.resting);
  if (ImGui::Button(last ? "Done" : "Next")) tour.next = true;
  context.widgets.item("tour.next");
  ImGui::EndDisabled();
  ImGui::SameLine();
  if (!last) {
    ImGui::TextDisabled("Esc ends the tour");
    return;
  }
  ImGui::TextDisabled("the window goes back to what it was");
}

std::unique_ptr<Panel> make_tour_panel() { return std::make_unique<TourPanel>(); }

}  // namespace reber::gui
