// SPDX-License-Identifier: BSD-3-Clause
// Maps that are known at the nodes of a mesh: a small image with the sky coordinates of its nodes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/progress.hpp"
#include "core/base/shape.hpp"
#include "core/files/fits/fits_writer.hpp"
#include "core/files/image/image_file.hpp"
#include "core/files/io/atomic_file.hpp"

namespace reber {

/// Values at ny x nx nodes of an image. Between nodes a map is bilinear in the image's pixels, beyond the outermost it
/// is constant.
struct MeshMap {
  Shape image;                ///< that the nodes belong to
  std::vector<double> y, x;   ///< rows and columns of nodes in 0-based pixels of the image: multiples of 1/2, rising
  std::vector<float> values;  ///< y.size() x x.size()
};

/// Writes the nodes as the primary image, BITPIX -32. Reference pixel and scale of every celestial description are
/// turned to the nodes, by the mean distance of neighbours. MESHAX1 and MESHAX2 hold the size of the image, INTERPOL
/// how values lie between nodes; the extensions MESHX and MESHY hold the exact places, as 1-based pixels of the image.
///   throws as write_fits; InternalError where the sizes do not fit
void write_mesh_map(const std::string& path, const MeshMap& map, const OutputHeader& header, const FileOptions& how);

/// The nodes that write_mesh_map() wrote; empty for any other image.
///   throws DataError where the file says that it is a mesh and is none; as ImagePlane::open
[[nodiscard]] std::optional<MeshMap> read_mesh_map(const ImagePlane& file, const Progress& progress = {});

}  // namespace reber
