// SPDX-License-Identifier: BSD-3-Clause
// Comparisons that NaN fails, and the bound of a convolution.
#include "core/studies/differences.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace reber {

double difference(double a, double b) {
  if (std::isnan(a) && std::isnan(b)) return 0;
  const double d = std::abs(a - b);
  return a == b ? 0 : std::isnan(d) ? std::numeric_limits<double>::infinity() : d;
}

double relative(double a, double b) {
  const double d = difference(a, b);
  return d > 0 ? d / std::max(std::abs(b), 1e-300) : 0;
}

double convolution_bound(Algorithm algorithm, Shape kernel) {
  constexpr double kFft = 1e-6, kUnitRoundoff = 0x1p-24;
  if (algorithm == Algorithm::fft) return kFft;
  const bool one_chain = algorithm == Algorithm::direct && !sums_rows_apart(kernel);
  const double terms = static_cast<double>(one_chain ? kernel.count() : kernel.ny + kernel.nx);
  return std::max(kFft, 4 * std::sqrt(terms) * kUnitRoundoff);
}

}  // namespace reber
