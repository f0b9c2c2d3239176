// SPDX-License-Identifier: BSD-3-Clause
// The command palette.
#include "gui/app/palette_window.hpp"

#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "gui/ui/action.hpp"
#include "gui/ui/theme.hpp"

namespace reber::gui {
namespace {

constexpr const char* kName = "palette";

std::vector<const Action*> matches(const ViewerState& state, const std::string& text) {
  std::vector<std::pair<int, const Action*>> found;
  for (const Action& action : actions()) {
    if (!is_enabled(action, state)) continue;
    const int cost = match_cost(action.title, text);
    if (cost >= 0) found.emplace_back(cost, &action);
  }
  std::ranges::stable_sort(found, {}, [](const auto& entry) { return entry.first; });
  std::vector<const Action*> list;
  for (const auto& entry : found) list.push_back(entry.second);
  return list;
}

}  // namespace

namespace {

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

/// Letters in order, wherever they stand: those that are passed over inside a word cost.
int scattered_cost(const std::string& title, const std::string& wanted) {
  int cost = 0;
  std::size_t at = 0;
  for (const char c : wanted) {
    if (c == ' ') continue;
    const std::size_t before = at;
    at = title.find(c, at);
    if (at == std::string::npos) return -1;
    const bool word = at == 0 || title[at - 1] == ' ';
    cost += word ? 0 : static_cast<int>(at - before);
    ++at;
  }
  return cost;
}

}  // namespace

int match_cost(const std::string& title, const std::string& wanted) {
  constexpr int kInside = 20, kScattered = 40;
  const std::string in = lower(title), what = lower(wanted);
  const int length = static_cast<int>(title.size()) / 16;
  std::size_t at = in.find(what);
  if (at == std::string::npos) {
    const int cost = scattered_cost(in, what);
    return cost < 0 ? cost : kScattered + cost + length;
  }
  for (; at != std::string::npos; at = in.find(what, at + 1))
    if (at == 0 || in[at - 1] == ' ') return length;
  return kInside + length;
}

void CommandPalette::draw(Context& context, double scale) {
  bool& open = context.state.panel_open[kName];
  if (!open) {
    was_open_ = false;
    return;
  }
  if (!std::exchange(was_open_, true)) {
    text_.clear();
    at_ = 0;
    focus_ = true;
  }
  const auto s = static_cast<float>(scale);
  const ImGuiViewport& viewport = *ImGui::GetMainViewport();
  ImGui::SetNextWindowPos({viewport.Pos.x + 0.5f * viewport.Size.x, viewport.Pos.y + 0.16f * viewport.Size.y}, 0,
                          {0.5f, 0});
  ImGui::SetNextWindowSize({520 * s, 330 * s});
  if (focus_) ImGui::SetNextWindowFocus();
  ImGui::Begin("##palette", nullptr, ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoSavedSettings);
  ImGui::SetNextItemWidth(-1);
  if (focus_) ImGui::SetKeyboardFocusHere();
  focus_ = false;
  if (ImGui::InputTextWithHint("##what", "Type what to do", &text_)) at_ = 0;
  context.widgets.item("palette.text");
  const bool typing = ImGui::IsItemActive();
  const std::vector<const Action*> found = matches(context.state, text_);
  const int count = static_cast<int>(found.size());
  for (const auto& [name, step] : {std::pair("palette.down", 1), {"palette.up", -1}})
    if (context.widgets.take_request(name)) at_ += step;
  at_ = std::clamp(at_, 0, std::max(0, count - 1));
  const Action* chosen =
      context.widgets.take_request("palette.accept") && count > 0 ? found[static_cast<std::size_t>(at_)] : nullptr;
  ImGui::BeginChild("##list");
  for (int i = 0; i < count; ++i) {
    const Action& action = *found[static_cast<std::size_t>(i)];
    ImGui::PushID(i);
    if (ImGui::Selectable(action.title.c_str(), i == at_)) chosen = &action;
    ImGui::PopID();
    context.widgets.item("palette." + action.name);
    if (i == at_ && !ImGui::IsItemVisible()) ImGui::SetScrollHereY();
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

}  // namespace reber::gui
