// SPDX-License-Identifier: BSD-3-Clause
// Errors of sums of pixels whose noise is correlated: sums over pairs of pixels.
#pragma once

#include "core/measure/sources/source.hpp"
#include "core/seam/compute/noise_correlation.hpp"

namespace reber {

/// Error of the sum of pixels whose noise has this autocorrelation: the root of the sum over pairs of rms_i rms_j R_ij.
/// Of more than 500 pixels every n-th one stands for its neighbours.
[[nodiscard]] double sum_error(const FitPixels& pixels, const NoiseCorrelation& noise);

/// The same, and those of the centroid and of FWHM^2 made of the second moments about it.
///   sums: of the same pixels
[[nodiscard]] SumErrors sum_errors(const FitPixels& pixels, const IslandSums& sums, const NoiseCorrelation& noise);

}  // namespace reber
