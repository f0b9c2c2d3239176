// SPDX-License-Identifier: BSD-3-Clause
// The flux of several Gaussians of an island as its pixels have it: how far around them the pixels are believed.
#pragma once

#include <optional>
#include <vector>

#include "core/measure/sources/fit_ladder.hpp"
#include "core/seam/compute/gaussian_fit.hpp"
#include "core/seam/compute/noise_correlation.hpp"

namespace reber {

/// A total and its error, in the image's unit times pixels.
struct HeldSum {
  double sum = 0, error = 0;
};

/// The pixels' sum in a region, and what the Gaussians have beyond it. Regions grow in twelve steps from the island:
/// step k has the pixels at most k / 8 of a beam from it and those where the Gaussians are above 3 rms / 1.5^k. With
/// each step noise rises and less is the model's. The squared error of a region is the variance of its sum's noise, and
/// with it the larger of two: what is the model's, squared; and the squared difference from a larger region, less
/// four times what the variance of its noise is larger by (Goldenshluger & Lepski 2011). The least error is taken.
/// Nothing where that is not off what the Gaussians hold by more than `least_sigma` errors.
///   island: its pixels, not empty;   ring: those around it;   beam_px: FWHM
[[nodiscard]] std::optional<HeldSum> held_sum(const std::vector<FittedGaussian>& fitted, const FitPixels& island,
                                              const FitPixels& ring, double beam_px, const NoiseCorrelation& noise,
                                              double least_sigma);

/// How far around an island pixels serve, but for those where the Gaussians are bright.   beam_px: FWHM
[[nodiscard]] double held_reach(double beam_px);

}  // namespace reber
