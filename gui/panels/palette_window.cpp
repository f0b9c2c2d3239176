// SPDX-License-Identifier: BSD-3-Clause
// The command palette and the list of keys.
#include "gui/panels/palette_window.hpp"

#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <cctype>

#include "gui/app/actions.hpp"
#include "gui/ui/panel.hpp"
#include "gui/ui/theme.hpp"

namespace reber::gui {
namespace {

struct PaletteState {
  std::string text;
  int at = 0;
  bool focus = false;
} palette_state;

constexpr const char* kName = "palette";

/// Every letter of `wanted`, in order, somewhere in the title: "zi" finds "Zoom in". Lower is better; -1 for no match.
int match(const std::string& title, const std::string& wanted) {
  int cost = 0;
  std::size_t at = 0;
  for (const char c : wanted) {
    if (c == ' ') continue;
    const std::size_t before = at;
    while (at < title.size() &&
           std::tolower(static_cast<unsigned char>(title[at])) != std::tolower(static_cast<unsigned char>(c)))
      ++at;
    if (at == title.size()) return -1;
    const bool word = at == 0 || title[at - 1] == ' ';
    cost += word ? 0 : static_cast<int>(at - before);
    ++at;
  }
  return cost + static_cast<int>(title.size()) / 16;
}

std::vector<const Action*> matches(const ViewerState& state) {
  std::vector<std::pair<int, const Action*>> found;
  for (const Action& action : actions()) {
    if (!is_enabled(action, state)) continue;
    const int cost = match(action.title, palette_state.text);
    if (cost >= 0) found.emplace_back(cost, &action);
  }
  std::ranges::stable_sort(found, {}, [](const auto& entry) { return entry.first; });
  std::vector<const Action*> list;
  for (const auto& entry : found) list.push_back(entry.second);
  return list;
}

}  // namespace

void open_palette(ViewerState& state) {
  state.panel_open[kName] = true;
  palette_state = {"", 0, true};
}

bool run_action(Context& context, const std::string& name) {
  const Action* action = find_action(name);
  if (action == nullptr || !is_enabled(*action, context.state)) return false;
  action->run(context);
  return true;
}

void draw_palette_window(Context& context, double scale) {
  bool& open = context.state.panel_open[kName];
  if (!open) return;
  const auto s = static_cast<float>(scale);
  const ImGuiViewport& viewport = *ImGui::GetMainViewport();
  ImGui::SetNextWindowPos({viewport.Pos.x + 0.5f * viewport.Size.x, viewport.Pos.y + 0.16f * viewport.Size.y}, 0,
                          {0.5f, 0});
  ImGui::SetNextWindowSize({520 * s, 330 * s});
  if (palette_state.focus) ImGui::SetNextWindowFocus();
  ImGui::Begin("##palette", nullptr, ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoSavedSettings);
  ImGui::SetNextItemWidth(-1);
  if (palette_state.focus) ImGui::SetKeyboardFocusHere();
  palette_state.focus = false;
  if (ImGui::InputTextWithHint("##what", "Type what to do", &palette_state.text)) palette_state.at = 0;
  context.widgets.item("palette.text");
  const bool typing = ImGui::IsItemActive();
  const std::vector<const Action*> found = matches(context.state);
  const int count = static_cast<int>(found.size());
  for (const auto& [name, step] : {std::pair("palette.down", 1), {"palette.up", -1}})
    if (context.widgets.take_request(name)) palette_state.at += step;
  palette_state.at = std::clamp(palette_state.at, 0, std::max(0, count - 1));
  const Action* chosen = context.widgets.take_request("palette.accept") && count > 0
                             ? found[static_cast<std::size_t>(palette_state.at)]
                             : nullptr;
  ImGui::BeginChild("##list");
  for (int i = 0; i < count; ++i) {
    const Action& action = *found[static_cast<std::size_t>(i)];
    ImGui::PushID(i);
    if (ImGui::Selectable(action.title.c_str(), i == palette_state.at)) chosen = &action;
    ImGui::PopID();
    context.widgets.item("palette." + action.name);
    if (i == palette_state.at && !ImGui::IsItemVisible()) ImGui::SetScrollHereY();
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", action.tooltip.c_str());
    if (!action.menu.empty()) {  // tells "Contours" of the panels from those of the overlays
      ImGui::SameLine(0, 10 * s);
      ImGui::TextDisabled("%s", action.menu.c_str());
    }
    if (action.keys.empty()) continue;
    const std::string key = action.keys.substr(0, action.keys.find(' '));
    ImGui::SameLine(ImGui::GetContentRegionMax().x - ImGui::CalcTextSize(key.c_str()).x - 8 * s);
    ImGui::TextDisabled("%s", key.c_str());
  }
  if (count == 0) ImGui::TextDisabled("Nothing of that name can be done now");
  ImGui::EndChild();
  const bool left = !typing && !ImGui::IsWindowFocused(ImGuiFocusedFlags_RootAndChildWindows);
  ImGui::End();
  if (left) open = false;
  if (chosen == nullptr) return;
  open = false;
  chosen->run(context);
}

void draw_keys_panel(Context&) {
  static std::string filter;
  ImGui::SetNextItemWidth(-1);
  ImGui::InputTextWithHint("##filter", "Find an action or a key", &filter);
  if (!ImGui::BeginTable("##keys", 3, ImGuiTableFlags_ScrollY | ImGuiTableFlags_RowBg | ImGuiTableFlags_SizingFixedFit))
    return;
  ImGui::TableSetupScrollFreeze(0, 1);
  ImGui::TableSetupColumn("Key");
  ImGui::TableSetupColumn("Action");
  ImGui::TableSetupColumn("What it does", ImGuiTableColumnFlags_WidthStretch);
  ImGui::TableHeadersRow();
  for (const Action& action : actions()) {
    if (action.keys.empty()) continue;
    if (!filter.empty() && match(action.title + " " + action.keys, filter) < 0) continue;
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::PushFont(mono_font());
    ImGui::TextUnformatted(action.keys.c_str());
    ImGui::PopFont();
    ImGui::TableNextColumn();
    ImGui::TextUnformatted(action.title.c_str());
    ImGui::TableNextColumn();
    ImGui::PushTextWrapPos(0);
    ImGui::TextDisabled("%s", action.tooltip.c_str());
    ImGui::PopTextWrapPos();
  }
  ImGui::EndTable();
}

}  // namespace reber::gui
