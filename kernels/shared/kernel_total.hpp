// SPDX-License-Identifier: BSD-3-Clause
// Weight of a whole kernel, as interpolation over blank pixels needs it.
#pragma once

#include <cmath>

#include "core/seam/compute/convolution.hpp"
#include "kernels/shared/pixel_rules.hpp"

namespace reber::rules {

/// Sum of the weights in double, rounded to float; 0 where it is below 1e-6 of the sum of their absolute values. Such a
/// kernel, a Mexican hat, has no weight to interpolate with: blank pixels count as 0 for it.
inline KernelTotal interpolation_total(const Kernel& kernel, Boundary boundary) {
  double sum = kernel.beyond, absolute = std::abs(kernel.beyond);
  for (const double weight : kernel.weights) {
    sum += weight;
    absolute += std::abs(weight);
  }
  if (!(std::abs(sum) > 1e-6 * absolute)) return {};
  return {static_cast<float>(sum), boundary == Boundary::zero ? static_cast<float>(kernel.beyond) : 0.0f};
}

}  // namespace reber::rules
