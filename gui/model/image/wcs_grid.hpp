// SPDX-License-Identifier: BSD-3-Clause
// Lines of round longitude and latitude over what a canvas shows.
#pragma once

#include <string>
#include <vector>

#include "core/sky/model/coordinates.hpp"
#include "gui/model/image/contours.hpp"
#include "gui/model/sky/view_transform.hpp"

namespace reber::gui {

/// Edge of the canvas on which a label stands; none: on a line that reaches no edge.
enum class CanvasEdge { bottom, left, top, right, none };

struct GridLabel {
  ScreenPoint at;  ///< where the line meets the edge
  CanvasEdge edge = CanvasEdge::bottom;
  std::string text;
};

/// In screen units.
struct SkyGrid {
  std::vector<std::vector<ScreenPoint>> lines;
  std::vector<GridLabel> labels;
  double lon_step_deg = 0, lat_step_deg = 0;
};

/// Lines about `spacing` screen units apart, wherever the canvas is on the sky; empty without a celestial system. The
/// lines are traced on a mesh of about `mesh` units and each crossing of the mesh is found to better than 0.05 units by
/// the WCS itself. Works across 0 h, at poles and at the edge of all-sky maps.
[[nodiscard]] SkyGrid sky_grid(const SkyView& sky, const CanvasTransform& canvas, bool sexagesimal, double spacing,
                               double mesh = 20);

}  // namespace reber::gui
