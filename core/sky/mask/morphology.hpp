// SPDX-License-Identifier: BSD-3-Clause
// Masks grown and shrunk.
#pragma once

#include "core/sky/mask/mask.hpp"

namespace reber {

/// Every pixel within `radius` pixels of one that is inside becomes inside, as a mask of ones.
void dilate(Mask& mask, double radius);
/// `rounds` times: a pixel stays inside where its four neighbours are inside; beyond the border is outside.
void erode(Mask& mask, int rounds);

}  // namespace reber
