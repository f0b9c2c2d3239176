// SPDX-License-Identifier: BSD-3-Clause
// The Gaussian of the fits and its bounds: the same bits on host and device, because nothing of a mathematical library
// is used but correctly rounded operations.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "core/seam/compute/gaussian_fit.hpp"
#include "kernels/shared/host_device.hpp"

namespace reber::model {

inline constexpr double k4Ln2 = 2.7725887222397812377;
/// Relative distance within which a parameter counts as at its bound.
inline constexpr double kNear = 1e-9;

/// 2^t for t <= 0, to 2 ulp; 0 below 2^-1000. t = n + f with abs(f) <= 1/2, and the Taylor series of 2^f, whose first
/// term left out is 4e-18.
REBER_HD double exp2_below(double t) {
  using std::fma;
  constexpr double kShift = 0x1.8p52;  // adding it leaves the nearest integer in the last bits
  const double shifted = t + kShift;
  const double f = t - (shifted - kShift);
  double sum = 1.3691488853904128880e-12;
  sum = fma(sum, f, 2.5678435993488205141e-11);
  sum = fma(sum, f, 4.4455382718708114976e-10);
  sum = fma(sum, f, 7.0549116208011233299e-9);
  sum = fma(sum, f, 1.0178086009239699728e-7);
  sum = fma(sum, f, 1.3215486790144309488e-6);
  sum = fma(sum, f, 1.5252733804059840280e-5);
  sum = fma(sum, f, 1.5403530393381609954e-4);
  sum = fma(sum, f, 1.3333558146428443423e-3);
  sum = fma(sum, f, 9.6181291076284771620e-3);
  sum = fma(sum, f, 5.5504108664821579953e-2);
  sum = fma(sum, f, 2.4022650695910071233e-1);
  sum = fma(sum, f, 6.9314718055994530942e-1);
  sum = fma(sum, f, 1.0);
  const auto n = std::bit_cast<std::uint64_t>(shifted) - std::bit_cast<std::uint64_t>(kShift);
  const double value = sum * std::bit_cast<double>((n + 1023) << 52);
  return t < -1000 ? 0.0 : value;
}

/// A component made ready to be evaluated.
struct Shape {
  double peak, x, y;
  double xx, xy, yy;  ///< C^-1
};

REBER_HD Shape shape_of(const GaussianComponent& g) {
  const double det = g.fwhm2.xx * g.fwhm2.yy - g.fwhm2.xy * g.fwhm2.xy;
  return {g.peak, g.x, g.y, g.fwhm2.yy / det, -g.fwhm2.xy / det, g.fwhm2.xx / det};
}

/// Value at a pixel and what the derivatives are made of: e = C^-1 d.
struct Value {
  double shape, value, ex, ey;
};

REBER_HD Value value_at(const Shape& g, double px, double py) {
  using std::fma;
  const double dx = px - g.x, dy = py - g.y;
  const double ex = fma(g.xy, dy, g.xx * dx), ey = fma(g.xy, dx, g.yy * dy);
  const double shape = exp2_below(-4 * fma(ey, dy, ex * dx));
  return {shape, g.peak * shape, ex, ey};
}

/// The derivatives times `scale`, in the order of the parameters; the last three only where `shape_free`.
REBER_HD void derivatives(const Value& v, double scale, bool shape_free, double* out) {
  const double slope = k4Ln2 * v.value * scale, by_ex = slope * v.ex, by_ey = slope * v.ey;
  out[0] = v.shape * scale;
  out[1] = 2 * by_ex;
  out[2] = 2 * by_ey;
  if (!shape_free) return;
  out[3] = by_ex * v.ex;
  out[4] = 2 * by_ex * v.ey;
  out[5] = by_ey * v.ey;
}

REBER_HD double clamped(double value, double low, double high) {
  return value < low ? low : (value > high ? high : value);
}

/// C with its eigenvalues brought into [least^2, most^2].   returns whether they were outside
REBER_HD bool bound_shape(Covariance& c, double least, double most) {
  const double mean = 0.5 * (c.xx + c.yy), half = 0.5 * (c.xx - c.yy);
  const double spread = std::sqrt(half * half + c.xy * c.xy);
  const double high = clamped(mean + spread, least * least, most * most);
  const double low = clamped(mean - spread, least * least, most * most);
  if (high == mean + spread && low == mean - spread) return false;
  const double new_mean = 0.5 * (high + low), scale = spread > 0 ? 0.5 * (high - low) / spread : 0;
  c = {new_mean + scale * half, scale * c.xy, new_mean - scale * half};
  return true;
}

REBER_HD void limit(GaussianComponent& one, const GaussianComponent& start, const FitBounds& bound) {
  one.peak = clamped(one.peak, kLeastPeak * start.peak, kMostPeak * start.peak);
  one.x = clamped(one.x, start.x - bound.reach, start.x + bound.reach);
  one.y = clamped(one.y, start.y - bound.reach, start.y + bound.reach);
  if (bound.shape_free) (void)bound_shape(one.fwhm2, bound.least_fwhm, bound.most_fwhm);
}

/// Whether the peak has come to a bound.
REBER_HD bool has_left(const GaussianComponent& one, const GaussianComponent& start) {
  return !(one.peak > kLeastPeak * start.peak * (1 + kNear)) || !(one.peak < kMostPeak * start.peak * (1 - kNear));
}

/// Whether centre or shape has.
REBER_HD bool at_bound(const GaussianComponent& one, const GaussianComponent& start, const FitBounds& bound) {
  Covariance inside = one.fwhm2;
  const double reach = bound.reach * (1 - kNear);
  return !(std::fabs(one.x - start.x) < reach) || !(std::fabs(one.y - start.y) < reach) ||
         (bound.shape_free && bound_shape(inside, bound.least_fwhm * (1 + kNear), bound.most_fwhm * (1 - kNear)));
}

REBER_HD int free_parameters(const FitBounds& bound) { return bound.shape_free ? 6 : 3; }

}  // namespace reber::model
