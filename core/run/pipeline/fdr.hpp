// SPDX-License-Identifier: BSD-3-Clause
// Seed thresholds at which a stated part of the detected islands is false: everywhere, or in crowded fields alone.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/seam/compute/backend.hpp"
#include "core/seam/compute/job.hpp"

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

/// The lowest threshold that is looked at, as a part of the usual one, and the highest that is worth the search.
inline constexpr double kDeepest = 0.9, kLeastDeep = 0.95;

/// What is searched, as far as the expected number of noise peaks depends on it.
struct SearchedNoise {
  double pixels = 0;   ///< known ones
  double beam_px = 0;  ///< FWHM, geometric mean of the axes
};

/// Maxima of Gaussian noise above t rms: the expected Euler characteristic of a field in two dimensions (Adler 1981;
/// Worsley et al. 1992). For each FWHM^2 of its autocorrelation it is 8 ln 2 (2 pi)^-1.5 t exp(-t^2 / 2); that
/// autocorrelation is taken to have the beam's shape, as natural weights give it. No more than the expected number of
/// pixels above t, which is less where a beam holds few pixels.
[[nodiscard]] double theoretical_noise_peaks(const SearchedNoise& noise, double t);

/// How many peaks of the noise to expect at or above t: the larger of theory and of what the negative peaks tell. These
/// are counted where they are a hundred; else the hundred highest (or all), of which the faintest has height s, are
/// carried on by t / s exp(-(t^2 - s^2) / 2), unless the count is above that by more than twice its scatter.
///   negative: heights of negative peaks in rms, descending
[[nodiscard]] double noise_peaks_to_expect(const SearchedNoise& noise, const std::vector<float>& negative, double t);

/// The lowest threshold from `lowest` to `highest` at which at most `part` of the peaks there and above is expected to
/// be of the noise.
///   positive, negative: heights in rms, descending   returns none where there is no such threshold
[[nodiscard]] std::optional<FdrThreshold> lowered_threshold(const std::vector<float>& positive,
                                                            const std::vector<float>& negative,
                                                            const SearchedNoise& noise, double part, double lowest,
                                                            double highest);

/// Islands of a plane, and the threshold if it was lowered.
struct Deepened {
  std::unique_ptr<IslandMap> islands;
  std::optional<FdrThreshold> lowered;
};

/// Looks again with a lower seed threshold: kDeepest to kLeastDeep of options.seed, not below options.flood. Where
/// theory expects more than `part` of the islands at kLeastDeep, as it does for most images, nothing is computed. All
/// backends agree to the bit.
///   islands: of `options`; handed back where nothing was lowered. At most one map of islands exists at a time.
///   throws Cancelled, DeviceError
[[nodiscard]] Deepened deepen(Backend& backend, const Plane& plane, const BackgroundModel& background,
                              std::unique_ptr<IslandMap> islands, const DetectOptions& options,
                              const SearchedNoise& noise, double part, const Job& job);

}  // namespace reber
