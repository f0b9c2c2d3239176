// SPDX-License-Identifier: BSD-3-Clause
// The table of panels: one row each, in the order of the column, the strip and the menu.
#include <array>

#include "gui/panels/palette_window.hpp"
#include "gui/panels/panels.hpp"
#include "gui/ui/panel.hpp"

namespace reber::gui {
namespace {

bool with_document(const ViewerState& state) { return state.document() != nullptr; }
/// The strip takes room from the image only once there is something in it.
bool with_result(const ViewerState& state) {
  return state.document() != nullptr && state.document()->result != nullptr;
}

constexpr std::array kPanels{
    Panel{"display", "Display", Place::side, true, "", "Stretch, limits, colours", draw_display_panel, with_document},
    Panel{"statistics", "Statistics and histogram", Place::side, false, "Ctrl+h",
          "Minimum, maximum, mean, median, noise and histogram of the layer", draw_statistics_panel, with_document},
    Panel{"pipeline", "Pipeline", Place::side, true, "", "Convolve, measure the background, find and fit the sources",
          draw_pipeline_panel, with_document},
    Panel{"profiles", "Profiles", Place::bottom, false, "Ctrl+l", "Row and column through the cursor, and along a line",
          draw_profiles_panel, with_document},
    Panel{"regions", "Regions", Place::bottom, false, "Ctrl+d", "Shapes on the image, their flux and statistics",
          draw_regions_panel, with_document},
    Panel{"header", "FITS header", Place::floating, false, "Ctrl+i", "The cards of the image's header, with a search",
          draw_header_panel, with_document, 680, 520},
    Panel{"goto", "Go to", Place::dialog, false, "Ctrl+g", "Centres on a typed position: ra dec [size], or pixel x y",
          draw_goto_panel, with_document, 540, 0},
    Panel{"magnifier", "Magnifier", Place::side, false, "Shift+m", "The pixels around the cursor, four times as large",
          draw_magnifier_panel, with_document},
    Panel{"contours", "Contours", Place::side, false, "", "At which values lines are drawn, and how smooth",
          draw_contours_panel, with_document},
    Panel{"bookmarks", "Bookmarks", Place::side, false, "", "Places of the image to come back to", draw_bookmarks_panel,
          with_document},
    Panel{"open", "Open an image", Place::dialog, false, "Ctrl+o", "Chooses a file, its HDU and plane",
          draw_open_dialog, nullptr},
    Panel{"keys", "Keys", Place::floating, false, "F1 ? Shift+/", "Every key and what it does", draw_keys_panel,
          nullptr, 620, 560},
    Panel{"compare", "Compare", Place::side, false, "", "Two images held against each other: blink, split, difference",
          draw_compare_panel, with_document},
    Panel{"device", "Device", Place::side, false, "", "The graphics card: memory, load, temperature, clocks",
          draw_device_panel, nullptr},
    Panel{"sources", "Sources", Place::bottom, true, "", "Table of the sources: filter, order, export",
          draw_sources_panel, with_result},
    Panel{"plots", "Plots", Place::bottom, true, "", "Histogram of a column, one column against another",
          draw_plots_panel, with_result},
    Panel{"match", "Match", Place::bottom, false, "",
          "Catalogues from files, over the image and matched with the sources", draw_match_panel, with_document},
    Panel{"prove", "Prove", Place::bottom, false, "", "Two backends held against each other, stage by stage",
          draw_prove_panel, with_document},
    Panel{"export", "Export the view", Place::dialog, false, "Ctrl+e", "The view as PNG, PDF or SVG",
          draw_export_dialog, with_document, 520, 0},
    Panel{"session", "Session", Place::dialog, false, "Ctrl+Shift+s", "Saves and opens all that is open",
          draw_session_dialog, nullptr, 560, 0},
};

}  // namespace

std::span<const Panel> panels() { return kPanels; }

bool is_open(const ViewerState& state, const Panel& panel) {
  const auto found = state.panel_open.find(panel.name);
  return found == state.panel_open.end() ? panel.open_by_default : found->second;
}

void set_open(ViewerState& state, const std::string& name, bool open) { state.panel_open[name] = open; }

}  // namespace reber::gui
