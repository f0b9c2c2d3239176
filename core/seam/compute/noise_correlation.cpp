// SPDX-License-Identifier: BSD-3-Clause
// Tables of the noise's autocorrelation.
#include "core/seam/compute/noise_correlation.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace reber {

NoiseCorrelation NoiseCorrelation::of_table(std::int64_t reach, std::vector<double> values) {
  NoiseCorrelation table;
  table.reach_ = reach;
  table.values_ = std::move(values);
  return table;
}

NoiseCorrelation NoiseCorrelation::of_shape(const Covariance& fwhm2) {
  const double det = fwhm2.xx * fwhm2.yy - fwhm2.xy * fwhm2.xy;
  if (!(det > 0)) return {};
  // At 2.3 FWHM a Gaussian has fallen below 1e-6.
  const auto reach = static_cast<std::int64_t>(std::ceil(2.3 * std::sqrt(std::max(fwhm2.xx, fwhm2.yy))));
  std::vector<double> values;
  for (std::int64_t iy = 0; iy <= reach; ++iy)
    for (std::int64_t ix = -reach; ix <= reach; ++ix) {
      const double dx = static_cast<double>(ix), dy = static_cast<double>(iy);
      const double q = (fwhm2.yy * dx * dx - 2 * fwhm2.xy * dx * dy + fwhm2.xx * dy * dy) / det;
      values.push_back(std::exp(-4 * std::numbers::ln2 * q));
    }
  return of_table(reach, std::move(values));
}

}  // namespace reber
