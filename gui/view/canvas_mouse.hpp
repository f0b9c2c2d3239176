// SPDX-License-Identifier: BSD-3-Clause
// The mouse on the image.
#pragma once

#include "gui/ui/overlay.hpp"

namespace reber::gui {

/// Pan, zoom, centre, bias and contrast, clicks and the cursor's position, for the ImGui item drawn last. Overlays see
/// the left button first. The right half of a comparison is moved, zoomed and read like the left one, and takes no
/// clicks.
void canvas_mouse(Context& context, CanvasView& canvas);

}  // namespace reber::gui
