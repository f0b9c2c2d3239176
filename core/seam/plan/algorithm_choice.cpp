// SPDX-License-Identifier: BSD-3-Clause
// The cheapest algorithm, unless one was asked for or the image is too bright for float FFTs.
#include "core/seam/plan/algorithm_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/base/error.hpp"

namespace reber {
namespace {

const ConvolutionQuote* cheapest(const std::vector<ConvolutionQuote>& quotes, bool with_fft) {
  const ConvolutionQuote* best = nullptr;
  for (const ConvolutionQuote& quote : quotes) {
    if (!quote.possible || (!with_fft && quote.algorithm == Algorithm::fft)) continue;
    if (best == nullptr || quote.cost_ms < best->cost_ms) best = &quote;
  }
  return best;
}

std::string cost_list(const std::vector<ConvolutionQuote>& quotes) {
  std::string text;
  for (const ConvolutionQuote& quote : quotes) {
    if (!text.empty()) text += ", ";
    text += quote.possible ? fmt::format("{} {:.3g} ms", to_string(quote.algorithm), quote.cost_ms)
                           : fmt::format("{} not possible: {}", to_string(quote.algorithm), quote.reason);
  }
  return text;
}

AlgorithmChoice forced(const std::vector<ConvolutionQuote>& quotes, Algorithm asked) {
  for (const ConvolutionQuote& quote : quotes) {
    if (quote.algorithm != asked) continue;
    if (!quote.possible) {
      throw InputError(fmt::format("convolution algorithm '{}' is not possible here: {}; use algorithm auto",
                                   to_string(asked), quote.reason));
    }
    return {asked, "asked for"};
  }
  throw InputError(fmt::format("convolution algorithm '{}' is not known to this backend; it offers {}",
                               to_string(asked), cost_list(quotes)));
}

/// Below kFftDynamicRange by this factor, a range by the noise of a sample settles what the range of all pixels would.
constexpr double kSure = 8;

/// The scatter of every eighth pixel of 64 rows, as 1.4826 times the median distance from the median; 0 where the image
/// is so small that all its pixels take no longer, or less than half of the sample is finite.
double sampled_noise(Backend& backend, const Plane& plane, const Job& job) {
  constexpr std::int64_t kRows = 64, kEvery = 8, kSmall = std::int64_t{1} << 20;
  const Shape shape = plane.shape();
  if (shape.count() < kSmall || shape.ny < kRows) return 0;
  std::vector<float> row(static_cast<std::size_t>(shape.nx)), sample;
  std::size_t looked_at = 0;
  for (std::int64_t k = 0; k < kRows; ++k) {
    backend.render_rows(MapKind::image, plane, nullptr, (2 * k + 1) * shape.ny / (2 * kRows), 1, row.data(), job);
    for (std::size_t x = static_cast<std::size_t>(k % kEvery); x < row.size(); x += kEvery, ++looked_at)
      if (std::isfinite(row[x])) sample.push_back(row[x]);
  }
  if (2 * sample.size() < looked_at) return 0;
  const auto middle = sample.begin() + static_cast<std::ptrdiff_t>(sample.size() / 2);
  std::ranges::nth_element(sample, middle);
  const float median = *middle;
  for (float& value : sample) value = std::abs(value - median);
  std::ranges::nth_element(sample, middle);
  return 1.4826 * static_cast<double>(*middle);
}

}  // namespace

AlgorithmChoice choose_algorithm(const std::vector<ConvolutionQuote>& quotes, std::optional<Algorithm> asked,
                                 double dynamic_range) {
  if (asked) return forced(quotes, *asked);
  const ConvolutionQuote* best = cheapest(quotes, true);
  if (best == nullptr) {
    throw InputError(fmt::format("no convolution algorithm is possible: {}", cost_list(quotes)));
  }
  if (best->algorithm == Algorithm::fft && dynamic_range > kFftDynamicRange) {
    const ConvolutionQuote* exact = cheapest(quotes, false);
    if (exact != nullptr && exact->cost_ms <= 20 * best->cost_ms) {
      return {exact->algorithm,
              fmt::format("the brightest pixel is {:.2g} times the noise, too much for a float FFT ({})", dynamic_range,
                          cost_list(quotes))};
    }
  }
  return {best->algorithm, "cheapest: " + cost_list(quotes)};
}

double dynamic_range(Backend& backend, const Plane& plane, const Job& job) {
  if (const std::optional<float> largest = backend.largest(plane, job)) {
    const double noise = sampled_noise(backend, plane, job);
    const double about = noise > 0 ? *largest / noise : std::numeric_limits<double>::infinity();
    if (about < kFftDynamicRange / kSure) return about;
  }
  const PlaneStatistics plain = backend.statistics(plane, StatisticsParts::all, job);
  const ClipStatistics clip = backend.clip(plane, {}, job);
  return std::max(std::abs(plain.max), std::abs(plain.min)) / clip.std;
}

std::optional<RangeChoice> choice_for_range(const std::vector<ConvolutionQuote>& quotes, double range) {
  if (!(range > kFftDynamicRange) || !std::isfinite(range)) return {};
  RangeChoice made{choose_algorithm(quotes, {}, range), ""};
  if (made.choice.algorithm == Algorithm::fft)
    made.warning = fmt::format(
        "the brightest pixel is {:.2g} times the noise: FFT convolution may err by {:.1g} of the noise near "
        "it; --algorithm direct does not",
        range, 1e-6 * range);
  return made;
}

}  // namespace reber
