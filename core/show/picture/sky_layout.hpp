// SPDX-License-Identifier: BSD-3-Clause
// Where a sky image lies on the canvas of its picture.
#pragma once

#include "core/base/shape.hpp"
#include "core/show/picture/ink.hpp"
#include "core/sky/model/beam.hpp"

namespace reber {

/// The image area: reduced by a whole factor, or each pixel repeated.
struct SkyLayout {
  Shape shape;  ///< of the image
  int reduce = 1, x_repeat = 1, y_repeat = 1;
  int width = 0, height = 0;  ///< of the image area in final pixels
  int left = 0, top = 0;
  double unit = 1;  ///< size of text and ticks

  /// Final pixels per image pixel. The last block of a side may stand for fewer image pixels than the others.
  [[nodiscard]] double x_scale() const { return static_cast<double>(x_repeat) / reduce; }
  [[nodiscard]] double y_scale() const { return static_cast<double>(y_repeat) / reduce; }
  /// Canvas position of an image pixel position; rows go upwards.
  [[nodiscard]] Point point(double x, double y) const {
    return {left + (x + 0.5) * x_scale(), top + height - (y + 0.5) * y_scale()};
  }

  /// An ellipse of the image by its squared FWHMs on the pixel grid, `grow` times as large as at half maximum.
  [[nodiscard]] DrawnEllipse ellipse(double x, double y, const Covariance& fwhm, double grow) const {
    const double sx = 0.5 * grow * x_scale(), sy = 0.5 * grow * y_scale();
    return {point(x, y), fwhm.xx * sx * sx, -fwhm.xy * sx * sy, fwhm.yy * sy * sy};
  }
};

/// Reduced to at most max_side pixels (100 at least); small images are enlarged by whole factors. left, top: 0.
[[nodiscard]] SkyLayout make_sky_layout(Shape shape, int max_side);

}  // namespace reber
