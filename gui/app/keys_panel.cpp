// SPDX-License-Identifier: BSD-3-Clause
// The list of keys, made from the table of actions.
#include "gui/app/keys_panel.hpp"

#include <imgui.h>
#include <imgui_stdlib.h>

#include <string>

#include "gui/app/palette_window.hpp"
#include "gui/ui/action.hpp"
#include "gui/ui/theme.hpp"

namespace reber::gui {
namespace {

class KeysPanel final : public Panel {
 public:
  void draw(Context& context) override;

 private:
  std::string filter_;
};

}  // namespace

void KeysPanel::draw(Context&) {
  ImGui::SetNextItemWidth(-1);
  ImGui::InputTextWithHint("##filter", "Find an action or a key", &filter_);
  // Where the words do not fit beside each other, each column has its part.
  const bool narrow = ImGui::GetContentRegionAvail().x < 40 * ImGui::GetFontSize();
  if (!ImGui::BeginTable("##keys", 3,
                         ImGuiTableFlags_ScrollY | ImGuiTableFlags_RowBg |
                             (narrow ? ImGuiTableFlags_SizingStretchSame : ImGuiTableFlags_SizingFixedFit)))
    return;
  ImGui::TableSetupScrollFreeze(0, 1);
  ImGui::TableSetupColumn("Key");
  ImGui::TableSetupColumn("Action");
  ImGui::TableSetupColumn("What it does", ImGuiTableColumnFlags_WidthStretch);
  ImGui::TableHeadersRow();
  for (const Action& action : actions()) {
    if (action.keys.empty()) continue;
    if (!filter_.empty() && match_cost(action.title + " " + action.keys, filter_) < 0) continue;
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::PushFont(mono_font());
    ImGui::PushTextWrapPos(narrow ? 0.0f : -1.0f);
    ImGui::TextUnformatted(action.keys.c_str());
    ImGui::PopFont();
    ImGui::TableNextColumn();
    ImGui::TextUnformatted(action.title.c_str());
    ImGui::PopTextWrapPos();
    ImGui::TableNextColumn();
    ImGui::PushTextWrapPos(0);
    ImGui::TextDisabled("%s", action.tooltip.c_str());
    ImGui::PopTextWrapPos();
  }
  ImGui::EndTable();
}

std::unique_ptr<Panel> make_keys_panel() { return std::make_unique<KeysPanel>(); }

}  // namespace reber::gui
