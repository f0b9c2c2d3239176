// SPDX-License-Identifier: BSD-3-Clause
// Ellipses through the affine maps about their centres.
#include "gui/model/tables/laid_shapes.hpp"

namespace reber::gui {

std::vector<SourceShape> laid_shapes(const SkyLock& lock, const std::vector<SourceShape>& shapes) {
  std::vector<SourceShape> made;
  made.reserve(shapes.size());
  for (const SourceShape& shape : shapes) {
    const auto map = lock.affine({shape.x, shape.y});
    if (!map) {
      made.push_back(kNoShape);
      continue;
    }
    const Matrix2& m = map->matrix;
    const Covariance& c = shape.fwhm2;
    made.push_back({map->origin_to.x,
                    map->origin_to.y,
                    {m.a * m.a * c.xx + 2 * m.a * m.b * c.xy + m.b * m.b * c.yy,
                     m.a * m.c * c.xx + (m.a * m.d + m.b * m.c) * c.xy + m.b * m.d * c.yy,
                     m.c * m.c * c.xx + 2 * m.c * m.d * c.xy + m.d * m.d * c.yy}});
  }
  return made;
}

}  // namespace reber::gui
