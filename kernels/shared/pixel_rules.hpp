// SPDX-License-Identifier: BSD-3-Clause
// Per-pixel rules that every backend but the reference uses, so that they cannot drift apart. All files that include
// this are compiled with floating-point contraction off; a fused multiply-add stands where one is written, and nowhere
// else.
#pragma once

#include <cmath>
#include <cstdint>

#include "core/seam/compute/convolution.hpp"
#include "core/seam/compute/detection.hpp"
#include "kernels/shared/host_device.hpp"

namespace reber::rules {

/// NaN, made from its bits so that host and device agree to the bit.
REBER_HD float blank_value() {
#ifdef __CUDA_ARCH__
  return __uint_as_float(0x7fc00000u);
#else
  return __builtin_nanf("");
#endif
}

/// value = zero + scale x stored, in double, rounded once to float; what is not finite is blank.
REBER_HD float decode(double stored, double scale, double zero) {
  const float value = static_cast<float>(zero + scale * stored);
  return std::isfinite(value) ? value : blank_value();
}

/// Value between two nodes of the background mesh.
REBER_HD float lerp(float a, float b, float weight) { return fmaf(weight, b - a, a); }

/// Background between four nodes: first along y at both columns, then along x.
REBER_HD float mesh_value(float n00, float n01, float n10, float n11, float wy, float wx) {
  return lerp(lerp(n00, n10, wy), lerp(n01, n11, wy), wx);
}

/// Pixel above background, positive towards the sources looked for.
REBER_HD float above_background(float pixel, float mean, bool negative) {
  const float difference = pixel - mean;
  return negative ? -difference : difference;
}

/// S/N of a pixel. NaN for a blank pixel, a blank background, or an rms that is not positive; comparisons with a
/// threshold are then false.
REBER_HD float snr(float above, float rms) { return rms > 0.0f ? above / rms : blank_value(); }

/// Pixels of two planes made one (Backend::combine).
REBER_HD float combined(PlaneRule rule, float a, float b) {
  if (rule == PlaneRule::difference) return std::isfinite(a - b) ? a - b : blank_value();
  const bool other = rule == PlaneRule::larger ? b > a : b < a;
  return std::isfinite(a) && !other ? a : b;
}

/// Index inside [0, n) that stands for index i under the boundary rule, or -1 where the outside has no pixel (zero and
/// blank). Right for any i, however far outside.
template <typename Int>
REBER_HD Int boundary_index_as(Int i, Int n, Boundary boundary) {
  if (i >= 0 && i < n) return i;
  switch (boundary) {
    case Boundary::nearest:
      return i < 0 ? 0 : n - 1;
    case Boundary::reflect: {
      const Int period = 2 * n;
      const Int j = ((i % period) + period) % period;
      return j < n ? j : period - 1 - j;
    }
    case Boundary::mirror: {
      if (n == 1) return 0;
      const Int period = 2 * n - 2;
      const Int j = ((i % period) + period) % period;
      return j < n ? j : period - j;
    }
    case Boundary::wrap:
      return ((i % n) + n) % n;
    case Boundary::zero:
    case Boundary::blank:
      break;
  }
  return -1;
}

REBER_HD std::int64_t boundary_index(std::int64_t i, std::int64_t n, Boundary boundary) {
  return boundary_index_as(i, n, boundary);
}

struct KernelTotal {
  float total = 0;    ///< weight of the whole kernel
  float outside = 0;  ///< that of its weights beyond the image, which were left out and count as on finite pixels
};

/// Output of an interpolating convolution. sum = sum(w in) and weight = sum(w) over finite pixels. Blank where |weight|
/// < min_weight |total|, or where the weight is zero. The comparison leaves 1e-5 for rounding, so that with min_weight
/// 1 an output whose whole kernel is finite is not blank.
REBER_HD float interpolate_output(float sum, float finite, KernelTotal kernel, float min_weight) {
  const float weight = finite + kernel.outside;
  if (weight == 0.0f || !(fabsf(weight) >= 0.99999f * min_weight * fabsf(kernel.total))) return blank_value();
  return sum * (kernel.total / weight);
}

}  // namespace reber::rules
