// SPDX-License-Identifier: BSD-3-Clause
// The frequency of an image plane.
#pragma once

#include <vector>

#include "core/model/fits_cards.hpp"

namespace reber {

/// Frequency in Hz of the plane at `fixed_pixel`: of a linear FREQ, WAVE, VRAD or VOPT axis, else the FREQ keyword,
/// else RESTFRQ or RESTFREQ; NaN where unknown. fixed_pixel  1-based, one entry per axis; axes beyond naxis stand at
/// their reference pixel
[[nodiscard]] double find_frequency(const fits::CardTable& table, int naxis, const std::vector<double>& fixed_pixel);

}  // namespace reber
