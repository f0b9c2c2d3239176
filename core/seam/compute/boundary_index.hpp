// SPDX-License-Identifier: BSD-3-Clause
// The boundary rule of convolution in plain words, for host code above the seam and for the reference. The other
// backends have theirs in kernels/shared/pixel_rules.hpp, which tests hold against this one.
#pragma once

#include <cstdint>

#include "core/seam/compute/convolution.hpp"

namespace reber {

/// Index inside [0, n) that stands for index i, found by folding at one end after the other; -1 where the outside has
/// no pixel (zero and blank).
[[nodiscard]] constexpr std::int64_t boundary_index(std::int64_t i, std::int64_t n, Boundary boundary) {
  if (boundary == Boundary::mirror && n == 1) return 0;
  while (i < 0 || i >= n) {
    const bool before = i < 0;
    if (boundary == Boundary::nearest)
      i = before ? 0 : n - 1;
    else if (boundary == Boundary::wrap)
      i += before ? n : -n;
    else if (boundary == Boundary::reflect)  // the outermost pixel is its own neighbour: ... 1 0 | 0 1 ...
      i = before ? -1 - i : 2 * n - 1 - i;
    else if (boundary == Boundary::mirror)  // it stands once: ... 2 1 | 0 1 2 ...
      i = before ? -i : 2 * n - 2 - i;
    else
      return -1;
  }
  return i;
}

/// What of a kernel such an image leaves along one axis of n pixels: further offsets lead to pixels that nearer ones
/// lead to as well, or to none.
[[nodiscard]] constexpr AxisReach reach_along(std::int64_t n, Boundary boundary) {
  using enum AxisReach::Beyond;
  if (boundary == Boundary::nearest) return {n, last, 1};
  if (boundary == Boundary::wrap) return {n, repeats, n};
  if (boundary == Boundary::reflect) return {n, repeats, 2 * n};
  if (boundary == Boundary::mirror) return {n, repeats, n == 1 ? 1 : 2 * n - 2};
  return {n, lost, 1};
}
[[nodiscard]] constexpr KernelReach reach_over(Shape image, Boundary boundary) {
  return {reach_along(image.ny, boundary), reach_along(image.nx, boundary)};
}

}  // namespace reber
