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

}  // namespace reber
