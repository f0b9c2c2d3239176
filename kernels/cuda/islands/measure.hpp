// SPDX-License-Identifier: BSD-3-Clause
// Sums over runs and islands on the device.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <vector>

#include "kernels/cuda/islands/island_order.hpp"
#include "kernels/cuda/islands/label.hpp"

namespace reber::cuda {

/// What is kept of one run until its island is summed.
struct RunMeasure {
  rules::RunSums sums;
  float pixel, mean, rms;  ///< at the run's peak
  std::uint32_t padding;   ///< written too: vector loads read it
};

/// Runs [first, last) of the raster order; their rows must be in the window.
void measure_runs(cudaStream_t stream, const RowWindow& window, const RunPixels& kept, const BackgroundView& background,
                  const CudaIslands& islands, std::int64_t first, std::int64_t last, RunMeasure* measures);
/// One entry per island; there must be islands.
void sum_islands(cudaStream_t stream, int multiprocessors, const CudaIslands& islands, const IslandOrder& order,
                 const RunMeasure* measures, IslandSums* sums);

/// measure() of the backend.
[[nodiscard]] std::vector<IslandSums> measure_islands(const CudaPlane& plane, const CudaBackground& background,
                                                      const CudaIslands& islands, const Job& job);

}  // namespace reber::cuda
