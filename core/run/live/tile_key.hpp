// SPDX-License-Identifier: BSD-3-Clause
// Which pixels of which reduced level.
#pragma once

#include <tuple>

#include "core/show/display/reduced_levels.hpp"

namespace reber {

struct TileKey {
  int level = 0;
  Reduction reduction = Reduction::mean;
  Rect where;  ///< within the level
  friend bool operator<(const TileKey& a, const TileKey& b) {
    const auto all = [](const TileKey& k) {
      return std::tuple(k.level, k.reduction, k.where.y0, k.where.x0, k.where.ny, k.where.nx);
    };
    return all(a) < all(b);
  }
};

}  // namespace reber
