// SPDX-License-Identifier: BSD-3-Clause
// Background and noise of each cell of a mesh.
#pragma once

#include <span>
#include <vector>

#include "kernels/cpu/islands/foretold.hpp"
#include "kernels/cpu/job_threads.hpp"
#include "kernels/cpu/mesh_cell.hpp"
#include "kernels/cpu/plane.hpp"

namespace reber::cpu {

/// Clips of a grid's cells, and which of them are to be measured anew: those whose pixels are others. All where `anew`
/// is empty.
struct KnownCells {
  std::vector<ClippedCell> clips;
  std::vector<char> anew;
};

/// Cells side by side on all threads, overlapping ones in blocks that share sorted tiles; each is clipped and reduced
/// by the rules of kernels/shared/cell_clip.hpp.
///   foreteller  is handed the rows of the plane that it is of, group after group; null for none
///   known       gets the clips of all cells; null where nobody asks for them
MeshCells measure_mesh(const CpuPlane& plane, const MeshGrid& grid, const MeshOptions& options, Foreteller* foreteller,
                       KnownCells* known, const JobThreads& threads);

/// Cells of several grids, one's behind the other's: all of them side by side where the plane is resident.
MeshCells measure_meshes(const CpuPlane& plane, std::span<const MeshGrid> grids, const MeshOptions& options,
                         const JobThreads& threads);

/// The plane that a mesh of this one can foretell the islands of: itself, or the one that it is made of by leaving
/// pixels out. Null where it is in memory, where rows would be held back in more than the bands that a plan has room
/// for, and where so many pixels are left out that a plan has no room for those of two islands maps.
[[nodiscard]] const CpuPlane* foretold_by_mesh(const CpuPlane& plane, const MeshGrid& grid, const MeshOptions& options);

}  // namespace reber::cpu
