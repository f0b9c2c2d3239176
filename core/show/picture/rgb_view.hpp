// SPDX-License-Identifier: BSD-3-Clause
// The pixels of a picture: red, green and blue by rows, and views of an area of them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace reber {

/// Three bytes, as PNG stores them. Not filled when made, so that memory of many costs nothing before it is written.
struct Rgb {
  std::uint8_t red, green, blue;
  bool operator==(const Rgb&) const = default;
};
static_assert(sizeof(Rgb) == 3);

/// Writable view of rows of pixels, (0, 0) the top left one. Copies are shallow; it must not outlive what it points
/// into.
///
///   pixels  | row 0: width pixels | others |
///           | row 1               | others |      a row and its others: stride pixels
struct RgbView {
  Rgb* pixels = nullptr;
  int width = 0, height = 0;
  std::ptrdiff_t stride = 0;

  [[nodiscard]] Rgb* row(int y) const { return pixels + y * stride; }
  [[nodiscard]] Rgb& at(int x, int y) const { return row(y)[x]; }
  /// Must lie within this one.
  [[nodiscard]] RgbView area(int x, int y, int its_width, int its_height) const {
    return {row(y) + x, its_width, its_height, stride};
  }
};

}  // namespace reber
