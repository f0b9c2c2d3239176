// SPDX-License-Identifier: BSD-3-Clause
// The seed threshold at which a stated part of the detected islands is false.
#pragma once

#include <cstdint>
#include <vector>

#include "core/compute/backend.hpp"
#include "core/compute/job.hpp"

namespace reber {

struct FdrThreshold {
  double sigma = 0;           ///< S/N of the faintest peak that is detected; where none is, no peak reaches it
  std::int64_t detected = 0;  ///< peaks at or above it
  double expected_false = 0;  ///< of these
};

/// The highest S/N of each island, descending.
[[nodiscard]] std::vector<float> peaks_of(Backend& backend, const Plane& plane, const BackgroundModel& background,
                                          const IslandMap& islands, const Job& job);

/// How many peaks of the noise to expect at or above t: the negative peaks there. Where they are fewer than a hundred,
/// the hundred highest (or all) above s < t times exp(-(t^2 - s^2) / 2), which is how peaks of Gaussian noise fall off
/// but for a power of t.   negative: heights of negative peaks in rms, descending
[[nodiscard]] double expected_noise_peaks(const std::vector<float>& negative, double t);

/// The step-up rule of Benjamini & Hochberg (1995) on peaks, with the noise's peaks from the negative image: of the
/// positive peaks, descending, the largest number k of which at most the part alpha is expected to be of the noise.
/// Correlated noise and artefacts that are as often negative as positive are allowed for.
///   positive, negative: heights in rms, in any order
[[nodiscard]] FdrThreshold fdr_threshold(std::vector<float> positive, std::vector<float> negative, double alpha);

/// The same for the islands of a plane above `options.flood`, of at least options.min_area pixels: no threshold below
/// the flood level is looked for. All backends agree to the bit.
///   throws InputError where alpha is not in (0, 1)
[[nodiscard]] FdrThreshold measure_fdr(Backend& backend, const Plane& plane, const BackgroundModel& background,
                                       double alpha, const DetectOptions& options, const Job& job);

}  // namespace reber
