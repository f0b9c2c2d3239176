// SPDX-License-Identifier: BSD-3-Clause
// The curves of the display, of which the product needs the inverse alone.
#pragma once

#include <algorithm>
#include <cmath>

#include "core/show/display/display_scale.hpp"

namespace reber::testing {

/// s of t clamped to [0, 1]; NaN stays NaN.
inline double stretched(const StretchCurve& curve, double value) {
  if (std::isnan(value)) return value;
  const double t = std::clamp(value, 0.0, 1.0), a = curve.softness;
  switch (curve.kind) {
    case Stretch::linear:
    case Stretch::histogram:
      return t;
    case Stretch::log:
      return std::log1p(a * t) / std::log1p(a);
    case Stretch::sqrt:
      return std::sqrt(t);
    case Stretch::square:
      return t * t;
    case Stretch::asinh:
      return std::asinh(a * t) / std::asinh(a);
    case Stretch::power:
      return std::pow(t, curve.power);
  }
  return t;
}

}  // namespace reber::testing
