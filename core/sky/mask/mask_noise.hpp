// SPDX-License-Identifier: BSD-3-Clause
// The noise that clean masks are cut at: from the least values of boxes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/shape.hpp"

namespace reber {

/// Noise from the least values of boxes (DDFacet's MakeMask, breizorro): -min(box)/r, where the least of box^2 values
/// of a normal distribution is below -r half of the time. The box reaches box/2 pixels down and left and the rest up
/// and right, mirrored at the border. Values below zero become 1e-10, then all below the median become the median.
///   box   at least 1;   NaN   pixels that are not finite do not count; a box without any other gives the median
[[nodiscard]] std::vector<float> noise_of_minima(std::span<const float> image, Shape shape, std::int64_t box);

}  // namespace reber
