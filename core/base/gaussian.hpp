// SPDX-License-Identifier: BSD-3-Clause
// Numbers that follow from the shape of a Gaussian.
#pragma once

#include <numbers>

namespace reber {

/// Standard deviation over the median of abs(value - median).
inline constexpr double kSigmaPerDeviation = 1.4826;
/// FWHM^2 over the variance.
inline constexpr double kFwhm2PerVariance = 8 * std::numbers::ln2;
/// exp(-kLn16 r^2) is 1/2 at half a FWHM.
inline constexpr double kLn16 = 4 * std::numbers::ln2;

/// FWHMs from its centre where a Gaussian ends: 2e-3 of its peak.
inline constexpr double kEndOfGaussian = 1.5;
/// Pixels per FWHM: of coarser ones a Gaussian's flux depends on where they lie.
inline constexpr double kLeastSampling = 2.5;

}  // namespace reber
