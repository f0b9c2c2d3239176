// SPDX-License-Identifier: BSD-3-Clause
// Sizes from the image's shape.
#include "core/show/picture/sky_layout.hpp"

#include <algorithm>

namespace reber {

SkyLayout make_sky_layout(Shape shape, int max_side) {
  SkyLayout layout;
  layout.shape = shape;
  const std::int64_t side = std::max(shape.nx, shape.ny);
  const std::int64_t most = std::max(max_side, 100);
  layout.reduce = static_cast<int>((side + most - 1) / most);
  const std::int64_t nx = (shape.nx + layout.reduce - 1) / layout.reduce,
                     ny = (shape.ny + layout.reduce - 1) / layout.reduce;
  // Small images are enlarged by whole factors, so that each pixel stays a square.
  const std::int64_t repeat = std::max<std::int64_t>(1, std::min<std::int64_t>(most, 960) / std::max(nx, ny));
  layout.x_repeat = static_cast<int>(std::max(repeat, (80 + nx - 1) / nx));
  layout.y_repeat = static_cast<int>(std::max(repeat, (80 + ny - 1) / ny));
  layout.width = static_cast<int>(nx) * layout.x_repeat;
  layout.height = static_cast<int>(ny) * layout.y_repeat;
  layout.unit = std::clamp(std::max(layout.width, layout.height) / 1000.0, 0.75, 1.5);
  return layout;
}

}  // namespace reber
