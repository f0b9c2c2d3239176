// SPDX-License-Identifier: BSD-3-Clause
// Cells of the background of an image whose bands lie with several backends.
#pragma once

#include <optional>
#include <span>

#include "kernels/banded/plane.hpp"

namespace reber::banded {

/// Of which plane islands will be looked for, and how.
struct LabelHint {
  BandedPlane plane;
  DetectOptions options;
};

/// Backend::mesh(): each cell with the member that has all of its rows; those across borders from strips of rows.
[[nodiscard]] MeshCells measure_mesh(Members& members, const BandedPlane& plane, const MeshGrid& grid,
                                     const MeshOptions& options, const std::optional<LabelHint>& hint, const Job& job);

/// Backend::mesh_each(): each grid with the member that has all of its rows.
[[nodiscard]] MeshCells measure_meshes(Members& members, const BandedPlane& plane, std::span<const MeshGrid> grids,
                                       const MeshOptions& options, const Job& job);

}  // namespace reber::banded
