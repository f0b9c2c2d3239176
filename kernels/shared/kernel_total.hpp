// SPDX-License-Identifier: BSD-3-Clause
// Weight of a whole kernel, as interpolation over blank pixels needs it.
#pragma once

#include <cmath>

#include "core/sky/model/kernel.hpp"

namespace reber::rules {

/// Sum of the weights in double, rounded to float; 0 where it is below 1e-6 of the sum of their absolute values. Such a
/// kernel, a Mexican hat, has no weight to interpolate with: blank pixels count as 0 for it.
inline float interpolation_total(const Kernel& kernel) {
  double sum = 0, absolute = 0;
  for (const double weight : kernel.weights) {
    sum += weight;
    absolute += std::abs(weight);
  }
  return std::abs(sum) > 1e-6 * absolute ? static_cast<float>(sum) : 0.0f;
}

}  // namespace reber::rules
