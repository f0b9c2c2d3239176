// SPDX-License-Identifier: BSD-3-Clause
// Lines of equal value by marching squares.
#pragma once

#include <functional>
#include <vector>

#include "core/base/progress.hpp"
#include "core/model/wcs.hpp"
#include "gui/model/pyramid.hpp"

namespace reber::gui {

struct Polyline {
  std::vector<PixelPosition> points;
  bool closed = false;
};

/// Where on the edge from node (x0, y0) to (x1, y1) the level is crossed, given the linear guess in [0, 1].
using RefineCrossing = std::function<double(int x0, int y0, int x1, int y1, double guess)>;

/// Lines on which a field on a regular mesh has the value `level`, in mesh units; the side at or above it counts as
/// inside. A cell with a blank corner has no line in it, so lines end at blank areas; in a saddle the mean of the four
/// corners decides.   values  shape (ny, nx)
[[nodiscard]] std::vector<Polyline> trace_level(const float* values, int ny, int nx, double level,
                                                const RefineCrossing& refine = {});

/// What to draw contours of.
struct ContourLevels {
  double middle = 0, sigma = 0;  ///< of the layer
  double first = 3;              ///< sigmas above and below the middle
  double factor = 2;             ///< from one level to the next
  int count = 6;
  bool negative = true;  ///< -first too
  friend bool operator==(const ContourLevels&, const ContourLevels&) = default;

  /// Values in rising order; empty where sigma is not positive and finite.
  [[nodiscard]] std::vector<double> values() const;
};

struct Contour {
  double level = 0;
  bool below_middle = false;    ///< drawn dashed
  std::vector<Polyline> lines;  ///< in image pixels, 0-based
};

/// Contours of the part of an image in `area` (level-0 pixels), from the pyramid's level that has at most `most_side`
/// nodes a side there.   throws Cancelled
[[nodiscard]] std::vector<Contour> contours_of(const Pyramid& pixels, const Rect& area, const ContourLevels& levels,
                                               std::int64_t most_side, const Progress& progress);

}  // namespace reber::gui
