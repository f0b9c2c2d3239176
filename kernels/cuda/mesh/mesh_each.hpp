// SPDX-License-Identifier: BSD-3-Clause
// Cells of many grids at a time.
#pragma once

#include <optional>
#include <span>

#include "core/seam/compute/background.hpp"
#include "core/seam/compute/job.hpp"
#include "kernels/cuda/device/plane.hpp"

namespace reber::cuda {

/// mesh_each() of the backend; empty where one grid after the other is as quick.
[[nodiscard]] std::optional<MeshCells> measure_meshes(const CudaPlane& plane, std::span<const MeshGrid> grids,
                                                      const MeshOptions& options, const Job& job);

}  // namespace reber::cuda
