// SPDX-License-Identifier: BSD-3-Clause
// Values of most cells of a mesh, whose pixels a block holds.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "kernels/cuda/mesh/mesh.hpp"

namespace reber::cuda {

/// Largest cell that sift_cells holds, in pixels of its rows' groups of four.
inline constexpr std::int64_t kMostRoom = 32768;

/// Shared memory of a block for cells of that room, its own arrays included.
[[nodiscard]] std::int64_t sift_bytes(std::int64_t room);
/// Floats of a cell's list in MeshTask::lists.
[[nodiscard]] std::int64_t list_floats(std::int64_t room);
/// Values of most cells; the others are listed in task.crowded. room: pixels of the largest cell's groups of four.
void sift_cells(cudaStream_t stream, int multiprocessors, const RowWindow& window, const MeshTask& task,
                std::int64_t room);

}  // namespace reber::cuda
