// SPDX-License-Identifier: BSD-3-Clause
// S/N of many small rectangles by one launch.
#include <cuda_runtime.h>

#include "kernels/cuda/device/raii.hpp"
#include "kernels/cuda/maps/windows.hpp"
#include "kernels/shared/pixel_rules.hpp"

namespace reber::cuda {
namespace {

constexpr int kThreads = 256;

/// A block makes a rectangle.
__global__ void __launch_bounds__(kThreads)
    k_snr_of_windows(const WindowPixels* __restrict__ windows, BackgroundView background, float* __restrict__ out) {
  const WindowPixels window = windows[blockIdx.x];
  const std::int64_t count = window.where.ny * window.where.nx;
  for (std::int64_t k = threadIdx.x; k < count; k += kThreads) {
    const std::int64_t y = k / window.where.nx, x = k % window.where.nx;
    const MeanRms level = background_at(background, window.where.y0 + y, window.where.x0 + x);
    const float pixel = window.pixels[y * window.pitch + x];
    out[window.begin + k] = rules::snr(rules::above_background(pixel, level.mean, false), level.rms);
  }
}

}  // namespace

void snr_of_windows(cudaStream_t stream, const WindowPixels* windows, std::int64_t count,
                    const BackgroundView& background, float* out) {
  if (count == 0) return;
  k_snr_of_windows<<<static_cast<unsigned>(count), kThreads, 0, stream>>>(windows, background, out);
  check_launch("k_snr_of_windows", stream);
}

}  // namespace reber::cuda
