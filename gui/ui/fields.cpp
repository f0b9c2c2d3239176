// SPDX-License-Identifier: BSD-3-Clause
// Small pieces that the panels share.
#include "gui/ui/fields.hpp"

namespace reber::gui {

void label(const char* text) {
  ImGui::AlignTextToFramePadding();
  ImGui::TextUnformatted(text);
  ImGui::SameLine(7.5f * ImGui::GetFontSize());
  ImGui::SetNextItemWidth(-1);
}

bool slider(const char* id, double& value, double low, double high, const char* format, ImGuiSliderFlags flags) {
  return ImGui::SliderScalar(id, ImGuiDataType_Double, &value, &low, &high, format,
                             flags | ImGuiSliderFlags_AlwaysClamp);
}

std::string counted(std::int64_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

void tip(const std::string& text) {
  if (!ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled)) return;
  ImGui::BeginTooltip();
  ImGui::PushTextWrapPos(24 * ImGui::GetFontSize());
  ImGui::TextUnformatted(text.c_str());
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
}

}  // namespace reber::gui
