// SPDX-License-Identifier: BSD-3-Clause
// The choice of the algorithm is looked at again when the brightest pixel is known.
#include "core/pipeline/bright_sources.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace reber {

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
