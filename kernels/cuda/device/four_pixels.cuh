// SPDX-License-Identifier: BSD-3-Clause
// Device code: four neighbouring pixels at once.
#pragma once

#include "kernels/cuda/device/views.hpp"
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

/// Walks the blocks' warps over all rows, Piece pixels at once. mark(pixel): for each, blank ones beyond the row too;
/// marked(bits, row, x): for each piece, with a bit for each of the lane's pixels that mark() was true for, and the
/// column of the first.
template <int Piece, int Warps, class Mark, class Marked>
__device__ __forceinline__ void walk_pieces(const RowWindow& window, const Mark& mark, const Marked& marked) {
  static_assert(Piece % 128 == 0 && Piece / 32 <= 32, "a bit for each pixel of a lane");
  const auto pieces = static_cast<unsigned>((window.nx + Piece - 1) / Piece);
  const auto tasks = static_cast<unsigned>(window.rows) * pieces;
  for (unsigned task = blockIdx.x * Warps + threadIdx.x / 32; task < tasks; task += gridDim.x * Warps) {
    const float* row = window.pixels + task / pieces * window.pitch;
    const std::int64_t first = task % pieces * std::int64_t{Piece};
    float4 values[Piece / 128];
    load_piece(row, first, window.nx, values);
    unsigned bits = 0;
#pragma unroll
    for (int part = 0; part < Piece / 128; ++part) {
      const float four[4] = {values[part].x, values[part].y, values[part].z, values[part].w};
#pragma unroll
      for (int q = 0; q < 4; ++q)
        if (mark(four[q])) bits |= 1u << (4 * part + q);
    }
    marked(bits, row, first + (threadIdx.x & 31) * 4);
  }
}

/// The pixel of the lowest bit that walk_pieces() gave; blank beyond the row.
__device__ __forceinline__ float pixel_of_bit(unsigned bits, const float* row, std::int64_t x, std::int64_t nx) {
  const int at = __ffs(static_cast<int>(bits)) - 1;
  const std::int64_t column = x + at / 4 * 128 + at % 4;
  return column < nx ? __ldg(row + column) : rules::blank_value();
}

}  // namespace reber::cuda
