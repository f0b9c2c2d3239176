// SPDX-License-Identifier: BSD-3-Clause
// The shape of a source from the sums over its pixels, and what the cut at a threshold did to it.
#pragma once

#include "core/seam/compute/detection.hpp"
#include "core/sky/model/beam.hpp"

namespace reber {

/// The part of a Gaussian's variance left when only pixels above r = threshold / peak are used:
/// 1 + r ln r / (1 - r)  (Spreeuw 2010, thesis, eq. 2.66); the part of its flux left is 1 - r.
[[nodiscard]] double variance_left(double r);

/// Second moments about (dx, dy) from the island's first pixel. Pixel-sized or line-shaped islands: a pixel's own
/// variance is added (SExtractor's rule for thin objects).
[[nodiscard]] Covariance moments_of(const IslandSums& sums, double dx, double dy);

/// Whether a Gaussian of this size would cover far more pixels above the threshold than the island has: rings,
/// filaments and remnants of deblending do. Its area is pi/4 M m log2(P/T).
[[nodiscard]] bool too_few_pixels(const Covariance& fwhm2, double peak, double threshold, std::int64_t npix);

/// Peak between pixels: the brightest pixel divided by the Gaussian's value at its distance from the centroid.
[[nodiscard]] double corrected_peak(double pixel, double off_x, double off_y, const Covariance& fwhm2);

}  // namespace reber
