// SPDX-License-Identifier: BSD-3-Clause
// Places, shapes and colours of a drawing.
#pragma once

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

struct Ink {
  std::uint8_t red = 0, green = 0, blue = 0;
  double alpha = 1;
};

}  // namespace reber
