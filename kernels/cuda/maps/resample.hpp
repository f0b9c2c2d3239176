// SPDX-License-Identifier: BSD-3-Clause
// Pixels of another grid on the card.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <memory>

#include "core/seam/compute/backend.hpp"
#include "core/sky/model/place_grid.hpp"
#include "core/sky/model/resample_table.hpp"
#include "kernels/cuda/device/plane.hpp"

namespace reber::cuda {

/// What the kernel reads; all on the device.
struct ResampleTask {
  RowWindow from;  ///< the rows of the input that are needed
  PlaceView places;
  const float *table_x = nullptr, *table_y = nullptr;
  Interpolation how = Interpolation::fitted;
  Rect area;
};

/// Queues the pixels of task.area into out, rows `pitch` apart. Adds the number of blank ones to `blank`.
void resample_pixels(cudaStream_t stream, const ResampleTask& task, float* out, std::int64_t pitch,
                     unsigned long long* blank);

/// resample() of the backend.
[[nodiscard]] std::unique_ptr<CudaPlane> resample(const CudaPlane& plane, const PlaceGrid& places,
                                                  const ResampleTable& table, const Job& job);

}  // namespace reber::cuda
