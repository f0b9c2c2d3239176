// SPDX-License-Identifier: BSD-3-Clause
// Offsets of tiles.
#include "kernels/cuda/convolve/fft/fft_offset.hpp"

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
  // In eighths of what outputs need of the tile: at the image's ends less than the whole of it.
  constexpr int kRows[5] = {4, 2, 3, 5, 6}, kColumns[5] = {4, 3, 6, 2, 5};
  const long long rows_left = job.y0 + job.ny + grid.kernel_ny / 2 - y0,
                  columns_left = job.in.nx + grid.kernel_nx / 2 - x0;
  const std::int64_t rows = min(static_cast<long long>(grid.tile_ny), rows_left);
  const std::int64_t columns = min(static_cast<long long>(grid.tile_nx), columns_left);
  float samples[5];
#pragma unroll
  for (int i = 0; i < 5; ++i)
    samples[i] = row_value(window_row(job.in, y0 + kRows[i] * rows / 8, job.boundary), x0 + kColumns[i] * columns / 8,
                           job.in.nx, job.boundary);
  offsets[tile] = offset_of(samples);
}

}  // namespace

void find_offsets(cudaStream_t stream, const ConvolveJob& job, const TileGrid& grid, float* offsets) {
  k_find_offsets<<<static_cast<unsigned>((grid.tiles + kThreads - 1) / kThreads), kThreads, 0, stream>>>(job, grid,
                                                                                                         offsets);
  check_launch("k_find_offsets", stream);
}

}  // namespace reber::cuda
