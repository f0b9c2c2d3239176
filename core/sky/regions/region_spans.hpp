// SPDX-License-Identifier: BSD-3-Clause
// The pixels of a region, row by row.
#pragma once

#include <cstdint>
#include <functional>

#include "core/base/shape.hpp"
#include "core/sky/regions/regions.hpp"

namespace reber {

/// Pixels x0 to x1 - 1 of row y.
struct PixelSpan {
  std::int64_t y = 0, x0 = 0, x1 = 0;
};

/// The pixels of the image whose centres a region holds: rows upwards, the spans of a row from left to right and apart.
/// What border and hole mean: Region. A border within 1e-6 px of a centre passes through it, so that shapes whose
/// borders are computed in different ways share none of their pixels and lose none. None for lines, points, and shapes
/// that are not finite.   take may throw to stop
void for_each_span(const Region& region, Shape image, const std::function<void(const PixelSpan&)>& take);

}  // namespace reber
