// SPDX-License-Identifier: BSD-3-Clause
// The panels of one window: made, opened and closed.
#include "gui/ui/panel.hpp"

namespace reber::gui {

Panels::Panels() {
  for (const PanelRow& row : panel_rows()) all_.push_back({row, row.make()});
}

bool is_open(const ViewerState& state, const PanelRow& panel) {
  const auto found = state.panel_open.find(panel.name);
  return found == state.panel_open.end() ? panel.open_by_default : found->second;
}

void set_open(ViewerState& state, const std::string& name, bool open) {
  if (open && !state.panel_open[name]) state.raised_panel = name;
  state.panel_open[name] = open;
}

}  // namespace reber::gui
