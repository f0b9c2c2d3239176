// SPDX-License-Identifier: BSD-3-Clause
// Sources as ellipses on the pixel grid, and which of them is near.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "core/measure/sources/source.hpp"

namespace reber::gui {

/// FWHM ellipse of a source in image pixels.
struct SourceShape {
  double x = 0, y = 0;  ///< 0-based
  Covariance fwhm2;     ///< squared FWHM on the grid
};

/// An ellipse's axes: full widths, and the angle of the major one, radians counter-clockwise from +x.
struct EllipseAxes {
  double major = 0, minor = 0, angle = 0;
};
[[nodiscard]] EllipseAxes axes_of(const Covariance& fwhm2);

/// The shapes that were measured on the grid. Sources without one get the box of their island.
[[nodiscard]] std::vector<SourceShape> source_shapes(const std::vector<Source>& sources);

/// Row of the source nearest to (x, y) within `reach` pixels; -1 where there is none.   counts: rows that are looked
/// at; empty: all
[[nodiscard]] std::int64_t nearest_source(const std::vector<SourceShape>& shapes, double x, double y, double reach,
                                          const std::function<bool(std::size_t row)>& counts = {});

}  // namespace reber::gui
