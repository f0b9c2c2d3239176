// SPDX-License-Identifier: BSD-3-Clause
// From one unit of brightness to another.
#pragma once

#include <optional>
#include <string>

#include "core/sky/model/image_header.hpp"

namespace reber {

/// What a brightness is converted with.
struct BrightnessBasis {
  std::optional<Beam> beam;
  double frequency_hz = 0;  ///< not above 0, and NaN: unknown
  double pixel_deg2 = 0;    ///< area of a pixel, square degrees; not above 0, and NaN: unknown
};

/// Exactly one of the two is set.
struct BrightnessFactor {
  std::optional<double> times;
  std::string why_not;  ///< a sentence without its full stop
};

/// What a value in `from` is multiplied with to be in `to`. The way is through I in Jy/sr:
///   Jy/beam = I Omega, Omega = pi major minor / (4 ln 2) of a Gaussian's FWHM (Condon and Ransom 2016, eq. 3.118);
///   Jy/pixel = I times the solid angle of the pixel;
///   K = I c^2 / (2 k nu^2), the Rayleigh-Jeans brightness temperature (Condon and Ransom 2016, eq. 2.33).
/// Units of one kind need nothing. Refused: unknown units, units summed over different things, a temperature summed
/// over a line (which does not tell at which frequency), and what the basis lacks.
[[nodiscard]] BrightnessFactor brightness_factor(const Unit& from, const Unit& to, const BrightnessBasis& basis);

/// Of an image of that beam. The area is that of the middle pixel, and NaN where areas over the image differ from it by
/// more than a part in a thousand. Brightness per beam takes the pixels of SIN and NCP for alike, as the beam in pixels
/// is.
[[nodiscard]] BrightnessBasis brightness_basis(const ImageHeader& header, const std::optional<Beam>& beam);

}  // namespace reber
