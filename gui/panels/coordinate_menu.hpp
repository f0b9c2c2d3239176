// SPDX-License-Identifier: BSD-3-Clause
// Choice of the celestial frame and format, and the menu of a place on the image.
#pragma once

#include "gui/ui/shell.hpp"

namespace reber::gui {

/// The frame's name as a button that opens the choices.
void draw_coordinate_button(Context& context);
/// The menu of the right mouse button.
class CanvasMenu {
 public:
  /// Draws it while it is open. Call it in the window of the canvas, after the mouse.
  void draw(Context& context);

 private:
  PixelPosition place_;  ///< where it was opened
};
/// Puts position, pixel and value under the cursor on the clipboard.
void copy_place(Context& context);

}  // namespace reber::gui
