// SPDX-License-Identifier: BSD-3-Clause
// Which convolution algorithm to use, and why, from a backend's quotes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/seam/compute/backend.hpp"
#include "core/seam/compute/convolution.hpp"

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

/// Largest absolute value over the clipped standard deviation (where far below the limit, over the scatter of a
/// sample).
[[nodiscard]] double dynamic_range(Backend& backend, const Plane& plane, const Job& job = {});

struct RangeChoice {
  AlgorithmChoice choice;
  std::string warning;  ///< where it is an FFT all the same; else empty
};

/// The choice made anew for such a range of pixels; nothing where the range is within kFftDynamicRange or unknown.
[[nodiscard]] std::optional<RangeChoice> choice_for_range(const std::vector<ConvolutionQuote>& quotes, double range);

}  // namespace reber
