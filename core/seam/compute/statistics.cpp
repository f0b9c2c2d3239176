// SPDX-License-Identifier: BSD-3-Clause
// What a kappa-sigma clip does to the standard deviation of Gaussian data.
#include "core/seam/compute/statistics.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "core/base/error.hpp"

namespace reber {

double clip_bias(double kappa) {
  // Below sqrt 3 each round narrows even a uniform distribution: the clip has no fixed point but zero.
  if (!(kappa > std::numbers::sqrt3 + 1e-3)) {
    throw InputError(fmt::format("clip at {} sigma never settles: kappa must be above 1.74 (3 is usual)", kappa));
  }
  if (!(kappa < 38)) return 1;
  const auto std_after = [kappa](double s) {
    const double h = kappa * s;
    const double density = std::exp(-0.5 * h * h) / std::sqrt(2 * std::numbers::pi);
    return std::sqrt(1 - 2 * h * density / std::erf(h / std::numbers::sqrt2));
  };
  double low = 1e-3, high = 1;  // std_after(low) > low and std_after(high) <= high, with one root between
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (low + high);
    (std_after(middle) > middle ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

}  // namespace reber
