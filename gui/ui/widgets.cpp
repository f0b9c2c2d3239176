// SPDX-License-Identifier: BSD-3-Clause
// Names of what can be clicked.
#include "gui/ui/widgets.hpp"

#include <imgui.h>

namespace reber::gui {

void Widgets::item(const std::string& name) {
  const ImVec2 low = ImGui::GetItemRectMin(), high = ImGui::GetItemRectMax();
  if (high.x > low.x && ImGui::IsItemVisible()) drawn_[name] = {low.x, low.y, high.x - low.x, high.y - low.y};
}

}  // namespace reber::gui
