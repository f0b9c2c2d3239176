// SPDX-License-Identifier: BSD-3-Clause
// Theory asks whether it pays to look deeper; the negative image says how deep.
#include "core/pipeline/deepen.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

namespace reber {
namespace {

constexpr std::size_t kSteady = 100;  // of which the number scatters by a tenth

std::size_t number_above(const std::vector<float>& descending, double t) {
  return static_cast<std::size_t>(
      std::ranges::lower_bound(descending, t, std::greater<double>{}, [](float one) { return double{one}; }) -
      descending.begin());
}

}  // namespace

double theoretical_noise_peaks(const SearchedNoise& noise, double t) {
  const double beams = noise.pixels / (noise.beam_px * noise.beam_px);
  const double maxima = beams * 4 * std::numbers::ln2 * std::pow(2 * std::numbers::pi, -1.5) * t * std::exp(-t * t / 2);
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
  auto lowered = lowered_threshold(peaks_of(backend, plane, background, *islands, job), negative, noise, part, lowest,
                                   highest);
  if (!lowered || lowered->sigma > lowest) {
    islands.reset();
    used.seed = lowered ? std::nextafter(static_cast<float>(lowered->sigma), 0.0f) : options.seed;
    islands = backend.label(plane, background, used, job);
  }
  if (lowered) lowered->detected = islands->count();
  return {std::move(islands), lowered};
}

}  // namespace reber
