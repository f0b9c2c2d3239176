// SPDX-License-Identifier: BSD-3-Clause
// The background and noise of an image: a mesh of cells, and the model made of it.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/shape.hpp"
#include "core/compute/statistics.hpp"

namespace reber {

class Plane;

/// The image cut into ny x nx cells. Cell (j, i) holds rows [row_edges[j], row_edges[j+1]) and columns likewise.
struct MeshGrid {
  Shape image;
  std::vector<std::int64_t> row_edges, col_edges;

  /// Cells of at most box x box pixels, as equal as whole pixels allow. box >= image gives one cell.
  static MeshGrid make(Shape image, std::int64_t box);

  [[nodiscard]] std::int64_t ny() const { return static_cast<std::int64_t>(row_edges.size()) - 1; }
  [[nodiscard]] std::int64_t nx() const { return static_cast<std::int64_t>(col_edges.size()) - 1; }
};

struct MeshOptions {
  ClipOptions clip;
  /// A cell with fewer finite pixels than this part of its area takes its neighbours' values.
  double min_valid = 0.5;
  /// Side of the median filter over the cells' values; 1 for none.
  int filter = 3;
  bool operator==(const MeshOptions&) const = default;
};

/// Values of each cell before filtering, row-major ny x nx. NaN in both for a cell without enough finite pixels.
/// mean: mode estimate 2.5 median - 1.5 mean of the clipped pixels where |mean - median| < 0.3 rms, else the median;
/// rms: clipped std / clip_bias(kappa).
struct MeshCells {
  std::vector<float> mean, rms;
};

/// Background mean and noise rms of each pixel: bilinear between the values at the cells' centres, constant beyond the
/// outermost centres, so it lies between its nodes and cannot go negative. A constant background is one cell.
struct BackgroundModel {
  MeshGrid grid;
  std::vector<float> mean, rms;  ///< grid.ny x grid.nx, finite; rms >= 0
  /// Full-size maps given by the user; used in place of the mesh where set.
  std::shared_ptr<const Plane> mean_map, rms_map;

  static BackgroundModel constant(Shape image, float mean, float rms);
};

/// Fills bad cells with the average of the nearest good ones, then median-filters both maps.
///   throws DataError where no cell is good
[[nodiscard]] BackgroundModel finish_mesh(const MeshGrid& grid, const MeshCells& cells, const MeshOptions& options);

/// Bilinear weights along one axis: pixel p lies between nodes node[p] and node[p]+1 with weight w[p] to the second.
/// w is 0 where both are the same node.
struct MeshAxis {
  std::vector<std::int32_t> node;
  std::vector<float> weight;
};
[[nodiscard]] MeshAxis mesh_axis(const std::vector<std::int64_t>& edges);

}  // namespace reber
