// SPDX-License-Identifier: BSD-3-Clause
// The functions of all overlays; gui/app/overlay_table.cpp puts them in order.
#pragma once

#include "gui/ui/overlay.hpp"

namespace reber::gui {

/// Ellipses themselves are drawn by OpenGL below all overlays; this labels the selected ones and takes clicks.
void draw_sources_overlay(const CanvasView& canvas, Context& context, ImDrawList& list);
bool sources_overlay_input(const CanvasInput& mouse, const CanvasView& canvas, Context& context);
void draw_grid_overlay(const CanvasView& canvas, Context& context, ImDrawList& list);
void draw_beam_overlay(const CanvasView& canvas, Context& context, ImDrawList& list);
void draw_compass_overlay(const CanvasView& canvas, Context& context, ImDrawList& list);
void draw_scale_bar_overlay(const CanvasView& canvas, Context& context, ImDrawList& list);
void draw_colour_bar_overlay(const CanvasView& canvas, Context& context, ImDrawList& list);
void draw_contours_overlay(const CanvasView& canvas, Context& context, ImDrawList& list);
void draw_regions_overlay(const CanvasView& canvas, Context& context, ImDrawList& list);
bool regions_overlay_input(const CanvasInput& mouse, const CanvasView& canvas, Context& context);
/// Sources of catalogues from files.
void draw_catalogues_overlay(const CanvasView& canvas, Context& context, ImDrawList& list);
void draw_crosshair_overlay(const CanvasView& canvas, Context& context, ImDrawList& list);

}  // namespace reber::gui
