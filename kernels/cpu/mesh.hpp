// SPDX-License-Identifier: BSD-3-Clause
// Background and noise of each cell of a mesh.
#pragma once

#include <span>

#include "kernels/cpu/job_threads.hpp"
#include "kernels/cpu/plane.hpp"

namespace reber::cpu {

/// Cells side by side on all threads, overlapping ones in blocks that share sorted tiles; each is clipped and reduced
/// by the rules of kernels/shared/cell_clip.hpp.
MeshCells measure_mesh(const CpuPlane& plane, const MeshGrid& grid, const MeshOptions& options,
                       const JobThreads& threads);

/// Cells of several grids, one's behind the other's: all of them side by side where the plane is resident.
MeshCells measure_meshes(const CpuPlane& plane, std::span<const MeshGrid> grids, const MeshOptions& options,
                         const JobThreads& threads);

}  // namespace reber::cpu
