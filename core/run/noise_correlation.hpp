// SPDX-License-Identifier: BSD-3-Clause
// How the noise of one pixel goes with that of another: a table over the offset between them.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/base/shape.hpp"
#include "core/base/thread_pool.hpp"
#include "core/model/beam.hpp"

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

 private:
  std::int64_t reach_ = 0;
  std::vector<double> values_{1.0};
};

/// S/N rows [y0, y0 + ny) without gaps, blanked (NaN) wherever a pixel is no noise.
using NoiseRows = std::function<void(std::int64_t y0, std::int64_t ny, float* out)>;

/// The autocorrelation measured in up to 8 x 8 patches of 128 x 128 pixels spread evenly over the image:
/// R(d) = <n(p) n(p + d)> / <n(p)^2> over pairs of known pixels, about zero. Uncorrelated noise where fewer than
/// 1000 pixels are known. `rows` is called from one thread; the answer is the same for any number of threads.
///   reach: largest offset in pixels, on each axis
struct MeasuredCorrelation {
  NoiseCorrelation correlation;
  std::int64_t pixels = 0;  ///< known ones; 0 where nothing could be measured
};
[[nodiscard]] MeasuredCorrelation measure_noise_correlation(Shape shape, const NoiseRows& rows, std::int64_t reach,
                                                            ThreadPool& pool);

/// Blanks what is no noise in rows of width nx: labelled pixels, pixels of abs(S/N) > limit, and all within `grow`
/// pixels of either along x or y (a square).
void blank_sources(std::vector<float>& snr, const std::vector<std::int32_t>& labels, std::int64_t nx, float limit,
                   std::int64_t grow);

}  // namespace reber
