// SPDX-License-Identifier: BSD-3-Clause
// Runs sorted by their island.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "kernels/cuda/islands/label.hpp"

namespace reber::cuda {

/// Runs island by island.
struct IslandOrder {
  DeviceBuffer<std::uint64_t> by_island;     ///< label << 32 | run, sorted: an island's runs in raster order
  DeviceBuffer<std::uint32_t> island_begin;  ///< islands + 1: first entry of by_island of each island
};
/// There must be islands.
[[nodiscard]] IslandOrder order_by_island(cudaStream_t stream, const CudaIslands& islands);

}  // namespace reber::cuda
