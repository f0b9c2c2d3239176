// SPDX-License-Identifier: BSD-3-Clause
// False discovery rate of islands: positive peaks against negative ones. Of crowded fields theory asks first whether it
// pays to look deeper; the negative image says how deep.
#include "core/run/pipeline/fdr.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include "core/base/error.hpp"

namespace reber {
namespace {

constexpr std::size_t kSteady = 100;  // peaks, of which the number scatters by a tenth

std::size_t number_above(const std::vector<float>& descending, double t) {
  return static_cast<std::size_t>(
      std::ranges::lower_bound(descending, t, std::greater<double>{}, [](float one) { return double{one}; }) -
      descending.begin());
}

}  // namespace

std::vector<float> peaks_of(Backend& backend, const Plane& plane, const BackgroundModel& background,
                            const IslandMap& islands, const Job& job) {
  std::vector<float> peaks;
  for (const IslandSums& one : backend.measure(plane, background, islands, job))
    peaks.push_back(std::abs(one.peak - one.peak_mean) / one.peak_rms);
  std::ranges::sort(peaks, std::greater{});
  return peaks;
}

double expected_noise_peaks(const std::vector<float>& negative, double t) {
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

double theoretical_noise_peaks(const SearchedNoise& noise, double t) {
  const double beams = noise.pixels / (noise.beam_px * noise.beam_px);
  const double maxima = beams * 8 * std::numbers::ln2 * std::pow(2 * std::numbers::pi, -1.5) * t * std::exp(-t * t / 2);
  return std::min(maxima, noise.pixels * 0.5 * std::erfc(t / std::numbers::sqrt2));
}

double noise_peaks_to_expect(const SearchedNoise& noise, const std::vector<float>& negative, double t) {
  const double theory = theoretical_noise_peaks(noise, t);
  const std::size_t count = number_above(negative, t);
  const auto counted = static_cast<double>(count);
  if (count >= kSteady || count == negative.size()) return std::max(theory, counted);
  const std::size_t used = std::min(kSteady, negative.size());
  const double s = negative[used - 1];
  const double tail = static_cast<double>(used) * t / s * std::exp(-0.5 * (t * t - s * s));
  return std::max(theory, counted > tail + 2 * std::sqrt(tail) ? counted : tail);
}

std::optional<FdrThreshold> lowered_threshold(const std::vector<float>& positive, const std::vector<float>& negative,
                                              const SearchedNoise& noise, double part, double lowest, double highest) {
  const auto at = [&](double t, std::size_t detected) -> std::optional<FdrThreshold> {
    const double expected = noise_peaks_to_expect(noise, negative, t);
    if (!(expected <= part * static_cast<double>(detected))) return std::nullopt;
    return FdrThreshold{t, static_cast<std::int64_t>(detected), expected};
  };
  std::size_t k = number_above(positive, lowest);
  if (const auto found = at(lowest, k)) return found;
  for (; k > 0 && positive[k - 1] <= highest; --k)
    if (const auto found = at(positive[k - 1], k)) return found;
  return std::nullopt;
}

Deepened deepen(Backend& backend, const Plane& plane, const BackgroundModel& background,
                std::unique_ptr<IslandMap> islands, const DetectOptions& options, const SearchedNoise& noise,
                double part, const Job& job) {
  DetectOptions used = options;
  used.seed = std::max(kDeepest * options.seed, options.flood);
  const double highest = kLeastDeep * options.seed;
  if (!(part > 0 && used.seed <= highest && noise.beam_px > 0 &&
        theoretical_noise_peaks(noise, highest) <= part * static_cast<double>(islands->count())))
    return {std::move(islands), std::nullopt};
  islands.reset();
  DetectOptions of_noise = options;
  of_noise.seed = of_noise.flood;
  of_noise.negative = true;
  islands = backend.label(plane, background, of_noise, job);
  const std::vector<float> negative = peaks_of(backend, plane, background, *islands, job);
  islands.reset();
  islands = backend.label(plane, background, used, job);
  const double lowest = used.seed;
  auto lowered =
      lowered_threshold(peaks_of(backend, plane, background, *islands, job), negative, noise, part, lowest, highest);
  if (!lowered || lowered->sigma > lowest) {
    islands.reset();
    used.seed = lowered ? std::nextafter(static_cast<float>(lowered->sigma), 0.0f) : options.seed;
    islands = backend.label(plane, background, used, job);
  }
  if (lowered) lowered->detected = islands->count();
  return {std::move(islands), lowered};
}

}  // namespace reber
