// SPDX-License-Identifier: BSD-3-Clause
// The table of panels: one row each, in the order of the column, the strip and the menu.
#include <array>

#include "gui/app/keys_panel.hpp"
#include "gui/app/session_dialog.hpp"
#include "gui/app/welcome.hpp"
#include "gui/export/export_dialog.hpp"
#include "gui/ui/panel.hpp"

namespace reber::gui {

/// Each is defined in its panel's own file under gui/panels.
using MakePanel = std::unique_ptr<Panel>();
MakePanel make_display_panel, make_statistics_panel, make_pipeline_panel, make_profiles_panel, make_regions_panel,
    make_header_panel, make_goto_panel, make_magnifier_panel, make_contours_panel, make_bookmarks_panel,
    make_open_dialog, make_compare_panel, make_device_panel, make_sources_panel, make_plots_panel, make_match_panel,
    make_prove_panel, make_inks_panel;

namespace {

bool with_document(const ViewerState& state) { return state.document() != nullptr; }
/// The strip takes room from the image only once there is something in it.
bool with_result(const ViewerState& state) {
  return state.document() != nullptr && state.document()->result != nullptr;
}

constexpr std::array kPanels{
    PanelRow{"magnifier", "Magnifier", Place::side, false, "Shift+m",
             "The pixels around the cursor, four times as large", make_magnifier_panel, with_document},
    PanelRow{"display", "Display", Place::side, true, "", "Stretch, limits, colours", make_display_panel,
             with_document},
    PanelRow{"statistics", "Statistics and histogram", Place::side, false, "Ctrl+h",
             "Minimum, maximum, mean, median, noise and histogram of the layer", make_statistics_panel, with_document},
    PanelRow{"pipeline", "Pipeline", Place::side, true, "",
             "Convolve, measure the background, find and fit the sources", make_pipeline_panel, with_document},
    PanelRow{"profiles", "Profiles", Place::bottom, false, "Ctrl+l",
             "Row and column through the cursor, and along a line", make_profiles_panel, with_document},
    PanelRow{"regions", "Regions", Place::bottom, false, "Ctrl+d", "Shapes on the image, their flux and statistics",
             make_regions_panel, with_document},
    PanelRow{"header", "FITS header", Place::floating, false, "Ctrl+i",
             "The cards of the image's header, with a search", make_header_panel, with_document, 680, 520},
    PanelRow{"goto", "Go to", Place::dialog, false, "Ctrl+g",
             "Centres on a typed position: ra dec [size], or pixel x y", make_goto_panel, with_document, 540, 0},
    PanelRow{"contours", "Contours", Place::side, false, "", "At which values lines are drawn, and how smooth",
             make_contours_panel, with_document},
    PanelRow{"inks", "Lines and colours", Place::side, false, "",
             "Colours and widths of ellipses, islands, contours and grid", make_inks_panel, with_document},
    PanelRow{"bookmarks", "Bookmarks", Place::side, false, "", "Places of the image to come back to",
             make_bookmarks_panel, with_document},
    PanelRow{"open", "Open an image", Place::dialog, false, "Ctrl+o", "Chooses a file, its HDU and plane",
             make_open_dialog, nullptr},
    PanelRow{"keys", "Keys", Place::floating, false, "F1 ? Shift+/", "Every key and what it does", make_keys_panel,
             nullptr, 620, 560},
    PanelRow{"welcome", "A first minute", Place::floating, false, "", "What to begin with, and recent files",
             make_welcome_panel, nullptr, 430, 0},
    PanelRow{"compare", "Compare", Place::side, false, "",
             "Two images held against each other: blink, split, difference", make_compare_panel, with_document},
    PanelRow{"device", "Device", Place::side, false, "", "The graphics card: memory, load, temperature, clocks",
             make_device_panel, nullptr},
    PanelRow{"sources", "Sources", Place::bottom, true, "", "Table of the sources: filter, order, export",
             make_sources_panel, with_result},
    PanelRow{"plots", "Plots", Place::bottom, true, "", "Histogram of a column, one column against another",
             make_plots_panel, with_result},
    PanelRow{"match", "Match", Place::bottom, false, "",
             "Catalogues from files, over the image and matched with the sources", make_match_panel, with_document},
    PanelRow{"prove", "Prove", Place::bottom, false, "", "Two backends held against each other, stage by stage",
             make_prove_panel, with_document},
    PanelRow{"export", "Export the view", Place::dialog, false, "Ctrl+e", "The view as PNG, PDF or SVG",
             make_export_dialog, with_document, 520, 0},
    PanelRow{"session", "Session", Place::dialog, false, "Ctrl+Shift+s", "Saves and opens all that is open",
             make_session_dialog, nullptr, 560, 0},
};

}  // namespace

std::span<const PanelRow> panel_rows() { return kPanels; }

}  // namespace reber::gui
