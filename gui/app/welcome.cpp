// SPDX-License-Identifier: BSD-3-Clause
// The place of the image while none is open.
#include "gui/app/welcome.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include "gui/ui/action.hpp"
#include "gui/ui/theme.hpp"

namespace reber::gui {

void draw_welcome(Context& context, const ScreenRect& area) {
  ImGui::SetNextWindowPos({static_cast<float>(area.x), static_cast<float>(area.y)});
  ImGui::SetNextWindowSize({static_cast<float>(area.width), static_cast<float>(area.height)});
  ImGui::Begin("##welcome", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoBringToFrontOnFocus |
                   ImGuiWindowFlags_NoSavedSettings);
  const float unit = ImGui::GetFontSize();
  ImGui::SetCursorPos({0.5f * static_cast<float>(area.width) - 14 * unit, 0.3f * static_cast<float>(area.height)});
  ImGui::BeginGroup();
  ImGui::PushFont(bold_font());
  ImGui::TextUnformatted("Reber");
  ImGui::PopFont();
  ImGui::TextDisabled("Drop a FITS image here, or");
  if (ImGui::Button("Open an image ...   Ctrl+O")) run_action(context, "panel.open");
  context.widgets.item("welcome.open");
  if (!context.state.recent.empty()) {
    ImGui::Dummy({0, unit});
    ImGui::TextDisabled("Recent");
    for (std::size_t i = 0; i < context.state.recent.size(); ++i) {
      const std::string path = context.state.recent[i];
      if (ImGui::Selectable(path.c_str(), false, 0, {28 * unit, 0})) context.shell.open(path, {});
      context.widgets.item(fmt::format("welcome.recent.{}", i));
      if (i >= context.state.recent.size()) break;
    }
  }
  ImGui::EndGroup();
  ImGui::End();
}

}  // namespace reber::gui
