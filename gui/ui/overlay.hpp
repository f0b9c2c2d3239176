// SPDX-License-Identifier: BSD-3-Clause
// The table of what is drawn on the image. A new one is one file under gui/overlays and one row in overlay_table.cpp.
#pragma once

#include <span>
#include <string>

#include "gui/ui/shell.hpp"

struct ImDrawList;

namespace reber::gui {

/// The canvas on which an image is drawn. Side by side there are two.
struct CanvasView {
  Document& document;
  LayerKind layer;
  CanvasTransform transform;
  bool primary = true;  ///< the one that takes the mouse
  double scale = 1;     ///< of lines and text: user's times screen's
  bool framed = false;  ///< axes with their labels and the colour bar stand around it: a figure for a paper
};

/// The mouse on the primary canvas, in this frame.
struct CanvasInput {
  bool hovered = false;
  ScreenPoint at;
  PixelPosition image_at;
  bool pressed = false, down = false, released = false;  ///< left button
  bool clicked = false;                                  ///< released where it was pressed (within 3 units)
  bool double_clicked = false;
  bool shift = false, control = false;
};

/// draw(), where not null, puts lines into the list, in screen units, above the image and clipped to the canvas.
/// input(), where not null, sees the mouse first, in the table's order, while the overlay is on; true means that it
/// took it and neither those behind it nor panning see it.
struct Overlay {
  const char* name;   ///< "grid": of settings and the action "overlay.grid"
  const char* title;  ///< "Coordinate grid"
  bool on_by_default;
  const char* key;  ///< that toggles it, as in Action::key; "" for none
  const char* tooltip;
  void (*draw)(const CanvasView& canvas, Context& context, ImDrawList& list);
  bool (*input)(const CanvasInput& mouse, const CanvasView& canvas, Context& context);
};

/// In drawing order.
[[nodiscard]] std::span<const Overlay> overlays();

[[nodiscard]] bool is_on(const ViewerState& state, const Overlay& overlay);

}  // namespace reber::gui
