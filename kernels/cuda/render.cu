// SPDX-License-Identifier: BSD-3-Clause
// Mean, rms and S/N of single pixels.
#include <cuda_runtime.h>

#include "kernels/cuda/render.hpp"

namespace reber::cuda {
namespace {

constexpr int kThreads = 256;

__global__ void __launch_bounds__(kThreads)
    k_render_rows(MapKind kind, RowWindow window, BackgroundView background, std::int64_t y0, std::int64_t pieces,
                  float* __restrict__ out, std::int64_t pitch) {
  const std::int64_t row = blockIdx.x / pieces;
  const std::int64_t x = blockIdx.x % pieces * kThreads + threadIdx.x;
  if (x >= window.nx) return;
  const MeanRms level = background_at(background, y0 + row, x);
  float value = kind == MapKind::mean ? level.mean : level.rms;
  if (kind == MapKind::snr)
    value = rules::snr(rules::above_background(window_pixel(window, y0 + row, x), level.mean, false), level.rms);
  out[row * pitch + x] = value;
}

}  // namespace

void render_rows(cudaStream_t stream, MapKind kind, const RowWindow& window, const BackgroundView& background,
                 std::int64_t y0, std::int64_t ny, float* out, std::int64_t pitch) {
  const std::int64_t pieces = (window.nx + kThreads - 1) / kThreads;
  k_render_rows<<<static_cast<unsigned>(ny * pieces), kThreads, 0, stream>>>(kind, window, background, y0, pieces, out,
                                                                             pitch);
  check_launch("k_render_rows", stream);
}

}  // namespace reber::cuda
