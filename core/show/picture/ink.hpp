// SPDX-License-Identifier: BSD-3-Clause
// Places, shapes and colours of a drawing.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace reber {

struct Point {
  double x = 0, y = 0;  ///< final pixels, y down, (0, 0) the top left corner of the canvas
};

/// (p - centre)^T S^-1 (p - centre) = 1 with S = (xx, xy; xy, yy): for a circle of radius r, xx = yy = r^2.
struct DrawnEllipse {
  Point centre;
  double xx = 0, xy = 0, yy = 0;  ///< square pixels
};

/// Half axes of an ellipse, and how far the larger is turned from +x to +y, radians.
struct HalfAxes {
  double major, minor, angle;
};
[[nodiscard]] inline HalfAxes half_axes(const DrawnEllipse& e) {
  const double mean = 0.5 * (e.xx + e.yy), half = std::hypot(0.5 * (e.xx - e.yy), e.xy);
  return {std::sqrt(std::max(0.0, mean + half)), std::sqrt(std::max(0.0, mean - half)),
          0.5 * std::atan2(2 * e.xy, e.xx - e.yy)};
}

struct Ink {
  std::uint8_t red = 0, green = 0, blue = 0;
  double alpha = 1;
};

}  // namespace reber
