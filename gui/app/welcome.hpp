// SPDX-License-Identifier: BSD-3-Clause
// The place of the image while none is open.
#pragma once

#include <memory>

#include "gui/ui/panel.hpp"

namespace reber::gui {

/// How to open an image, and the recent ones, on that part of the window.
void draw_welcome(Context& context, const ScreenRect& area);

[[nodiscard]] std::unique_ptr<Panel> make_welcome_panel();

}  // namespace reber::gui
