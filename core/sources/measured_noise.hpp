// SPDX-License-Identifier: BSD-3-Clause
// Measures the autocorrelation of an image's noise in patches without sources.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/base/progress.hpp"
#include "core/base/shape.hpp"
#include "core/base/thread_pool.hpp"
#include "core/compute/noise_correlation.hpp"

namespace reber {

/// S/N of a rectangle, its rows without gaps, blanked (NaN) wherever a pixel is no noise.
using NoisePatch = std::function<void(const Rect& where, float* out)>;

/// The autocorrelation R(d) = <n(p) n(p + d)> / <n(p)^2> over pairs of known pixels, about zero.
/// It is measured in up to 8 x 8 patches of 128 x 128 pixels spread evenly over the image. Uncorrelated noise where
/// fewer than 1000 pixels are known. `patch` is called from one thread; the answer is the same for any number of
/// threads.
///   reach: largest offset in pixels, on each axis
struct MeasuredCorrelation {
  NoiseCorrelation correlation;
  std::int64_t pixels = 0;  ///< known ones; 0 where nothing could be measured
};
[[nodiscard]] MeasuredCorrelation measure_noise_correlation(Shape shape, const NoisePatch& patch, std::int64_t reach,
                                                            ThreadPool& pool, const Progress& progress = {});

/// Blanks what is no noise in rows of width nx: labelled pixels, pixels of abs(S/N) > limit, and all within `grow`
/// pixels of either along x or y (a square).
void blank_sources(std::vector<float>& snr, const std::vector<std::int32_t>& labels, std::int64_t nx, float limit,
                   std::int64_t grow);

}  // namespace reber
