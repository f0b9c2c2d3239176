// SPDX-License-Identifier: BSD-3-Clause
// The "?" of panels.
#include "gui/app/panel_help.hpp"

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_internal.h>

#include "gui/ui/fields.hpp"
#include "gui/ui/theme.hpp"

namespace reber::gui {
namespace {

/// Behind the button: names it for scripts, and shows the text.
void finish_button(Context& context, const PanelRow& row, bool clicked) {
  context.widgets.item(fmt::format("help.{}", row.name));
  const std::string popup = fmt::format("##help {}", row.name);
  if (clicked) ImGui::OpenPopup(popup.c_str());
  if (!ImGui::IsPopupOpen(popup.c_str())) tip(row.help, true);
  if (!ImGui::BeginPopup(popup.c_str())) return;
  ImGui::PushFont(bold_font());
  ImGui::TextUnformatted(row.title);
  ImGui::PopFont();
  ImGui::PushTextWrapPos(28 * ImGui::GetFontSize());
  ImGui::TextUnformatted(row.help);
  ImGui::PopTextWrapPos();
  context.widgets.item("help.text");
  ImGui::EndPopup();
}

}  // namespace

void help_button(Context& context, const PanelRow& row) {
  ImGui::PushID(row.name);
  finish_button(context, row, ImGui::SmallButton("?"));
  ImGui::PopID();
}

void help_tab(Context& context, const PanelRow& row) {
  finish_button(context, row, ImGui::TabItemButton("?", ImGuiTabItemFlags_Trailing | ImGuiTabItemFlags_NoTooltip));
}

void help_in_title(Context& context, const PanelRow& row) {
  ImGuiWindow& window = *ImGui::GetCurrentWindow();
  const ImRect bar = window.TitleBarRect();
  const ImVec2 cursor = window.DC.CursorPos, furthest = window.DC.CursorMaxPos;
  const ImVec2 last = window.DC.CursorPosPrevLine, line = window.DC.CurrLineSize, before = window.DC.PrevLineSize;
  ImGui::PushClipRect(bar.Min, bar.Max, false);
  const float unit = ImGui::GetFontSize();
  ImGui::SetCursorScreenPos({bar.Max.x - 3.2f * unit, bar.Min.y + 0.5f * (bar.GetHeight() - unit)});
  help_button(context, row);
  ImGui::PopClipRect();
  window.DC.CursorPos = cursor;
  window.DC.CursorMaxPos = furthest;
  window.DC.CursorPosPrevLine = last;
  window.DC.CurrLineSize = line;
  window.DC.PrevLineSize = before;
}

}  // namespace reber::gui
