// SPDX-License-Identifier: BSD-3-Clause
// How the noise of one pixel goes with that of another: a table over the offset between them.
#pragma once

#include <cstdint>
#include <vector>

#include "core/sky/model/beam.hpp"

namespace reber {

/// Autocorrelation of noise in units of its variance; 1 at offset 0, symmetric, 0 beyond its reach.
class NoiseCorrelation {
 public:
  /// Uncorrelated.
  NoiseCorrelation() = default;
  /// exp(-4 ln 2 d^T C^-1 d), d = (dx, dy) pixels, C = fwhm2: the shape of a beam.
  static NoiseCorrelation of_shape(const Covariance& fwhm2);
  /// values[(dy) * (2 reach + 1) + dx + reach] for dy = 0..reach; the other half follows by symmetry.
  static NoiseCorrelation of_table(std::int64_t reach, std::vector<double> values);

  [[nodiscard]] double at(std::int64_t dy, std::int64_t dx) const {
    if (dy < 0) dy = -dy, dx = -dx;
    if (dy > reach_ || dx > reach_ || dx < -reach_) return 0;
    return values_[static_cast<std::size_t>(dy * (2 * reach_ + 1) + dx + reach_)];
  }
  [[nodiscard]] std::int64_t reach() const { return reach_; }
  /// As of_table() takes them.
  [[nodiscard]] const std::vector<double>& values() const { return values_; }

 private:
  std::int64_t reach_ = 0;
  std::vector<double> values_{1.0};
};

}  // namespace reber
