// SPDX-License-Identifier: BSD-3-Clause
// The drawing functions of all panels; gui/app/panel_table.cpp puts them in order.
#pragma once

#include "gui/ui/shell.hpp"

namespace reber::gui {

void draw_display_panel(Context& context);
/// HDU, plane and animation; nothing where the file has one image.
void draw_plane_choice(Context& context);
void draw_pipeline_panel(Context& context);
void draw_statistics_panel(Context& context);
void draw_profiles_panel(Context& context);
void draw_regions_panel(Context& context);
void draw_header_panel(Context& context);
void draw_goto_panel(Context& context);
void draw_contours_panel(Context& context);
void draw_bookmarks_panel(Context& context);

/// The rule that the shown layer's limits follow, as a field of the display panel.
void draw_limits_choice(Context& context);
/// Takes the chosen region away.
void delete_region(Document& document);
void draw_magnifier_panel(Context& context);
void draw_open_dialog(Context& context);
/// Its jobs wake a window: call it before the window goes.
void forget_open_dialog();
void draw_compare_panel(Context& context);
void draw_device_panel(Context& context);
void draw_sources_panel(Context& context);
void draw_plots_panel(Context& context);
void draw_match_panel(Context& context);
void draw_prove_panel(Context& context);
void draw_export_dialog(Context& context);
void draw_session_dialog(Context& context);

/// Reads a catalogue and draws it over the images; says what was wrong where it cannot.
void open_catalogue_file(Context& context, const std::string& path);

}  // namespace reber::gui
