// SPDX-License-Identifier: BSD-3-Clause
// Smoothing scales of the detection as text: "0,3,6" in pixels, "0b,1b,2b" in beams.
#pragma once

#include <string>

#include "core/run/request/request.hpp"

namespace reber {

/// No FWHM of a scale is above this, in pixels or beams.
inline constexpr double kMostScale = 1000;

/// Sets fwhm and in_beams; wavelets stay 0. Empty text: no scales.   throws InputError: no number between 0 and 1000,
/// or pixels and beams mixed
[[nodiscard]] ScaleRequest parse_scales(const std::string& text);
/// The same as text that parse_scales reads back; wavelets are left out.
[[nodiscard]] std::string scales_text(const ScaleRequest& scales);

}  // namespace reber
