// SPDX-License-Identifier: BSD-3-Clause
// Elliptical Gaussians fitted together to the pixels of one island, by generalised least squares.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/model/beam.hpp"
#include "core/run/noise_correlation.hpp"

namespace reber {

/// peak x exp(-4 ln 2 d^T C^-1 d), d = (x - x0, y - y0) in pixels, C = fwhm2. Parameters in the order
/// peak, x0, y0, Cxx, Cxy, Cyy: C in place of axes and an angle, which a round source would leave undetermined.
struct GaussianComponent {
  static constexpr std::size_t kParameters = 6;
  double peak = 0, x = 0, y = 0;
  Covariance fwhm2;

  /// The value at (px, py); its derivatives by the six parameters as well.
  double evaluate(double px, double py, std::array<double, kParameters>& derivatives) const;
};

/// Pixels of an island; value = pixel less background, negated for negative detections.
struct FitPixels {
  std::vector<std::int32_t> y, x;  ///< raster order
  std::vector<double> value, rms;
};

/// Limits of one component.
struct FitBounds {
  double reach = 1;  ///< of the centre from its start, pixels, on each axis
  double least_fwhm = 1, most_fwhm = 1;
  bool shape_free = true;  ///< fwhm2 is fitted as well
};

/// What the noise is taken for. `weights` makes the weights: noise covariance rms_i rms_j (R + floor), the floor a
/// multiple of the identity, kNoiseFloor of the largest eigenvalue of R. `errors` makes the errors.
struct FitNoise {
  const NoiseCorrelation* weights = nullptr;  ///< ordinary weights 1/rms^2 where null
  const NoiseCorrelation* errors = nullptr;
};
inline constexpr double kNoiseFloor = 1e-2;

struct FittedGaussian {
  GaussianComponent component;
  /// Covariance of the six parameters; rows and columns of a shape that was not free are 0.
  std::array<std::array<double, 6>, 6> covariance{};
  bool at_bound = false;
};

/// Levenberg-Marquardt with analytic derivatives; steps are cut back to the bounds. With weights V^-1 and the Jacobian
/// J, errors are those of this estimator under the noise R of `errors`: A^-1 (J^T V^-1 R V^-1 J) A^-1,
/// A = J^T V^-1 J: they hold where V is not the noise's true covariance.
///   returns nothing where the fit does not converge, a component vanishes, or there are too few pixels
[[nodiscard]] std::optional<std::vector<FittedGaussian>> fit_gaussians(const FitPixels& pixels,
                                                                       const std::vector<GaussianComponent>& start,
                                                                       const std::vector<FitBounds>& bounds,
                                                                       const FitNoise& noise);

}  // namespace reber
