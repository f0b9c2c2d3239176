// SPDX-License-Identifier: BSD-3-Clause
// Which convolution algorithm to use, and why, from a backend's quotes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/compute/convolution.hpp"

namespace reber {

struct AlgorithmChoice {
  Algorithm algorithm = Algorithm::direct;
  std::string reason;  ///< in words: the costs compared, or that the user forced it
};

/// The cheapest possible quote, or the one asked for. Above kFftDynamicRange an FFT is not chosen by itself if another
/// algorithm costs less than 20 times as much: an FFT's rounding error follows the brightest pixel of a tile.
/// dynamic_range  peak over noise; 0 where unknown
///   throws InputError where the asked-for algorithm is not possible, with the quote's reason
[[nodiscard]] AlgorithmChoice choose_algorithm(const std::vector<ConvolutionQuote>& quotes,
                                               std::optional<Algorithm> asked, double dynamic_range);

inline constexpr double kFftDynamicRange = 1e5;

}  // namespace reber
