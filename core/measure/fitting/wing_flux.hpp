// SPDX-License-Identifier: BSD-3-Clause
// What a source has beyond the pixels that are summed: its profile says, as far as it is seen.
#pragma once

#include "core/measure/fitting/island_margin.hpp"
#include "core/seam/compute/background.hpp"
#include "core/seam/compute/noise_correlation.hpp"

namespace reber {

/// Sum of pixels beyond those that are known, and its error.
struct WingFlux {
  double sum = 0, error = 0;
};

/// Profiles exp(-(s / h)^p), s the distance from the centroid in the ellipse of the second moments, p from 1 (an
/// exponential) over 2 (a Gaussian) to 4 (nearly a disc), are fitted to the means of rings of pixels, their errors .02
/// of them at least; each counts by exp(-chi^2 / 2), none that has more than half of the pixels' sum beyond them. The
/// sum is the mean of what they have there, the error their scatter. Nothing where no profile describes the rings, to
/// twice their errors squared, or these are fewer than four.
///   summed: the pixels of the sum;   beyond: others around them;   beam_px: FWHM, as wide are the rings
[[nodiscard]] WingFlux wing_flux(const FitPixels& summed, const FitPixels& beyond, double beam_px,
                                 const NoiseCorrelation& noise);

/// What the rings say of wings: those of the best profile with wider ones than a Gaussian are better by 4 in chi^2, or
/// those of a Gaussian are; else, or where there are fewer than four rings, nothing.   as wing_flux()
enum class Wings { unknown, gaussian, wider };
[[nodiscard]] Wings wings_of(const FitPixels& summed, const FitPixels& beyond, double beam_px,
                             const NoiseCorrelation& noise);

/// Whether the background changes by less than half of its noise over the pixels, from node to node around them:
/// elsewhere emission goes on beyond a source, and its profile does not tell which is its own.   NaN, and a mean map of
/// the user: false
[[nodiscard]] bool lies_evenly(const FitPixels& pixels, const BackgroundModel& background);

}  // namespace reber
