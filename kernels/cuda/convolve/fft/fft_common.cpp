// SPDX-License-Identifier: BSD-3-Clause
// Rounding of weights, kernels on the device, and how cards compare.
#include "kernels/cuda/convolve/fft/fft_common.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace reber::cuda {

float weight_noise_of(const Kernel& kernel) {
  double magnitude = 0;
  for (const double weight : kernel.weights) magnitude += std::abs(weight);
  // A single-precision transform of ones errs by a few 1e-7 of the weights' magnitude.
  return static_cast<float>(2e-6 * magnitude);
}

DeviceBuffer<float> upload_kernel(Context& context, const Kernel& kernel, double scale, std::int64_t pitch) {
  std::vector<float> rows(static_cast<std::size_t>(kernel.shape.ny * pitch), 0.0f);
  for (std::int64_t i = 0; i < kernel.shape.ny; ++i)
    for (std::int64_t j = 0; j < kernel.shape.nx; ++j)
      rows[static_cast<std::size_t>(i * pitch + j)] =
          static_cast<float>(kernel.weights[static_cast<std::size_t>(i * kernel.shape.nx + j)] * scale);
  DeviceBuffer<float> memory = upload_vector(context, rows, context.stream());
  context.wait();  // the rows go
  return memory;
}

double slower_than_h200(const DeviceInfo& device) {
  // Of one multiprocessor in a ms: multiply-adds, and bytes of memory at the peak clock. On an H200 memory is busy for
  // half of an FFT's time (bench/counters.py), so that a card with a slow one is bound by it.
  constexpr double kFma = 1.98e6 * 128, kBytes = 4.81e9 / 132, kMemoryBusy = 0.5;
  return device.multiprocessors * std::max(kFma / device.fma_per_ms, kMemoryBusy * kBytes / device.memory_bytes_per_ms);
}

}  // namespace reber::cuda
