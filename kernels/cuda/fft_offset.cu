// SPDX-License-Identifier: BSD-3-Clause
// Offsets of tiles.
#include "kernels/cuda/fft_offset.hpp"

namespace reber::cuda {
namespace {

constexpr int kThreads = 128;

/// Their median, blank ones as 0; 0 where it is below twice the spread of the middle three.
__device__ float offset_of(const float (&samples)[5]) {
  float v[5];
#pragma unroll
  for (int i = 0; i < 5; ++i) v[i] = isfinite(samples[i]) ? samples[i] : 0.0f;
  const auto order = [&](int i, int j) {
    const float low = fminf(v[i], v[j]), high = fmaxf(v[i], v[j]);
    v[i] = low, v[j] = high;
  };
  order(0, 1), order(3, 4), order(2, 4), order(2, 3), order(0, 3), order(0, 2), order(1, 4), order(1, 3), order(1, 2);
  return fabsf(v[2]) > 2 * (v[3] - v[1]) ? v[2] : 0.0f;
}

__global__ void __launch_bounds__(kThreads) k_find_offsets(ConvolveJob job, TileGrid grid, float* offsets) {
  const int tile = static_cast<int>(blockIdx.x * kThreads + threadIdx.x);
  if (tile >= grid.tiles) return;
  const std::int64_t y0 = job.y0 + static_cast<std::int64_t>(tile / grid.tiles_x) * grid.valid_y -
                          (grid.kernel_ny - 1 - grid.kernel_ny / 2);
  const std::int64_t x0 =
      static_cast<std::int64_t>(tile % grid.tiles_x) * grid.valid_x - (grid.kernel_nx - 1 - grid.kernel_nx / 2);
  // In eighths of the tile.
  constexpr int kRows[5] = {4, 2, 3, 5, 6}, kColumns[5] = {4, 3, 6, 2, 5};
  float samples[5];
#pragma unroll
  for (int i = 0; i < 5; ++i) {
    const std::int64_t y = y0 + kRows[i] * (grid.tile_ny / 8), x = x0 + kColumns[i] * (grid.tile_nx / 8);
    const bool needed = y < job.y0 + job.ny + grid.kernel_ny / 2 && x < job.in.nx + grid.kernel_nx / 2;
    samples[i] = needed ? row_value(window_row(job.in, y, job.boundary), x, job.in.nx, job.boundary) : 0.0f;
  }
  offsets[tile] = offset_of(samples);
}

}  // namespace

void find_offsets(cudaStream_t stream, const ConvolveJob& job, const TileGrid& grid, float* offsets) {
  k_find_offsets<<<static_cast<unsigned>((grid.tiles + kThreads - 1) / kThreads), kThreads, 0, stream>>>(job, grid,
                                                                                                         offsets);
  check_launch("k_find_offsets", stream);
}

}  // namespace reber::cuda
