// SPDX-License-Identifier: BSD-3-Clause
// One thread per pixel: its place, its weights, eight by eight pixels.
#include <cuda_runtime.h>

#include "core/seam/compute/resample.hpp"
#include "kernels/cuda/maps/resample.hpp"

namespace reber::cuda {
namespace {

constexpr int kColumns = 32, kRows = 8, kTaps = ResampleTable::kTaps;

/// Weights of a phase, by four 16-byte loads.
__device__ void weights_at(const float* __restrict__ entry, float part, float* weights) {
  const float4* const four = reinterpret_cast<const float4*>(entry);
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const float4 value = __ldg(four + half), gain = __ldg(four + 2 + half);
    weights[4 * half] = value.x + part * gain.x;
    weights[4 * half + 1] = value.y + part * gain.y;
    weights[4 * half + 2] = value.z + part * gain.z;
    weights[4 * half + 3] = value.w + part * gain.w;
  }
}

/// All of eight by eight pixels: the bits of rules::sum_of_width().
__device__ float sum_of_all(const ResampleTask& task, const rules::TapPlace& y, const rules::TapPlace& x) {
  float weights_x[kTaps], weights_y[kTaps], columns[kTaps];
  weights_at(rules::tap_entry(task.table_x, 0, x.phase), x.part, weights_x);
  weights_at(rules::tap_entry(task.table_y, 0, y.phase), y.part, weights_y);
  const float* row = task.from.pixels + (y.cell - 3 - task.from.first) * task.from.pitch + x.cell - 3;
#pragma unroll
  for (int k = 0; k < kTaps; ++k) columns[k] = 0;
#pragma unroll
  for (int j = 0; j < kTaps; ++j, row += task.from.pitch)
#pragma unroll
    for (int k = 0; k < kTaps; ++k) columns[k] = columns[k] + weights_y[j] * __ldg(row + k);
#pragma unroll
  for (int k = 0; k < kTaps; ++k) columns[k] = columns[k] * weights_x[k];
  return rules::sum_of_eight(columns);
}

__global__ void __launch_bounds__(kColumns* kRows)
    k_resample(ResampleTask task, std::int64_t pieces, float* __restrict__ out, std::int64_t pitch,
               unsigned long long* blank) {
  const std::int64_t column = blockIdx.x % pieces * kColumns + threadIdx.x;
  const std::int64_t row = blockIdx.x / pieces * kRows + threadIdx.y;
  unsigned found = 0;
  if (column < task.area.nx && row < task.area.ny) {
    const Shape image{task.from.ny, task.from.nx};
    const PixelPosition at = place_of(task.places, task.area.y0 + row, task.area.x0 + column);
    float value = rules::blank_value();
    if (rules::near_pixels(at.y, image.ny) && rules::near_pixels(at.x, image.nx)) {
      const rules::TapPlace y = rules::tap_place(at.y), x = rules::tap_place(at.x);
      const bool inside = y.cell >= 3 && x.cell >= 3 && y.cell + 4 < image.ny && x.cell + 4 < image.nx;
      if (inside && task.how == Interpolation::fitted) value = sum_of_all(task, y, x);
      if (!rules::is_finite(value))
        value = rules::resampled(task.table_x, task.table_y, task.how, at.y, at.x, image,
                                 [&](std::int64_t v, std::int64_t u) { return window_pixel(task.from, v, u); });
    }
    out[row * pitch + column] = value;
    found = rules::is_finite(value) ? 0 : 1;
  }
  count_warp(found, blank);
}

}  // namespace

void resample_pixels(cudaStream_t stream, const ResampleTask& task, float* out, std::int64_t pitch,
                     unsigned long long* blank) {
  const std::int64_t pieces = (task.area.nx + kColumns - 1) / kColumns;
  const std::int64_t lines = (task.area.ny + kRows - 1) / kRows;
  k_resample<<<static_cast<unsigned>(lines * pieces), dim3(kColumns, kRows), 0, stream>>>(task, pieces, out, pitch,
                                                                                          blank);
  check_launch("k_resample", stream);
}

}  // namespace reber::cuda
