// SPDX-License-Identifier: BSD-3-Clause
// Errors of an ellipse's axes and angle, of what is left when the beam is taken out of it, and how far it can be told
// from a point.
#pragma once

#include <array>
#include <numbers>

#include "core/base/gaussian.hpp"
#include "core/seam/compute/gaussian_fit.hpp"
#include "core/sky/model/beam.hpp"

namespace reber {

/// Likely axes of a point in noise: the logarithm of how far below the size that noise makes of it they may be.
inline constexpr double kLikelySpan = 4;

/// Covariance of the three numbers xx, xy, yy of a Covariance (FWHM^2): units of their products.
using ShapeErrors = std::array<std::array<double, 3>, 3>;

/// Errors of the matrix from those of M, of m and of the cross term (M^2 - m^2) sigma_PA, which are independent along
/// the ellipse's own axes. The cross term stays finite where the ellipse is round.
///   shape: FWHM^2;   relative: sigma_M / M = sigma_m / m = sigma_cross / (sqrt 2 M m), as in Condon (1997)
[[nodiscard]] ShapeErrors shape_errors(const Covariance& shape, double relative);

/// Of a fit's own shape.
[[nodiscard]] ShapeErrors shape_errors_of(const FittedGaussian& fit);

/// C_sky = M C M^T carried to the errors.
[[nodiscard]] ShapeErrors to_sky(const ShapeErrors& pixels, const Matrix2& sky_per_pixel);

/// Standard deviation of w^T C z.
[[nodiscard]] double quadratic_error(const ShapeErrors& errors, double wx, double wy, double zx, double zy);

/// 1-sigma errors; the angle's in degrees, at most 90 / sqrt 3, which is that of an angle of which nothing is known.
struct EllipseErrors {
  double major = 0, minor = 0, pa_deg = 0;
};
/// First order: sigma(M^2) / 2M along each axis, sigma(cross) / (M^2 - m^2) for the angle where M^2 - m^2 is more than
/// 6 sigma(cross); nothing is known of the angle where it is less than 4, linear between.
[[nodiscard]] EllipseErrors ellipse_errors(const Ellipse& sky, const ShapeErrors& errors);

/// A source with the beam taken out: FWHM axes.
struct IntrinsicShape {
  Ellipse axes;           ///< 0 where the fitted axis is not longer than the beam's
  EllipseErrors errors;   ///< sigma(lambda) / (2 sqrt lambda), at most sqrt sigma(lambda), its limit for lambda -> 0
  double most_major = 0;  ///< sqrt(max(lambda, 0) + 2 sigma(lambda)): the major axis is below this with 97.7 %
  /// Best estimates of the longer and the shorter axis, above 0 where sigma(lambda) is; errors as above.
  std::array<double, 2> likely{}, e_likely{};
};
/// Mean of an axis sqrt(lambda) of which a measurement of lambda, which may be below 0, and its error are known: of
/// sizes of every order alike likely (flat in the logarithm), from e^-kLikelySpan of sqrt(sigma) on. sqrt(max(lambda,
/// 0)) where the error is 0 or NaN.
[[nodiscard]] double likely_axis(double lambda, double sigma);
/// lambda, the eigenvalues of C - B, have the errors of C along their own directions (Wild 1970; the beam is exact).
///   shape, beam: FWHM^2 on the sky;   errors: of shape
[[nodiscard]] IntrinsicShape intrinsic_shape(const Covariance& shape, const Covariance& beam,
                                             const ShapeErrors& errors);

/// Standard deviation of ln sqrt(det C), the logarithm of the ratio of total to peak.
[[nodiscard]] double log_area_error(const Covariance& shape, const ShapeErrors& errors);

/// Standard deviation of the total flux over the total flux.
/// covariance: of peak, x, y, xx, xy, yy
[[nodiscard]] double relative_total_error(const GaussianComponent& fit,
                                          const std::array<std::array<double, 6>, 6>& covariance);

}  // namespace reber
