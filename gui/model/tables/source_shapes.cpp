// SPDX-License-Identifier: BSD-3-Clause
// Sources as ellipses on the pixel grid.
#include "gui/model/tables/source_shapes.hpp"

#include <algorithm>
#include <cmath>

namespace reber::gui {

EllipseAxes axes_of(const Covariance& c) {
  const double middle = 0.5 * (c.xx + c.yy), spread = std::hypot(0.5 * (c.xx - c.yy), c.xy);
  return {std::sqrt(std::max(0.0, middle + spread)), std::sqrt(std::max(0.0, middle - spread)),
          0.5 * std::atan2(2 * c.xy, c.xx - c.yy)};
}

std::vector<SourceShape> source_shapes(const std::vector<Source>& sources) {
  std::vector<SourceShape> shapes;
  shapes.reserve(sources.size());
  for (const Source& source : sources) {
    SourceShape shape;
    shape.x = std::isfinite(source.x) ? source.x : static_cast<double>(source.peak_x);
    shape.y = std::isfinite(source.y) ? source.y : static_cast<double>(source.peak_y);
    const Covariance& c = source.model.fwhm2;
    if (c.xx * c.yy - c.xy * c.xy > 0) {
      shape.fwhm2 = c;
    } else {
      const double wide = static_cast<double>(source.x1 - source.x0 + 1),
                   high = static_cast<double>(source.y1 - source.y0 + 1);
      shape.fwhm2 = {wide * wide, 0, high * high};
    }
    shapes.push_back(shape);
  }
  return shapes;
}

std::int64_t nearest_source(const std::vector<SourceShape>& shapes, double x, double y, double reach,
                            const std::function<bool(std::size_t row)>& counts) {
  std::int64_t best = -1;
  double least = reach * reach;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const double dx = shapes[i].x - x, dy = shapes[i].y - y, d = dx * dx + dy * dy;
    if (d > least || (counts && !counts(i))) continue;
    least = d;
    best = static_cast<std::int64_t>(i);
  }
  return best;
}

}  // namespace reber::gui
