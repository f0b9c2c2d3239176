// SPDX-License-Identifier: BSD-3-Clause
// How many decimals a position or a size needs.
#pragma once

#include <algorithm>
#include <cmath>

namespace reber {

/// The usual decimals where their last one is no more than `resolution`; else as many as show a hundredth of it.
///   resolution  what is to be told apart, in the unit of the number: a pixel, or part of a source; not positive:
///   unknown returns     at most 20
inline int decimals_for(double resolution, int usual) {
  if (!(resolution > 0) || resolution >= std::pow(10.0, -usual)) return usual;
  return std::min(20, static_cast<int>(std::ceil(-std::log10(resolution))) + 2);
}

}  // namespace reber
