// SPDX-License-Identifier: BSD-3-Clause
// What a simulated sky holds: the components that a scene is made of, before any pixel.
#pragma once

#include <string>
#include <vector>

#include "core/sky/model/beam.hpp"
#include "core/studies/simulation.hpp"

namespace reber {

/// An elliptical Gaussian as it stands in the image, the beam included.
struct DrawnGaussian {
  std::string kind;     ///< "point", "extended", "core", "filament"; "diffuse" is not listed in the truth
  double x = 0, y = 0;  ///< 0-based pixels
  double peak = 0;      ///< Jy/beam
  Covariance shape;     ///< FWHM^2 on the grid
};

/// A supernova shell: light from between two spheres, before the beam.
struct DrawnRing {
  double x = 0, y = 0;
  double outer_px = 0, inner_px = 0;  ///< radii
  double peak = 0;                    ///< Jy/beam, at the inner edge
};

struct DrawnScene {
  std::vector<DrawnGaussian> gaussians;
  std::vector<DrawnRing> rings;
};

/// Geometry shared by all parts of a simulation: a tangent-like grid, east to the left.
struct SceneGrid {
  Shape shape;
  Matrix2 sky_per_pixel;  ///< degrees
  Covariance beam;        ///< FWHM^2 in pixels
  double rms = 0, rms_rise = 0;

  explicit SceneGrid(const SimulationOptions& options);
  /// rms (1 + rise r^2), r = 1 at the middle of an edge
  [[nodiscard]] double rms_at(double x, double y) const;
  [[nodiscard]] double beam_area_px() const;
};

/// Draws the components of options.scene; the same for the same options.
[[nodiscard]] DrawnScene make_scene(const SimulationOptions& options, const SceneGrid& grid);

}  // namespace reber
