// SPDX-License-Identifier: BSD-3-Clause
// Which HDU and plane of the file is shown, and playing a cube: at the head of the panel Display.
#pragma once

#include "gui/ui/shell.hpp"

namespace reber::gui {

/// HDU, plane and animation; nothing where the file has one image.
void draw_plane_choice(Context& context);

}  // namespace reber::gui
