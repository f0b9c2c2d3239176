// SPDX-License-Identifier: BSD-3-Clause
// The beam of an image at any of its places: none, one for all, or one that varies.
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/shape.hpp"
#include "core/sky/model/beam.hpp"

namespace reber {

/// The beam at one place: FWHM on the sky, and FWHM^2 on the grid there.
struct LocalBeam {
  Beam sky;
  Covariance pixels;
};

/// A beam that varies, known at nodes `step_px` pixels apart from pixel (0, 0) on.
struct BeamNodes {
  Shape shape;  ///< nodes
  double step_px = 1;
  /// FWHM^2, row-major: on the sky (degrees^2; east, north), and on the grid by the geometry at the node. Finite.
  std::vector<Covariance> sky, pixels;
  std::vector<double> pixel_deg2;  ///< area of a pixel, square degrees
};

/// Safe from several threads. Cheap to copy.
class BeamField {
 public:
  BeamField() = default;                                          ///< none
  BeamField(const Beam& beam) : nominal_(beam) {}                 // NOLINT(google-explicit-constructor)
  BeamField(const std::optional<Beam>& beam) : nominal_(beam) {}  // NOLINT(google-explicit-constructor)
  /// nodes: at least one
  explicit BeamField(std::shared_ptr<const BeamNodes> nodes);
  /// A beam that does not vary on pixels whose area does: of the nodes the areas alone are taken.
  BeamField(const std::optional<Beam>& beam, std::shared_ptr<const BeamNodes> areas)
      : nominal_(beam), areas_(std::move(areas)) {}

  [[nodiscard]] bool varies() const { return nodes_ != nullptr; }
  /// The one beam, or that of the middle node; empty where there is none.
  [[nodiscard]] const std::optional<Beam>& nominal() const { return nominal_; }
  /// Of a beam that varies: FWHM^2 are bilinear between nodes, constant beyond them. Pixels from 0; NaN reads as 0.
  [[nodiscard]] LocalBeam at(double x, double y) const;
  /// The same areas with this beam, which does not vary.
  [[nodiscard]] BeamField with(const std::optional<Beam>& beam) const { return {beam, areas_}; }
  [[nodiscard]] bool areas_vary() const { return areas_ != nullptr; }
  /// Of areas that vary: square degrees, between nodes as at().
  [[nodiscard]] double pixel_deg2(double x, double y) const;

 private:
  std::optional<Beam> nominal_;
  std::shared_ptr<const BeamNodes> nodes_, areas_;
};

}  // namespace reber
