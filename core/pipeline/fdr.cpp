// SPDX-License-Identifier: BSD-3-Clause
// False discovery rate of islands: positive peaks against negative ones.
#include "core/pipeline/fdr.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/error.hpp"

namespace reber {
std::vector<float> peaks_of(Backend& backend, const Plane& plane, const BackgroundModel& background,
                            const IslandMap& islands, const Job& job) {
  std::vector<float> peaks;
  for (const IslandSums& one : backend.measure(plane, background, islands, job))
    peaks.push_back(std::abs(one.peak - one.peak_mean) / one.peak_rms);
  std::ranges::sort(peaks, std::greater{});
  return peaks;
}

double expected_noise_peaks(const std::vector<float>& negative, double t) {
  constexpr std::size_t kSteady = 100;  // of which the number scatters by a tenth
  const auto above = static_cast<std::size_t>(
      std::ranges::upper_bound(negative, static_cast<float>(t), std::greater{}) - negative.begin());
  if (above >= kSteady || above == negative.size()) return static_cast<double>(above);
  const std::size_t used = std::min(kSteady, negative.size());
  const double s = negative[used - 1];
  return static_cast<double>(used) * std::exp(-0.5 * (t * t - s * s));
}

FdrThreshold fdr_threshold(std::vector<float> positive, std::vector<float> negative, double alpha) {
  std::ranges::sort(positive, std::greater{});
  std::ranges::sort(negative, std::greater{});
  for (std::size_t k = positive.size(); k > 0; --k) {
    const double expected = expected_noise_peaks(negative, positive[k - 1]);
    if (expected <= alpha * static_cast<double>(k)) return {positive[k - 1], static_cast<std::int64_t>(k), expected};
  }
  return {positive.empty() ? 0 : std::nextafter(positive.front(), HUGE_VALF), 0, 0};
}

FdrThreshold measure_fdr(Backend& backend, const Plane& plane, const BackgroundModel& background, double alpha,
                         const DetectOptions& options, const Job& job) {
  if (!(alpha > 0 && alpha < 1))
    throw InputError(fmt::format("a false discovery rate lies between 0 and 1, not {:g}", alpha));
  DetectOptions all = options;
  all.seed = all.flood;
  const auto peaks = [&](bool negative) {
    all.negative = negative;
    return peaks_of(backend, plane, background, *backend.label(plane, background, all, job), job);
  };
  std::vector<float> positive = peaks(false);
  FdrThreshold found = fdr_threshold(std::move(positive), peaks(true), alpha);
  if (found.detected == 0) found.sigma = std::max<double>(found.sigma, options.seed);
  return found;
}

}  // namespace reber
