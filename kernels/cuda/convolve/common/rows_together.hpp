// SPDX-License-Identifier: BSD-3-Clause
// Convolvers whose bits depend on where a job begins.
#pragma once

#include <cstdint>

#include "core/base/shape.hpp"

namespace reber::cuda {

/// Rows of tiles of so many valid pixels whose tiles go through a transform in pairs, in raster order.
[[nodiscard]] constexpr std::int64_t rows_of_pairs(std::int64_t valid_y, std::int64_t tiles_x) {
  return tiles_x % 2 == 0 ? valid_y : 2 * valid_y;
}

/// Device memory for such rows of a streamed image: where they are kept, and the window that they are made of.
[[nodiscard]] constexpr std::int64_t together_bytes(std::int64_t rows, Shape kernel, Shape image) {
  const std::int64_t held = rows < image.ny ? rows : image.ny;
  return (2 * held + kernel.ny) * image.nx * static_cast<std::int64_t>(sizeof(float));
}

}  // namespace reber::cuda
