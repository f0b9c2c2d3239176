// SPDX-License-Identifier: BSD-3-Clause
// The boundary rule of convolution for host code above the seam. Backends have theirs in
// kernels/shared/pixel_rules.hpp, where a test holds both together.
#pragma once

#include <cstdint>

#include "core/seam/compute/convolution.hpp"

namespace reber {

/// Index inside [0, n) that stands for index i, or -1 where the outside has no pixel (zero and blank).
[[nodiscard]] constexpr std::int64_t boundary_index(std::int64_t i, std::int64_t n, Boundary boundary) {
  if (i >= 0 && i < n) return i;
  const auto within = [i](std::int64_t period) { return ((i % period) + period) % period; };
  switch (boundary) {
    case Boundary::nearest:
      return i < 0 ? 0 : n - 1;
    case Boundary::reflect: {
      const std::int64_t j = within(2 * n);
      return j < n ? j : 2 * n - 1 - j;
    }
    case Boundary::mirror: {
      if (n == 1) return 0;
      const std::int64_t j = within(2 * n - 2);
      return j < n ? j : 2 * n - 2 - j;
    }
    case Boundary::wrap:
      return within(n);
    case Boundary::zero:
    case Boundary::blank:
      break;
  }
  return -1;
}

}  // namespace reber
