// SPDX-License-Identifier: BSD-3-Clause
// Exact quantiles of a map that is walked over twice and never held.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace reber {

/// Hands every value to its argument, the same ones each time, in pieces of any length.
using ValueWalk = std::function<void(const std::function<void(std::span<const float>)>& take)>;

/// For each part p from 0 to 1 the value of rank floor(p (n - 1)) of the n finite values in rising order, counted from
/// 0; NaN where there is none. Two walks: the upper halves of the floats' bits are counted first, then the lower halves
/// of those that the ranks fall on.
[[nodiscard]] std::vector<double> exact_quantiles(const ValueWalk& walk, std::span<const double> parts);

}  // namespace reber
