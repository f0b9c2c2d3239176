// SPDX-License-Identifier: BSD-3-Clause
// Exact count, mean and standard deviation of all pixels, on the device.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "kernels/cuda/statistics/sift.hpp"

namespace reber::cuda {

/// Sums all pixels of the window and leaves count, mean and std in state->answer. chunks: room for
/// odd_chunks().
void sum_pixels(cudaStream_t stream, int multiprocessors, const RowWindow& window, SiftState* state, float* odd,
                std::int64_t odd_size, ChunkSums* chunks);
[[nodiscard]] std::int64_t odd_chunks();

}  // namespace reber::cuda
