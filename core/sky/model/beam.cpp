// SPDX-License-Identifier: BSD-3-Clause
// Algebra of elliptical Gaussians as 2x2 matrices of squared FWHMs.
#include "core/sky/model/beam.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/base/error.hpp"

namespace reber {
namespace {

constexpr double kArcsecPerDegree = 3600;
constexpr double kBoltzmann = 1.380649e-23;  // J/K
constexpr double kLightSpeed = 299792458;    // m/s
constexpr double kWattPerJansky = 1e-26;     // W/m^2/Hz
constexpr double kEigenvalueTolerance = 1e-10;

struct SineCosine {
  double sine, cosine;
};

/// Exact at multiples of 90 degrees, so that an axis-aligned ellipse has no off-diagonal element.
SineCosine sine_cosine_of_degrees(double degrees) {
  const double quarter = std::nearbyint(degrees / 90);
  const double rest = (degrees - 90 * quarter) * (std::numbers::pi / 180);
  const double s = std::sin(rest);
  const double c = std::cos(rest);
  switch (static_cast<int>(std::fmod(quarter, 4) + 4) % 4) {
    case 1:
      return {c, -s};
    case 2:
      return {-s, -c};
    case 3:
      return {-c, s};
    default:
      return {s, c};
  }
}

/// Mean and half difference of the eigenvalues: they are mean +- half.
struct Eigenvalues {
  double mean, half;
};

Eigenvalues eigenvalues(const Covariance& c) { return {(c.xx + c.yy) / 2, std::hypot((c.xx - c.yy) / 2, c.xy)}; }

double position_angle(const Covariance& sky) {
  double angle = std::atan2(2 * sky.xy, sky.yy - sky.xx) * (90 / std::numbers::pi);
  if (angle < 0) angle += 180;
  return angle < 180 ? angle : 0;
}

/// Covariance in square arcseconds: squares of degrees near 1e-7 would lose the tolerances.
Covariance arcsec_covariance(const Beam& beam) {
  return sky_covariance(beam.major_deg * kArcsecPerDegree, beam.minor_deg * kArcsecPerDegree, beam.pa_deg);
}

std::string words(const Beam& beam) {
  return fmt::format("{:.6g}\" x {:.6g}\" at {:.6g} deg", beam.major_deg * kArcsecPerDegree,
                     beam.minor_deg * kArcsecPerDegree, beam.pa_deg);
}

Covariance product(const Matrix2& m, const Covariance& c) {
  const double xx = m.a * c.xx + m.b * c.xy;
  const double xy = m.a * c.xy + m.b * c.yy;
  const double yx = m.c * c.xx + m.d * c.xy;
  const double yy = m.c * c.xy + m.d * c.yy;
  return {xx * m.a + xy * m.b, xx * m.c + xy * m.d, yx * m.c + yy * m.d};
}

}  // namespace

double gaussian_area(const Covariance& fwhm2) {
  return std::numbers::pi / (4 * std::numbers::ln2) * std::sqrt(fwhm2.xx * fwhm2.yy - fwhm2.xy * fwhm2.xy);
}

double Beam::area_deg2() const { return std::numbers::pi * major_deg * minor_deg / (4 * std::numbers::ln2); }

Covariance sky_covariance(double major, double minor, double pa_deg) {
  const auto [s, c] = sine_cosine_of_degrees(pa_deg);
  const double major2 = major * major;
  const double minor2 = minor * minor;
  return {major2 * s * s + minor2 * c * c, (major2 - minor2) * s * c, major2 * c * c + minor2 * s * s};
}

Ellipse ellipse_of(const Covariance& sky) {
  const auto [mean, half] = eigenvalues(sky);
  Ellipse ellipse{std::sqrt(std::max(mean + half, 0.0)), std::sqrt(std::max(mean - half, 0.0)), 0};
  // Rounding leaves a difference of this order in a round ellipse, whose angle would then be noise.
  if (half > 1e-14 * std::abs(mean)) ellipse.pa_deg = position_angle(sky);
  return ellipse;
}

Covariance to_pixels(const Covariance& sky, const Matrix2& sky_per_pixel) {
  const Matrix2& m = sky_per_pixel;
  const double determinant = m.determinant();
  const double scale = std::abs(m.a * m.d) + std::abs(m.b * m.c);
  if (!(std::abs(determinant) > 1e-12 * scale)) {
    throw InputError(fmt::format(
        "the image's pixels have no area on the sky: d(east, north)/d(x, y) = [[{}, {}], [{}, {}]] is singular; "
        "check CDELT, CD and PC in the header",
        m.a, m.b, m.c, m.d));
  }
  return product({m.d / determinant, -m.b / determinant, -m.c / determinant, m.a / determinant}, sky);
}

Covariance to_sky(const Covariance& pixels, const Matrix2& sky_per_pixel) { return product(sky_per_pixel, pixels); }

Deconvolved deconvolve(const Beam& target, const Beam& source) {
  const Covariance target_covariance = arcsec_covariance(target);
  const Covariance rest = target_covariance - arcsec_covariance(source);
  const auto [mean, half] = eigenvalues(rest);
  const double tolerance = kEigenvalueTolerance * (target_covariance.xx + target_covariance.yy);
  const double smaller = mean - half;
  const double larger = mean + half;

  Deconvolved result;
  if (!(smaller >= -tolerance)) {
    const double angle = std::fmod(position_angle(rest) + 90, 180);
    result.reason = fmt::format(
        "the beam {} does not fit into {}: it sticks out along position angle {:.1f} deg; choose a larger target beam",
        words(source), words(target), angle);
    return result;
  }
  if (larger <= tolerance) {
    result.kind = Deconvolved::Kind::point;
    return result;
  }
  result.kind = smaller <= tolerance ? Deconvolved::Kind::line : Deconvolved::Kind::ellipse;
  const Ellipse ellipse = ellipse_of(rest);
  result.beam.major_deg = ellipse.major / kArcsecPerDegree;
  result.beam.minor_deg = result.kind == Deconvolved::Kind::line ? 0 : ellipse.minor / kArcsecPerDegree;
  result.beam.pa_deg = half <= 1e-12 * mean ? 0 : ellipse.pa_deg;
  return result;
}

Beam convolve_beams(const Beam& a, const Beam& b) {
  const Ellipse ellipse = ellipse_of(arcsec_covariance(a) + arcsec_covariance(b));
  return {ellipse.major / kArcsecPerDegree, ellipse.minor / kArcsecPerDegree, ellipse.pa_deg};
}

double kelvin_per_jy_sr(double frequency_hz) {
  const double wavelength = kLightSpeed / frequency_hz;
  return kWattPerJansky * wavelength * wavelength / (2 * kBoltzmann);
}

double kelvin_per_jy_beam(const Beam& beam, double frequency_hz) {
  const double radian = std::numbers::pi / 180;
  return kelvin_per_jy_sr(frequency_hz) / (beam.area_deg2() * radian * radian);
}

}  // namespace reber
