// SPDX-License-Identifier: BSD-3-Clause
// Separable convolution of a piece of a strip tap by tap, for the kernel's own taps alone: where a filtered row
// overflowed, a zero in front of the taps or behind them would blank outputs that the row does not reach.
#pragma once

#include "kernels/cuda/convolve/march/staging.hpp"

namespace reber::cuda::separable {

/// A kernel's taps without zeros around them: kx along x, ky along y.
struct PlainTaps {
  const float *row, *column;
  int kx, ky;
};

/// Makes the piece's outputs of Width columns from x0 on again, by Threads threads (a power of two).
/// returns the blank ones that this thread wrote
template <int Width, int Threads>
__device__ __forceinline__ unsigned repeat_plainly(const ConvolveJob& job, float* out, const MarchPiece& piece, int x0,
                                                   const PlainTaps& taps) {
  unsigned blank = 0;
#pragma unroll 1
  for (int i = static_cast<int>(threadIdx.x % Threads); i < piece.rows * Width; i += Threads) {
    const int x = x0 + i % Width, out_row = piece.first + i / Width;
    if (x >= job.in.nx) continue;
    float sum = 0;
#pragma unroll 1
    for (int tap = 0; tap < taps.ky; ++tap) {
      const float* row = held_row(job.in, static_cast<int>(job.y0) + out_row + taps.ky / 2 - tap, job.boundary);
      float along = 0;
#pragma unroll 1
      for (int j = 0; j < taps.kx; ++j)
        along = fmaf(taps.row[j], row_value(row, x + taps.kx / 2 - j, job.in.nx, job.boundary), along);
      sum = fmaf(taps.column[tap], along, sum);
    }
    const float stored = stored_result(sum);
    out[out_row * job.out_pitch + x] = stored;
    if (!isfinite(stored)) ++blank;
  }
  return blank;
}

}  // namespace reber::cuda::separable
