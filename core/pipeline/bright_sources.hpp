// SPDX-License-Identifier: BSD-3-Clause
// An FFT's rounding follows the brightest pixel of a tile: what that means for the algorithm, once pixels are there.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/compute/backend.hpp"
#include "core/plan/algorithm_choice.hpp"

namespace reber {

/// Largest absolute value over the clipped standard deviation; not finite where there is no noise.
[[nodiscard]] double dynamic_range(Backend& backend, const Plane& plane, const Job& job = {});

struct RangeChoice {
  AlgorithmChoice choice;
  std::string warning;  ///< where it is an FFT all the same; else empty
};

/// The choice made anew for such a range of pixels; nothing where the range is within kFftDynamicRange or unknown.
[[nodiscard]] std::optional<RangeChoice> choice_for_range(const std::vector<ConvolutionQuote>& quotes, double range);

}  // namespace reber
