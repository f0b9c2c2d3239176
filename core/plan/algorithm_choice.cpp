// SPDX-License-Identifier: BSD-3-Clause
// The cheapest algorithm, unless one was asked for or the image is too bright for float FFTs.
#include "core/plan/algorithm_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

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
