// SPDX-License-Identifier: BSD-3-Clause
// Moments of spectra, summed plane after plane.
#pragma once

#include <cstddef>
#include <vector>

namespace reber {

/// Over the finite values v of planes with coordinate x and width dx:
///   M0 = sum v dx    M1 = sum v x dx / M0    M2 = sqrt(sum v (x - M1)^2 dx / M0)
/// in double, in the order in which planes are added.
class MomentSums {
 public:
  /// highest: 0, 1 or 2
  MomentSums(int highest, std::size_t pixels)
      : zeroth_(pixels), first_(highest > 0 ? pixels : 0), second_(highest > 1 ? pixels : 0), seen_(pixels) {}

  /// Values of pixels from, from + 1, ... of one plane; those not above `above` take no part. From several threads, for
  /// different pixels.   at: x less that of a middle plane, so that squares lose no digits
  void add(const float* values, std::size_t from, std::size_t count, double width, double at, float above);

  /// M0; NaN where no value took part.
  [[nodiscard]] double zeroth(std::size_t i) const;
  /// M1, as `at` counts; NaN where M0 is not above 0.
  [[nodiscard]] double mean(std::size_t i) const;
  /// M2^2, and M2; NaN where M0 is not above 0, or the sum is negative.
  [[nodiscard]] double variance(std::size_t i) const;
  [[nodiscard]] double dispersion(std::size_t i) const;

 private:
  std::vector<double> zeroth_, first_, second_;
  std::vector<float> seen_;
};

}  // namespace reber
