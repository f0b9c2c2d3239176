// SPDX-License-Identifier: BSD-3-Clause
// The window's parts: menu, tool bar, canvas, column, strip, status bar, floating panels.
#pragma once

#include "gui/ui/shell.hpp"

namespace reber::gui {

/// What is left for the image after everything else was drawn.
[[nodiscard]] ScreenRect draw_frame_parts(Context& context, double scale, const std::string& activity, double fraction);

/// Window that floats above the image, the palette and the dialogs among them.
void draw_floating(Context& context, double scale);

}  // namespace reber::gui
