// SPDX-License-Identifier: BSD-3-Clause
// Moments of the pixels above a threshold.
#include "core/seam/compute/island_moments.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace reber {

double variance_left(double r) { return 1 + r * std::log(r) / (1 - r); }

Covariance moments_of(const IslandSums& sums, double dx, double dy) {
  Covariance m{sums.sxx / sums.s - dx * dx, sums.sxy / sums.s - dx * dy, sums.syy / sums.s - dy * dy};
  if (!(m.xx * m.yy - m.xy * m.xy >= 1.0 / 144)) {
    m.xx += 1.0 / 12;
    m.yy += 1.0 / 12;
  }
  return m;
}

bool too_few_pixels(const Covariance& fwhm2, double peak, double threshold, std::int64_t npix) {
  constexpr double kExcess = 2;  // noise changes the area of a faint source by less
  const double axes = std::sqrt(std::max(0.0, fwhm2.xx * fwhm2.yy - fwhm2.xy * fwhm2.xy));
  return std::numbers::pi / 4 * axes * std::log2(peak / threshold) > kExcess * static_cast<double>(npix);
}

double corrected_peak(double pixel, double off_x, double off_y, const Covariance& fwhm2) {
  const double det = fwhm2.xx * fwhm2.yy - fwhm2.xy * fwhm2.xy;
  if (!(det > 0) || !(std::hypot(off_x, off_y) <= 1)) return pixel;
  const double q = (fwhm2.yy * off_x * off_x - 2 * fwhm2.xy * off_x * off_y + fwhm2.xx * off_y * off_y) / det;
  return pixel * std::exp(4 * std::numbers::ln2 * q);
}

}  // namespace reber
