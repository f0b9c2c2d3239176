// SPDX-License-Identifier: BSD-3-Clause
// Sky coordinates along the edges of a view, for the axes of an exported figure.
#pragma once

#include <string>
#include <vector>

#include "core/show/picture/sky_axes.hpp"
#include "core/sky/model/wcs.hpp"
#include "gui/model/sky/view_transform.hpp"

namespace reber::gui {

enum class FrameEdge { bottom, left, top, right };

struct EdgeTick {
  ScreenPoint at;
  double value_deg = 0;
  std::string label;  ///< in Canvas::text's markup; "^" raises
};

/// Where round values of a coordinate meet an edge of the canvas, about `wanted` of them; in hours for the longitude of
/// equatorial frames. Empty off the sky. Places are right to 1/100 of a screen unit.
[[nodiscard]] std::vector<EdgeTick> edge_ticks(const Wcs& wcs, const CanvasTransform& canvas, FrameEdge edge,
                                               SkyAxis axis, int wanted);

/// Which coordinate changes more along the bottom edge; the left one then shows the other.
[[nodiscard]] SkyAxis bottom_axis(const Wcs& wcs, const CanvasTransform& canvas);

/// "Right ascension (ICRS)", "Galactic longitude" ...
[[nodiscard]] std::string axis_title(const Wcs& wcs, SkyAxis axis);

}  // namespace reber::gui
