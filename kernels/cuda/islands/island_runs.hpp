// SPDX-License-Identifier: BSD-3-Clause
// Runs of islands: how they are kept, and drawn as a map.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "kernels/cuda/islands/label.hpp"

namespace reber::cuda {

/// Writes the runs of islands and their labels, unless there are more than `islands` has room for.
void keep_runs(cudaStream_t stream, const LabelWork& work, CudaIslands& islands);

/// Rows of the label map, rows `pitch` apart.
void draw_labels(cudaStream_t stream, const CudaIslands& islands, std::int64_t y0, std::int64_t ny, std::int32_t* out,
                 std::int64_t pitch);

}  // namespace reber::cuda
