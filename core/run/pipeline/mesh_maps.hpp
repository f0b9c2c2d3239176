// SPDX-License-Identifier: BSD-3-Clause
// Maps of background and noise at the nodes of a mesh: to files, and from them into a model.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/files/fits/mesh_map.hpp"
#include "core/seam/compute/backend.hpp"
#include "core/seam/compute/background.hpp"
#include "core/seam/compute/job.hpp"

namespace reber {

/// The nodes of a model with one of its maps.
[[nodiscard]] MeshMap mesh_map_of(const MeshGrid& grid, const std::vector<float>& values);

/// A grid whose cells' centres are the nodes. Nothing else of the cells is known.
[[nodiscard]] MeshGrid grid_of(const MeshMap& map);
[[nodiscard]] bool same_nodes(const MeshGrid& grid, const MeshMap& map);

/// Refuses values that no measured map has: not finite, or for noise below zero or zero everywhere.   throws DataError
void check_nodes(const MeshMap& map, const std::string& path, bool noise);

/// The map at every pixel, with the bits that the backend interpolates. like: a plane of the image.
[[nodiscard]] std::unique_ptr<Plane> expanded(Backend& backend, const MeshMap& map, const Plane& like,
                                              const TilingPlan& tiling, const Job& job);

}  // namespace reber
