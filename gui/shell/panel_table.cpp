// SPDX-License-Identifier: BSD-3-Clause
// The table of panels: one row each, in the order of the column, the strip and the menu.
#include <array>

#include "gui/panels/panels.hpp"
#include "gui/shell/panel.hpp"

namespace reber::gui {
namespace {

bool with_document(const ViewerState& state) { return state.document() != nullptr; }

constexpr std::array kPanels{
    Panel{"display", "Display", Place::side, true, "", "Stretch, limits, colours", draw_display_panel, with_document},
    Panel{"pipeline", "Pipeline", Place::side, true, "", "Convolve, measure the background, find and fit the sources",
          draw_pipeline_panel, with_document},
};

}  // namespace

std::span<const Panel> panels() { return kPanels; }

bool is_open(const ViewerState& state, const Panel& panel) {
  const auto found = state.panel_open.find(panel.name);
  return found == state.panel_open.end() ? panel.open_by_default : found->second;
}

void set_open(ViewerState& state, const std::string& name, bool open) { state.panel_open[name] = open; }

}  // namespace reber::gui
