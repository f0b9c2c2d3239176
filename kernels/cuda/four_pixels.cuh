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

/// A warp's 128 Parts pixels of a row from `first` on: four of each 128 a lane.
template <int Parts>
__device__ __forceinline__ void load_piece(const float* row, std::int64_t first, std::int64_t nx,
                                           float4 (&values)[Parts]) {
  const std::int64_t x = first + (threadIdx.x & 31) * 4;
  if (first + 128 * Parts <= nx) {
#pragma unroll
    for (int part = 0; part < Parts; ++part) values[part] = __ldg(reinterpret_cast<const float4*>(row + x) + part * 32);
  } else {
#pragma unroll
    for (int part = 0; part < Parts; ++part) values[part] = load_four(row, x + part * 128, nx);
  }
}

}  // namespace reber::cuda
