// SPDX-License-Identifier: BSD-3-Clause
// Where a sky image lies in its picture.
#pragma once

#include "core/base/shape.hpp"
#include "core/picture/canvas.hpp"

namespace reber {

/// Where the image lies on the canvas.
struct PictureLayout {
  Shape shape;  ///< of the image
  int reduce = 1, x_repeat = 1, y_repeat = 1;
  int width = 0, height = 0;  ///< of the image area in final pixels
  int left = 0, top = 0;
  double unit = 1;  ///< size of text and ticks

  [[nodiscard]] double x_scale() const { return static_cast<double>(width) / static_cast<double>(shape.nx); }
  [[nodiscard]] double y_scale() const { return static_cast<double>(height) / static_cast<double>(shape.ny); }
  /// Canvas position of an image pixel position; rows go upwards.
  [[nodiscard]] Point point(double x, double y) const {
    return {left + (x + 0.5) * x_scale(), top + height - (y + 0.5) * y_scale()};
  }
};

}  // namespace reber
