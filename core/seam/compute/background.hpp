// SPDX-License-Identifier: BSD-3-Clause
// The background and noise of an image: boxes to measure them in, and the model made of it.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/shape.hpp"
#include "core/seam/compute/statistics.hpp"

namespace reber {

class Plane;

/// Pixels [begin, end) of one axis.
struct PixelSpan {
  std::int64_t begin = 0, end = 0;
  [[nodiscard]] std::int64_t size() const { return end - begin; }
  bool operator==(const PixelSpan&) const = default;
};

/// ny x nx cells of an image: cell (j, i) is rows[j] x cols[i]. Cells of a mesh tile the image, those of a sliding grid
/// overlap; along an axis both ends never fall and every cell's centre lies beyond the one before.
struct MeshGrid {
  Shape image;
  std::vector<PixelSpan> rows, cols;

  /// A mesh: cells of at most box x box pixels, as equal as whole pixels allow, and from both ends alike: where an even
  /// number of them would not be, there is one more. box >= image gives one cell.
  static MeshGrid make(Shape image, std::int64_t box);
  /// Such cells over a rectangle of the image alone.
  static MeshGrid within(Shape image, const Rect& part, std::int64_t box);
  /// Boxes of box x box pixels about the centres of make(image, step)'s cells. A box that reaches beyond the image is
  /// cut there. Its value then stands at the centre of what is left, so that a slope of the background biases no box.
  /// box <= step gives the mesh.   throws InputError
  static MeshGrid sliding(Shape image, std::int64_t box, std::int64_t step);
  /// Within a rectangle of it.
  static MeshGrid sliding(Shape image, const Rect& part, std::int64_t box, std::int64_t step);
  /// A mesh of other cells over what these cover.
  [[nodiscard]] MeshGrid with_cells(std::int64_t box) const { return within(image, part(), box); }
  /// What the cells cover.
  [[nodiscard]] Rect part() const {
    return {rows.front().begin, cols.front().begin, rows.back().end - rows.front().begin,
            cols.back().end - cols.front().begin};
  }

  [[nodiscard]] std::int64_t ny() const { return static_cast<std::int64_t>(rows.size()); }
  [[nodiscard]] std::int64_t nx() const { return static_cast<std::int64_t>(cols.size()); }
};

struct MeshOptions {
  ClipOptions clip;
  /// A cell with fewer finite pixels than this part of its area takes its neighbours' values.
  double min_valid = 0.5;
  /// Side of the median filter over the cells' values; 1 for none.
  int filter = 5;
  /// The centre of a cell's clipped pixels is centre x median - (centre - 1) x mean: 2.5 estimates the mode (Bertin &
  /// Arnouts 1996), 1 is the median.
  double centre = 2.5;
  bool operator==(const MeshOptions&) const = default;
};

/// Values of each cell before filtering, row-major ny x nx. NaN in both for a cell without enough finite pixels.
/// mean: centre x median - (centre - 1) x mean of the clipped pixels where |mean - median| < 0.3 rms, else the median;
/// rms: clipped std / clip_bias(kappa).
struct MeshCells {
  std::vector<float> mean, rms;
  /// Where a backend has filtered the values as finish_mesh would if every cell were good; else empty. Anything where
  /// the window holds a cell that is not.
  std::vector<float> filtered_mean = {}, filtered_rms = {};

  /// Those of another grid behind these.
  void append(const MeshCells& other);
  /// Of cells of several grids those of one: `count` of them from `begin` on.
  [[nodiscard]] MeshCells part(std::size_t begin, std::size_t count) const;
};

/// A bright source about which the noise was raised by what its own sidelobes add.
struct RaisedNoise {
  std::int64_t y = 0, x = 0;  ///< its brightest pixel
  double quiet = 1;           ///< the noise there without its own sidelobes over the model's, at most 1
};

/// What the background is about a compact source more than the cells say: a Gaussian.
struct LocalLevel {
  double y = 0, x = 0;                        ///< the source's brightest pixel
  double centre = 0, error = 0, fwhm_px = 0;  ///< under the source, in the image's unit, and its error
  double reach_px = 0;                        ///< it falls to 0 from 2/3 of this on

  /// Of its height, at a distance in pixels.
  [[nodiscard]] double part(double distance) const;
};

/// Background mean and noise rms of each pixel: bilinear between the values at the cells' centres (nodes), constant
/// beyond the outermost. Values lie between their nodes: an rms cannot go negative. A constant background is one cell.
struct BackgroundModel {
  MeshGrid grid;
  std::vector<float> mean, rms;  ///< grid.ny x grid.nx, finite; rms >= 0
  /// Full-size maps given by the user; used in place of the mesh where set.
  std::shared_ptr<const Plane> mean_map, rms_map;
  std::vector<RaisedNoise> raised = {};  ///< of a measured rms; says nothing of an rms_map
  std::vector<LocalLevel> levels = {};   ///< in the mean already

  static BackgroundModel constant(Shape image, float mean, float rms);
};

/// Fills bad cells with the average of the nearest good ones, then median-filters both maps.
/// threads: for many cells; 0 means all that this process may use
///   throws DataError where no cell is good
[[nodiscard]] BackgroundModel finish_mesh(const MeshGrid& grid, const MeshCells& cells, const MeshOptions& options,
                                          int threads = 0);

/// Bilinear weights along one axis: pixel p lies between nodes node[p] and node[p]+1 with weight w[p] to the second.
/// w is 0 where both are the same node. Nodes stand at the centres of the spans.
struct MeshAxis {
  std::vector<std::int32_t> node;
  std::vector<float> weight;
};
[[nodiscard]] MeshAxis mesh_axis(const std::vector<PixelSpan>& spans, std::int64_t size);

}  // namespace reber
