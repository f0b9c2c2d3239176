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

/// The cheapest possible quote, or the one asked for. dynamic_range: peak over noise where known (0 if not); above
/// kFftDynamicRange an FFT is not chosen by itself where another algorithm is possible within 20 times its cost,
/// because its rounding error follows the brightest pixel of a tile.
///   throws InputError where the asked-for algorithm is not possible, with the quote's reason
[[nodiscard]] AlgorithmChoice choose_algorithm(const std::vector<ConvolutionQuote>& quotes,
                                               std::optional<Algorithm> asked, double dynamic_range);

inline constexpr double kFftDynamicRange = 1e5;

}  // namespace reber
