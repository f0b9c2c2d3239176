// SPDX-License-Identifier: BSD-3-Clause
// The table of panels: one row each, in the order of the column, the strip and the menu.
#include <algorithm>
#include <array>
#include <string_view>

#include "gui/app/keys_panel.hpp"
#include "gui/app/session_dialog.hpp"
#include "gui/app/welcome.hpp"
#include "gui/export/export_dialog.hpp"
#include "gui/export/film_dialog.hpp"
#include "gui/export/sub_image_dialog.hpp"
#include "gui/ui/panel.hpp"

namespace reber::gui {

/// Each is defined in its panel's own file under gui/panels.
using MakePanel = std::unique_ptr<Panel>();
MakePanel make_display_panel, make_statistics_panel, make_pipeline_panel, make_profiles_panel, make_regions_panel,
    make_header_panel, make_goto_panel, make_magnifier_panel, make_contours_panel, make_bookmarks_panel,
    make_open_dialog, make_compare_panel, make_device_panel, make_sources_panel, make_plots_panel, make_match_panel,
    make_prove_panel, make_inks_panel, make_tour_panel, make_send_dialog, make_extended_panel, make_why_panel,
    make_spectrum_panel, make_cube_panel, make_exchange_dialog;

namespace {

bool with_document(const ViewerState& state) { return state.document() != nullptr; }
/// The strip takes room from the image only once there is something in it.
bool with_result(const ViewerState& state) {
  return state.document() != nullptr && state.document()->result != nullptr;
}
bool with_cube(const ViewerState& state) {
  const Document* const document = state.document();
  return document != nullptr && document->cube && !document->in_memory;
}
bool with_cube_images(const ViewerState& state) {
  return with_cube(state) || (state.document() != nullptr && state.document()->made_of);
}
bool with_browser(const ViewerState& state) { return state.served; }
bool with_extended(const ViewerState& state) { return with_result(state) && state.document()->extended.wanted; }

constexpr std::array kPanels{
    PanelRow{"magnifier", "Magnifier", Place::side, false, "Shift+m",
             "The pixels around the cursor, four times as large",
             "The pixels around the pointer, in the image's own colours. Where the readout is frozen (f) it "
             "stays with the crosshair.",
             make_magnifier_panel, with_document},
    PanelRow{"display", "Display", Place::side, true, "", "Stretch, limits, colours",
             "How values become colours. Low and high are in the unit of the colour bar; a is the layer's own "
             "rule, k and l take the value under the pointer. Right-drag on the image is bias and contrast, a "
             "right double click resets them. Ctrl+z takes a change back.",
             make_display_panel, with_document},
    PanelRow{"cube", "Cube", Place::side, false, "", "Moments, position-velocity cuts and channel maps of a cube",
             "Images made of the cube, each a new image beside it: collapsed over the range drawn in the spectrum, "
             "with the pixels above so many sigma of their plane; along the line of the profiles (Shift+p); as a grid "
             "of planes of what is in view. A double click on a channel map shows its plane. They are saved here.",
             make_cube_panel, with_cube_images},
    PanelRow{"statistics", "Statistics and histogram", Place::side, false, "Ctrl+h",
             "Minimum, maximum, mean, median, noise and histogram of the layer",
             "Of the shown layer, or of the chosen region. Drag the two lines of the histogram to set the limits.",
             make_statistics_panel, with_document},
    PanelRow{"pipeline", "Pipeline", Place::side, true, "",
             "Convolve, measure the background, find and fit the sources",
             "What is done to find sources, from top to bottom. Enter runs what changed; with Live every "
             "change runs at once, and Ctrl with the wheel on the image moves the threshold. Sources come "
             "measured by moments first; fits follow where the beam is known. Esc stops. Copy the command: what "
             "the panel shows, as a command line.",
             make_pipeline_panel, with_document},
    PanelRow{
        "why", "How the source was made", Place::side, false, "",
        "Island, deblending, fits and refinements of the chosen source",
        "What reber find --why tells of the chosen source: its island, the peaks that deblending joined, every fit "
        "that was tried, what was refined after it with values before and after, and its flags.",
        make_why_panel, with_result},
    PanelRow{"profiles", "Profiles", Place::bottom, false, "Ctrl+l",
             "Row and column through the cursor, and along a line",
             "Values along the row and the column of the pointer. Shift+p, then a drag on the image: along "
             "that line. f freezes them.",
             make_profiles_panel, with_document},
    PanelRow{
        "spectrum", "Spectrum", Place::bottom, true, "Ctrl+j",
        "The spectrum of a cube below the pointer, or of the chosen region",
        "Along the spectral axis, of the pixel below the pointer or of the chosen region: the flux density, or the "
        "mean. The band is one sigma, from the noise of each plane. A click shows that plane, a drag chooses a "
        "range of planes. f freezes the pixel. The wheel zooms, right-drag moves, a right double click fits again.",
        make_spectrum_panel, with_cube},
    PanelRow{"regions", "Regions", Place::bottom, false, "Ctrl+d", "Shapes on the image, their flux and statistics",
             "Choose a shape, or press r, and drag on the image. The chosen region's place, size and angle can "
             "be typed, Delete takes it away. Fluxes are sums over the beam's area; their error is the noise "
             "of a ring of 1.3 to 2 times the size. Files are DS9's or CASA's.",
             make_regions_panel, with_document},
    PanelRow{
        "header", "FITS header", Place::floating, false, "Ctrl+i", "The cards of the image's header, with a search",
        "The cards of the HDU as they stand in the file. Type to search.", make_header_panel, with_document, 680, 520},
    PanelRow{"goto", "Go to", Place::dialog, false, "Ctrl+g",
             "Centres on a typed position: ra dec [size], or pixel x y",
             "A position of the sky (17:45:40 -29:00:28, or degrees), with a size behind it if wanted, or: "
             "pixel x y.",
             make_goto_panel, with_document, 540, 0},
    PanelRow{"contours", "Contours", Place::side, false, "", "At which values lines are drawn, and how smooth",
             "By sigma above the median, or by percentile of the pixels. Smoothing is done before. The colour "
             "is set in Lines and colours.",
             make_contours_panel, with_document},
    PanelRow{"inks", "Lines and colours", Place::side, false, "",
             "Colours and widths of ellipses, islands, contours and grid; sizes and colours by column",
             "Colour and width of each kind of line, kept in the settings. Islands can choose black or white "
             "by the colours below them. Size and colour of the sources' marks can follow a column.",
             make_inks_panel, with_document},
    PanelRow{"bookmarks", "Bookmarks", Place::side, false, "", "Places of the image to come back to",
             "m keeps the place, the zoom and the orientation; ' goes from one to the next. They are saved "
             "with the session.",
             make_bookmarks_panel, with_document},
    PanelRow{"open", "Open an image", Place::dialog, false, "Ctrl+o", "Chooses a file, its HDU and plane",
             "Letters filter the list, Enter takes its first row and, once more, opens it; a whole path is typed "
             "there as well. The header of the chosen file is shown, with its HDUs and planes. Files can be "
             "dropped on the window.",
             make_open_dialog, nullptr},
    PanelRow{"keys", "Keys", Place::floating, false, "F1 ? Shift+/", "Every key and what it does",
             "Type an action or a key to find it. Ctrl+Shift+p runs any action by a few of its letters.",
             make_keys_panel, nullptr, 620, 560},
    PanelRow{"welcome", "A first minute", Place::floating, false, "", "What to begin with, and recent files",
             "What to begin with. The tour plays ten steps on the sample field; docs/viewer.md has them in "
             "pictures.",
             make_welcome_panel, nullptr, 430, 0},
    PanelRow{"tour", "The tour", Place::floating, false, "", "Ten steps on the sample field that play themselves",
             "Ten steps that play themselves. Next goes on before the time, Esc ends the tour and leaves the "
             "window as it was.",
             make_tour_panel, nullptr, 330, 0},
    PanelRow{"compare", "Compare", Place::side, false, "",
             "Two images held against each other: blink, split, difference",
             "Choose how, and with which image and layer. b blinks, d is the difference, Shift+s a line to "
             "drag, Shift+b side by side, t tiles. Images are held together by their sky coordinates. RGB "
             "takes three images on the grid of the shown one.",
             make_compare_panel, with_document},
    PanelRow{"device", "Device", Place::side, false, "", "The graphics card: memory, load, temperature, clocks",
             "The card's state, where its management library is installed, and the backend of the next run.",
             make_device_panel, nullptr},
    PanelRow{"sources", "Sources", Place::bottom, true, "", "Table of the sources: filter, order, export",
             "A click on a head sorts, one on a row selects, a double click goes there. The filter takes "
             "column names: SNR > 7 && Maj*3600 < 30; a bare number is a Source_id. n and p walk through the "
             "rows, x flags. Export writes the rows shown.",
             make_sources_panel, with_result},
    PanelRow{
        "extended", "Extended", Place::bottom, true, "", "Structures of every scale as a tree, with their outlines",
        "Shells, lobes, filaments: what is no Gaussian, measured from its pixels. A row stands behind the one that "
        "it lies in, further to the right. A click on a row or on an outline chooses one, a double click on a row "
        "goes there. Export writes the table, with outlines.",
        make_extended_panel, with_extended},
    PanelRow{"plots", "Plots", Place::bottom, true, "", "Histogram of a column, one column against another",
             "Drag a box to select, Ctrl or Shift adds. The wheel zooms (Shift: x alone, Ctrl: y alone), "
             "right-drag moves, a right double click fits again. A click takes the nearest point.",
             make_plots_panel, with_result},
    PanelRow{"match", "Match", Place::bottom, false, "",
             "Catalogues from files, over the image and matched with the sources",
             "Open catalogues of any origin; two lists are matched one to one within the radius. A click on a "
             "row centres the image. Plots: offsets, fluxes, completeness.",
             make_match_panel, with_document},
    PanelRow{"prove", "Prove", Place::bottom, false, "", "Two backends held against each other, stage by stage",
             "Runs the request on two backends and holds maps and sources against each other, each with its "
             "bound. Red is a bound that does not hold; a click on a source or a map shows it.",
             make_prove_panel, with_document},
    PanelRow{"export", "Export the view", Place::dialog, false, "Ctrl+e", "The view as PNG, PDF or SVG",
             "PNG in pixels, PDF and SVG with lines and text that stay lines and text. The view is written as "
             "it stands, with or without axes.",
             make_export_dialog, with_document, 520, 0},
    PanelRow{"film", "Export a film", Place::dialog, false, "", "The planes of a cube as GIF or animated PNG",
             "Every plane of the range drawn in the spectrum, or all, as the view shows them. GIF has 256 colours a "
             "picture and plays everywhere; an animated PNG has all colours and plays in browsers.",
             make_film_dialog, with_cube, 520, 0},
    PanelRow{
        "sub_image", "Save a part", Place::dialog, false, "", "What is in view, or about a region, as FITS",
        "The pixels that are in view, or the box about the chosen region, as a FITS file with coordinates, beam and "
        "history; of a cube the plane or all of them. The image's own file is never replaced.",
        make_sub_image_dialog, with_document, 520, 0},
    PanelRow{"exchange", "Files of the browser", Place::dialog, false, "",
             "Sends a file from the browser's machine, and fetches one",
             "Small files alone: 64 MiB to the viewer, 128 MiB from it. They go into the first folder of --folder, and "
             "come from all of them. A file dropped on the page is sent as well, and opened.",
             make_exchange_dialog, with_browser, 560, 0},
    PanelRow{"send", "Send to a program", Place::dialog, false, "",
             "Shows the image or the table in TOPCAT, Aladin or DS9 (SAMP)",
             "The image's file, or the rows that the table shows, to programs that run beside this one. They meet at "
             "a SAMP hub on this machine, which TOPCAT and Aladin bring. Nothing leaves the machine.",
             make_send_dialog, with_document, 520, 0},
    PanelRow{"session", "Session", Place::dialog, false, "Ctrl+Shift+s", "Saves and opens all that is open",
             "All that is open, with views, parameters, regions and catalogues, as one JSON file. What a "
             "viewer left that did not end by itself is offered here.",
             make_session_dialog, nullptr, 560, 0},
};
static_assert(std::ranges::none_of(kPanels, [](const PanelRow& row) { return std::string_view(row.help).empty(); }));

}  // namespace

std::span<const PanelRow> panel_rows() { return kPanels; }

}  // namespace reber::gui
