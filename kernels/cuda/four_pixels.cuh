// SPDX-License-Identifier: BSD-3-Clause
// Device code: four neighbouring pixels at once.
#pragma once

#include "kernels/shared/pixel_rules.hpp"

namespace reber::cuda {

/// Pixels x to x + 3 of a row of nx that starts at a multiple of 16 bytes; blank beyond it. x: a multiple of 4.
__device__ __forceinline__ float4 load_four(const float* row, std::int64_t x, std::int64_t nx) {
  if (x + 3 < nx) return __ldg(reinterpret_cast<const float4*>(row + x));
  const float blank = rules::blank_value();
  return {x < nx ? row[x] : blank, x + 1 < nx ? row[x + 1] : blank, x + 2 < nx ? row[x + 2] : blank, blank};
}

}  // namespace reber::cuda
