// SPDX-License-Identifier: BSD-3-Clause
// The command palette and the list of keys, both made from the table of actions.
#pragma once

#include "gui/ui/shell.hpp"

namespace reber::gui {

/// Draws the palette where it is open.
void draw_palette_window(Context& context, double scale);
void open_palette(ViewerState& state);
/// A floating panel.
void draw_keys_panel(Context& context);
/// Runs an enabled action of that name; false where it is not there or not enabled.
bool run_action(Context& context, const std::string& name);

}  // namespace reber::gui
