// SPDX-License-Identifier: BSD-3-Clause
// One field of a mosaic on its way onto the grid, band by band.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/base/thread_pool.hpp"
#include "core/seam/compute/backend.hpp"
#include "core/studies/imaging/mosaic_fields.hpp"
#include "core/studies/sky_distances.hpp"

namespace reber {

/// Sums over fields in a band of rows: of pixels times weights, and of weights. These are below 0 where only fields
/// count whose edges are so near that the interpolation has fewer pixels (FieldOnGrid::add).
struct MosaicSums {
  Rect band;
  std::vector<double> pixels, weights;
};

/// Weights of interpolation for beams; fields of one beam share them.
class WeightTables {
 public:
  /// beam_px: as resample_table(), which it is
  [[nodiscard]] std::shared_ptr<const ResampleTable> of(Interpolation how, const std::optional<Covariance>& beam_px);

 private:
  std::vector<std::pair<std::optional<Covariance>, std::shared_ptr<const ResampleTable>>> made_;
};

class FieldOnGrid {
 public:
  /// measured: with its rms, or a map of it;   request: must outlive this
  FieldOnGrid(MosaicField measured, const MosaicRequest& request, const std::shared_ptr<Backend>& backend,
              WeightTables& tables, const Progress& progress);
  /// Rms of noise correlated like the beam, after interpolation over before.
  [[nodiscard]] double noise_gain_of() const { return gain_; }
  [[nodiscard]] const MosaicField& field() const { return field_; }

  /// Adds its pixels to a band's sums: each row by one thread. Fitted weights need four pixels of the image on all
  /// sides of a place between pixels; one nearer to the image's edge counts only where no field has a better one.
  void add(MosaicSums& sums, ThreadPool& pool, const Progress& progress);
  /// What pixels of a rectangle inside field().covered weigh where they are not blank; 0 below the cutoff.
  [[nodiscard]] std::vector<double> weights(const Rect& part, const Progress& progress);

 private:
  void read(const Rect& part, const Progress& progress, bool pixels);
  void beams_of_row(const Rect& part, std::int64_t row, double* out) const;
  /// Flags the pixels of a row that are near the image's edge.   returns whether there are any
  bool flag_edges(const PlaceView& places, std::int64_t y, std::int64_t x0, std::span<unsigned char> flags) const;
  void add_row(const float* values, const float* noise, const double* beam, std::span<const unsigned char> edges,
               std::int64_t count, double* pixels, double* weights) const;
  /// 1 / s^2 of a pixel of the map; NaN where the map has no noise above 0.
  [[nodiscard]] double inverse_at(float noise) const;

  MosaicField field_;
  const MosaicRequest& request_;
  BeamTable table_;
  std::unique_ptr<RegridNode> image_, primary_, noise_;
  std::optional<SkyDistances> distances_;
  double gain_ = 1, inverse_ = 0, noise_scale_ = 1;
  bool by_beam_ = true;   ///< the weight goes with p^2
  bool squared_ = false;  ///< and so does the pixel's factor, which else goes with p
  std::vector<float> values_, beams_, noises_;
};

}  // namespace reber
