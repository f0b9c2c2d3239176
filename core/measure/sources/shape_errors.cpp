// SPDX-License-Identifier: BSD-3-Clause
// First-order propagation from the three numbers of a shape, which have no singular case, to axes and angles.
#include "core/measure/sources/shape_errors.hpp"

#include "core/base/significance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

namespace reber {
namespace {

constexpr double kDegrees = 180 / std::numbers::pi;

using Transform = std::array<std::array<double, 3>, 3>;

/// L E L^T.
ShapeErrors transformed(const ShapeErrors& errors, const Transform& l) {
  ShapeErrors out{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      for (std::size_t a = 0; a < 3; ++a)
        for (std::size_t b = 0; b < 3; ++b) out[i][j] += l[i][a] * errors[a][b] * l[j][b];
  return out;
}

double quadratic(const Covariance& c, double wx, double wy, double zx, double zy) {
  return wx * zx * c.xx + (wx * zy + wy * zx) * c.xy + wy * zy * c.yy;
}

/// Of an angle for its first-order error, both in degrees. Noise gives a round ellipse two axes and an angle that mean
/// nothing: M^2 - m^2 is then some 2 of its own errors, and first order would say a third of what the angle scatters
/// by.
double angle_error(double first_order) {
  constexpr double kUnknown = 51.961524227066318;  // 90 / sqrt 3, of angles that are all alike likely
  // (M^2 - m^2) / 2 over the error of the cross term: below kDoubted nothing is known, from kClear on all is.
  const double known = 0.5 * kDegrees / first_order;
  if (!(known < kClear)) return first_order;
  const double part = std::min(kClear - known, kClear - kDoubted) / (kClear - kDoubted);
  return part * kUnknown + (1 - part) * std::min(first_order, kUnknown);
}

/// sigma of sqrt(lambda) for sigma of lambda.
double root_error(double root, double error) {
  return root > 0 ? std::min(error / (2 * root), std::sqrt(error)) : std::sqrt(error);
}

}  // namespace

ShapeErrors shape_errors(const Covariance& shape, double relative) {
  // C = R diag(M^2, m^2) R^T with R the turn from the axes' frame; its x axis is the major one.
  const double mean = 0.5 * (shape.xx + shape.yy), half = std::hypot(0.5 * (shape.xx - shape.yy), shape.xy);
  const double angle = 0.5 * std::atan2(2 * shape.xy, shape.xx - shape.yy);
  const double high = mean + half, low = std::max(0.0, mean - half);
  const double cross = std::numbers::sqrt2 * relative * std::sqrt(high * low);
  ShapeErrors own{};
  own[0][0] = 4 * relative * relative * high * high;
  own[1][1] = cross * cross;
  own[2][2] = 4 * relative * relative * low * low;
  return to_sky(own, {std::cos(angle), -std::sin(angle), std::sin(angle), std::cos(angle)});
}

ShapeErrors shape_errors_of(const FittedGaussian& fit) {
  ShapeErrors errors{};
  for (std::size_t a = 0; a < 3; ++a)
    for (std::size_t b = 0; b < 3; ++b) errors[a][b] = fit.covariance[a + 3][b + 3];
  return errors;
}

ShapeErrors to_sky(const ShapeErrors& pixels, const Matrix2& m) {
  return transformed(pixels, {{{m.a * m.a, 2 * m.a * m.b, m.b * m.b},
                               {m.a * m.c, m.a * m.d + m.b * m.c, m.b * m.d},
                               {m.c * m.c, 2 * m.c * m.d, m.d * m.d}}});
}

double quadratic_error(const ShapeErrors& errors, double wx, double wy, double zx, double zy) {
  const std::array<double, 3> g{wx * zx, wx * zy + wy * zx, wy * zy};
  double sum = 0;
  for (std::size_t a = 0; a < 3; ++a)
    for (std::size_t b = 0; b < 3; ++b) sum += g[a] * errors[a][b] * g[b];
  return std::sqrt(std::max(0.0, sum));
}

EllipseErrors ellipse_errors(const Ellipse& sky, const ShapeErrors& errors) {
  const double s = std::sin(sky.pa_deg / kDegrees), c = std::cos(sky.pa_deg / kDegrees);
  const double spread = sky.major * sky.major - sky.minor * sky.minor;
  EllipseErrors out;
  out.major = root_error(sky.major, quadratic_error(errors, s, c, s, c));
  out.minor = root_error(sky.minor, quadratic_error(errors, c, -s, c, -s));
  out.pa_deg = angle_error(spread > 0 ? quadratic_error(errors, c, -s, s, c) / spread * kDegrees
                                      : std::numeric_limits<double>::infinity());
  return out;
}

IntrinsicShape intrinsic_shape(const Covariance& shape, const Covariance& beam, const ShapeErrors& errors) {
  const Covariance rest = shape - beam;
  IntrinsicShape out;
  out.axes = ellipse_of(rest);
  // The angle holds where an eigenvalue is below zero and its axis reads 0.
  const double s = std::sin(out.axes.pa_deg / kDegrees), c = std::cos(out.axes.pa_deg / kDegrees);
  out.errors = ellipse_errors(out.axes, errors);
  const double along = quadratic(rest, s, c, s, c), e_along = quadratic_error(errors, s, c, s, c);
  const double across = quadratic(rest, c, -s, c, -s), e_across = quadratic_error(errors, c, -s, c, -s);
  out.most_major = std::sqrt(std::max(0.0, along) + 2 * e_along);
  out.likely = {likely_axis(along, e_along), likely_axis(across, e_across)};
  out.e_likely = {root_error(out.likely[0], e_along), root_error(out.likely[1], e_across)};
  if (out.likely[0] < out.likely[1]) {  // both are of the noise, which is larger across
    std::swap(out.likely[0], out.likely[1]);
    std::swap(out.e_likely[0], out.e_likely[1]);
  }
  if (out.axes.major == 0) out.axes.pa_deg = 0;
  return out;
}

double likely_axis(double lambda, double sigma) {
  if (!(sigma > 0) || !std::isfinite(lambda / sigma)) return std::sqrt(std::max(0.0, lambda));
  constexpr int kNodes = 48;
  constexpr double kFar = 6;  // sigma
  // In units of sigma: nodes even in the logarithm, where the prior is flat, as far as the measurement allows.
  const double z = lambda / sigma, least = std::exp(-2 * kLikelySpan);
  const double first = z - kFar > least ? z - kFar : least, last = std::max(z, 0.0) + kFar;
  const double step = std::pow(last / first, 0.5 / (kNodes - 1)), nearest = std::max(z, first) - z;
  double root = std::sqrt(first), weights = 0, sum = 0;
  for (int k = 0; k < kNodes; ++k, root *= step) {
    const double off = root * root - z;
    const double weight = std::exp(0.5 * (nearest - off) * (nearest + off));
    weights += weight, sum += weight * root;
  }
  return std::sqrt(sigma) * sum / weights;
}

double log_area_error(const Covariance& shape, const ShapeErrors& errors) {
  const double det = shape.xx * shape.yy - shape.xy * shape.xy;
  const std::array<double, 3> g{shape.yy / (2 * det), -shape.xy / det, shape.xx / (2 * det)};
  double sum = 0;
  for (std::size_t a = 0; a < 3; ++a)
    for (std::size_t b = 0; b < 3; ++b) sum += g[a] * errors[a][b] * g[b];
  return std::sqrt(std::max(0.0, sum));
}

double relative_total_error(const GaussianComponent& fit, const std::array<std::array<double, 6>, 6>& covariance) {
  const Covariance& c = fit.fwhm2;
  const double det = c.xx * c.yy - c.xy * c.xy;
  const std::array<double, 6> g{1 / fit.peak, 0, 0, c.yy / (2 * det), -c.xy / det, c.xx / (2 * det)};
  double sum = 0;
  for (std::size_t a = 0; a < 6; ++a)
    for (std::size_t b = 0; b < 6; ++b) sum += g[a] * covariance[a][b] * g[b];
  return std::sqrt(std::max(0.0, sum));
}

}  // namespace reber
