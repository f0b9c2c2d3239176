// SPDX-License-Identifier: BSD-3-Clause
// The shown view as a figure: the image as a raster, everything over it as lines, areas and text.
#pragma once

#include "gui/model/figure.hpp"
#include "gui/ui/shell.hpp"

namespace reber::gui {

struct FigureOptions {
  bool axes = true;  ///< frame, ticks and labels in sky coordinates (pixels where there are none)
  bool overlays = true;
  bool light = true;        ///< black on white around the image
  double raster_scale = 2;  ///< pixels of the raster a unit
  bool crop = true;         ///< leaves out what of the canvas is off the image
};

/// Where the parts of a figure lie, in units of the layout at scale 1.
struct FigureLayout {
  double width = 0, height = 0;
  ScreenRect frame;    ///< of the image
  ViewTransform view;  ///< the image's within the frame
  bool axes = false, colour_bar = false;
};

[[nodiscard]] FigureLayout figure_layout(const ViewerState& state, const ScreenRect& canvas,
                                         const FigureOptions& options);

/// The raster of a figure with that layout; `done` is left to the caller.
[[nodiscard]] PictureOrder raster_order(const FigureLayout& layout, const FigureOptions& options);

/// The active document as it stands on a canvas of that size, without its raster.
[[nodiscard]] Figure view_figure(Context& context, const ScreenRect& canvas, const FigureOptions& options);

}  // namespace reber::gui
