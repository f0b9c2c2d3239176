// SPDX-License-Identifier: BSD-3-Clause
// The coordinates of an image, turned to a coarser grid of its pixels.
#pragma once

#include <array>
#include <string>

namespace reber::fits {

/// A pixel p of the coarse grid lies at first + step (p - 1) of the image, both 1-based.
struct CoarseAxis {
  double first = 1, step = 1;
};

/// The cards with CRPIX, CDELT, CD, PC (all alternatives) and SIP coefficients of both axes for the coarse grid; the
/// others as they are. An axis with a CTYPE and no scale gets one.
[[nodiscard]] std::string coarse_cards(const std::string& cards, const std::array<CoarseAxis, 2>& axes);

}  // namespace reber::fits
