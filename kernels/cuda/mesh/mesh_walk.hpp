// SPDX-License-Identifier: BSD-3-Clause
// How the cells of a grid are gone through.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <vector>

#include "core/seam/compute/background.hpp"
#include "kernels/cuda/device/context.hpp"
#include "kernels/cuda/mesh/mesh.hpp"

namespace reber::cuda {

struct MeshWalk {
  std::int64_t max_area, room;  ///< pixels of the largest cell, and of its rows' groups of four
  bool sifted, block_sorted;    ///< cells that a block holds; that it can sort as well
  std::int64_t list;            ///< floats of a cell's list, 0 for none
  std::int64_t most_sorted;     ///< pixels that are sorted on the whole device at a time
  std::vector<std::int64_t> groups;
  std::int64_t most_cells = 0;  ///< of a group

  [[nodiscard]] std::int64_t list_bytes() const;
};
/// shared_bytes: most that a block may have
[[nodiscard]] MeshWalk walk_of(const CudaPlane& plane, const MeshGrid& grid, std::int64_t shared_bytes);

/// The rules of the clip; no memory, and no rows yet.
[[nodiscard]] MeshTask task_of(const Context& context, const MeshGrid& grid, const MeshWalk& walk,
                               const MeshOptions& options);
/// Queues the values of the cells of the task's rows.
void measure_cells(Context& context, const RowWindow& window, const MeshTask& task, const MeshGrid& grid,
                   const MeshWalk& walk, cudaStream_t stream);

/// Whether filter_cells() serves a filter of that side.
[[nodiscard]] bool filters(int side);

}  // namespace reber::cuda
