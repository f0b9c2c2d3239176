// SPDX-License-Identifier: BSD-3-Clause
// The drawing functions of all panels; gui/shell/panel_table.cpp puts them in order.
#pragma once

#include "gui/shell/shell.hpp"

namespace reber::gui {

void draw_display_panel(Context& context);
void draw_pipeline_panel(Context& context);

}  // namespace reber::gui
