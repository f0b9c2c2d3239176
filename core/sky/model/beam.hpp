// SPDX-License-Identifier: BSD-3-Clause
// Restoring beams, and the algebra of elliptical Gaussians on the sky and on the pixel grid.
#pragma once

#include <string>
#include <variant>

namespace reber {

/// Elliptical Gaussian restoring beam: FWHM axes in degrees, position angle in degrees, north through east.
struct Beam {
  double major_deg = 0;
  double minor_deg = 0;
  double pa_deg = 0;

  /// Solid angle of the beam in square degrees: pi major minor / (4 ln 2).
  [[nodiscard]] double area_deg2() const;
  bool operator==(const Beam&) const = default;
};

/// Symmetric 2x2 matrix of squared FWHMs. On the sky the axes are east and north; on the grid x and y.
struct Covariance {
  double xx = 0;
  double xy = 0;
  double yy = 0;

  friend Covariance operator+(const Covariance& a, const Covariance& b) {
    return {a.xx + b.xx, a.xy + b.xy, a.yy + b.yy};
  }
  friend Covariance operator-(const Covariance& a, const Covariance& b) {
    return {a.xx - b.xx, a.xy - b.xy, a.yy - b.yy};
  }
};

/// What a Gaussian of unit peak and these FWHM^2 sums to: pi / (4 ln 2) times the root of their determinant, in the
/// square of the axes' unit. NaN where the determinant is below zero.
[[nodiscard]] double gaussian_area(const Covariance& fwhm2);

/// General 2x2 matrix [[a, b], [c, d]].
struct Matrix2 {
  double a = 1, b = 0, c = 0, d = 1;
  [[nodiscard]] double determinant() const { return a * d - b * c; }
};

/// Squared FWHMs of a beam on the sky, in the square of the axes' unit.
///   EE = a^2 sin^2 + b^2 cos^2, NN = a^2 cos^2 + b^2 sin^2, EN = (a^2 - b^2) sin cos     (Wild 1970)
[[nodiscard]] Covariance sky_covariance(double major, double minor, double pa_deg);

/// Axes and position angle of a positive semidefinite matrix; angle in [0, 180), 0 where the ellipse is round.
/// Eigenvalues below zero read as zero.
struct Ellipse {
  double major = 0;
  double minor = 0;
  double pa_deg = 0;
};
[[nodiscard]] Ellipse ellipse_of(const Covariance& sky);

/// C_pixel = M^-1 C_sky M^-T for M = d(east, north)/d(x, y).   throws InputError where M is singular
[[nodiscard]] Covariance to_pixels(const Covariance& sky, const Matrix2& sky_per_pixel);
/// C_sky = M C_pixel M^T.
[[nodiscard]] Covariance to_sky(const Covariance& pixels, const Matrix2& sky_per_pixel);

/// What deconvolving a beam from another leaves.
struct Deconvolved {
  enum class Kind { ellipse, line, point, impossible } kind = Kind::impossible;
  Beam beam;           ///< zero minor axis for a line, both zero for a point
  std::string reason;  ///< set where it is impossible
};

/// The kernel that turns an image of beam `source` into one of beam `target`. Impossible if the smallest
/// eigenvalue of C_target - C_source is below -1e-10 of the trace of C_target. The rule is relative, so that rank-1
/// (line) kernels and identical beams are served.
[[nodiscard]] Deconvolved deconvolve(const Beam& target, const Beam& source);

/// The beam after both.
[[nodiscard]] Beam convolve_beams(const Beam& a, const Beam& b);

/// Kelvin per Jy/sr: c^2 / (2 k nu^2), of Rayleigh and Jeans.
[[nodiscard]] double kelvin_per_jy_sr(double frequency_hz);
/// Kelvin per Jy/beam: c^2 / (2 k nu^2 Omega).
[[nodiscard]] double kelvin_per_jy_beam(const Beam& beam, double frequency_hz);

}  // namespace reber
