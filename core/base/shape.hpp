// SPDX-License-Identifier: BSD-3-Clause
// Sizes and rectangles of images: row-major, y slow. FITS's 1-based order exists in core/files/io alone.
#pragma once

#include <cstdint>

namespace reber {

/// Rows and columns of an image or a kernel.
struct Shape {
  std::int64_t ny = 0;
  std::int64_t nx = 0;

  [[nodiscard]] constexpr std::int64_t count() const { return ny * nx; }
  friend constexpr bool operator==(const Shape&, const Shape&) = default;
};

/// A rectangle of pixels: first row and column (0-based), then its size.
struct Rect {
  std::int64_t y0 = 0;
  std::int64_t x0 = 0;
  std::int64_t ny = 0;
  std::int64_t nx = 0;

  [[nodiscard]] constexpr Shape shape() const { return {ny, nx}; }
  friend constexpr bool operator==(const Rect&, const Rect&) = default;
};

}  // namespace reber
