// SPDX-License-Identifier: BSD-3-Clause
// Moments of sums of Gaussians, and the other way round.
#include "core/run/pipeline/hand_starts.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/gaussian.hpp"
#include "core/measure/sources/fit_rest.hpp"

namespace reber {

GaussianComponent together(const std::vector<GaussianComponent>& all) {
  double sum = 0, x = 0, y = 0;
  for (const GaussianComponent& one : all) {
    const double flux = gaussian_flux(one);
    sum += flux, x += flux * one.x, y += flux * one.y;
  }
  GaussianComponent made{0, x / sum, y / sum, {}};
  for (const GaussianComponent& one : all) {
    const double part = gaussian_flux(one) / sum, dx = one.x - made.x, dy = one.y - made.y;
    made.fwhm2.xx += part * (one.fwhm2.xx + kFwhm2PerVariance * dx * dx);
    made.fwhm2.xy += part * (one.fwhm2.xy + kFwhm2PerVariance * dx * dy);
    made.fwhm2.yy += part * (one.fwhm2.yy + kFwhm2PerVariance * dy * dy);
  }
  made.peak = sum / gaussian_area(made.fwhm2);
  return made;
}

std::vector<GaussianComponent> apart(const GaussianComponent& whole, std::int64_t parts, const Covariance& beam) {
  const Covariance rest = whole.fwhm2 - beam;
  const double half = std::hypot(0.5 * (rest.xx - rest.yy), rest.xy), mean = 0.5 * (rest.xx + rest.yy);
  const double angle = 0.5 * std::atan2(2 * rest.xy, rest.xx - rest.yy), n = static_cast<double>(parts);
  const double step = std::max(0.5 * ellipse_of(beam).minor,
                               std::sqrt(std::max(0.0, mean + half) * 12 / (kFwhm2PerVariance * (n * n - 1))));
  std::vector<GaussianComponent> made;
  for (std::int64_t k = 0; k < parts; ++k) {
    const double along = step * (static_cast<double>(k) - 0.5 * (n - 1));
    made.push_back({1.2 * whole.peak / n, whole.x + along * std::cos(angle), whole.y + along * std::sin(angle), beam});
  }
  return made;
}

}  // namespace reber
