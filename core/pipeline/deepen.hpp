// SPDX-License-Identifier: BSD-3-Clause
// A lower seed threshold for crowded fields, where peaks of the noise are too few to matter among the sources.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/compute/backend.hpp"
#include "core/compute/job.hpp"
#include "core/pipeline/fdr.hpp"

namespace reber {

/// The lowest threshold that is looked at, as a part of the usual one, and the highest that is worth the search.
inline constexpr double kDeepest = 0.9, kLeastDeep = 0.95;

/// What is searched, as far as the expected number of noise peaks depends on it.
struct SearchedNoise {
  double pixels = 0;   ///< known ones
  double beam_px = 0;  ///< FWHM, geometric mean of the axes
};

/// Maxima of Gaussian noise above t rms: the expected Euler characteristic of a field in two dimensions, for each
/// FWHM^2 of its correlation 4 ln 2 (2 pi)^-1.5 t exp(-t^2 / 2) (Adler 1981; Worsley et al. 1992). No more than the
/// expected number of pixels above t, which is less where a beam holds few pixels.
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
