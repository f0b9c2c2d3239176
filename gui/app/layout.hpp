// SPDX-License-Identifier: BSD-3-Clause
// The window's parts around the image: menu, tool bar, column, strip, status bar, floating panels, palette.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gui/app/palette_window.hpp"
#include "gui/ui/panel.hpp"
#include "gui/ui/shell.hpp"

namespace reber::gui {

class Layout {
 public:
  /// In canvas points.
  struct Box {
    float x, y, width, height;
  };
  /// Draws all that stands around the image, and returns the room that is left for it.
  ///   activity, fraction: of the work under way; empty where there is none
  ScreenRect draw_parts(Context& context, double scale, const std::string& activity, double fraction);
  /// Draws the panels that float over the image, and the palette.
  void draw_floating(Context& context, double scale);

 private:
  void draw_tool_bar(Context& context, const Box& box);
  void draw_column(Context& context, const Box& box);

  CommandPalette palette_;
  std::int64_t last_active_ = -1;             ///< ViewerState::active, in the frame before
  float tabs_left_ = 0;                       ///< where the tabs of the images begin
  std::vector<const PanelRow*> side_before_;  ///< panels of the column, in the frame before
};

/// The window or dialog in front of the others; null where none is open.
[[nodiscard]] const PanelRow* front_window(const ViewerState& state);
/// Whether its fields have the keyboard.
[[nodiscard]] bool has_keyboard(const PanelRow& window);

}  // namespace reber::gui
