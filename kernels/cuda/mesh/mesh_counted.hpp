// SPDX-License-Identifier: BSD-3-Clause
// Cells of a mesh that are too large to be sorted.
#pragma once

#include "kernels/cuda/device/plane.hpp"

namespace reber::cuda {

/// mesh() of the backend for grids with cells of more pixels than are sorted (core/seam/compute/counted_cells.hpp),
/// without filtered values. Each cell is clipped by counts of its values, whatever its size.
[[nodiscard]] MeshCells count_cells(const CudaPlane& plane, const MeshGrid& grid, const MeshOptions& options,
                                    const Job& job);

}  // namespace reber::cuda
