// SPDX-License-Identifier: BSD-3-Clause
// Sky positions as text and back: sexagesimal or degrees, with digits enough to tell neighbouring pixels apart.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "core/sky/model/sky_frames.hpp"

namespace reber {

/// How positions are shown.
struct CoordinateStyle {
  SkySystem system;
  bool sexagesimal = true;  ///< hours for right ascension, degrees for the rest; else decimal degrees
  bool one_based = false;   ///< pixel numbers as FITS counts them

  friend bool operator==(const CoordinateStyle&, const CoordinateStyle&) = default;
};

/// Smallest distance on the sky that one pixel step in x or y makes at (x, y), degrees; NaN off the sky.
[[nodiscard]] double pixel_step_deg(const Wcs& wcs, double x, double y);

/// Longitude and latitude as text. step_deg: distance that must be told apart; the last digit is worth at most a tenth
/// of it (an hour's digit counts 15 times). Hours run to 24, signs are on every latitude, 60 never appears.
///   not finite: two dashes.   A step that is not positive reads as 0.1 arcsec.
[[nodiscard]] std::array<std::string, 2> position_text(const SkyPosition& position, const CoordinateStyle& style,
                                                       double step_deg);

/// An angular size in the unit that reads best: 12.3", 4.56', 1.23 deg.
[[nodiscard]] std::string angle_text(double degrees);

/// What a typed place means.
struct TypedPlace {
  std::optional<PixelPosition> pixel;  ///< 0-based
  std::optional<SkyPosition> sky;
  SkySystem system;                ///< of sky
  std::optional<double> size_deg;  ///< width of the field asked for
  std::optional<double> size_px;
};

/// Reads "12:34:56.7 -12:34:56", "12h34m56.7s -12d34m56s", "187.5 12.5", "pixel 100 200", "gal 120.5 -3", each with an
/// optional size at the end: 5', 30", 2d, 10arcmin, 3arcsec, 1deg, or 200px (a bare number is degrees on the sky,
/// pixels with pixels). Commas are spaces. Frame words: icrs, fk5, j2000, fk4, b1950, gal, galactic, ecl, ecliptic; the
/// style's system and pixel base without one. Two fields with colons or h are hours, then degrees, in equatorial
/// frames.
///   throws InputError saying what was not understood
[[nodiscard]] TypedPlace parse_place(const std::string& text, const CoordinateStyle& style);

/// One angle in degrees: "12.5", "12:34:56", "12h34m56s" (hours), "-12d34m56s", "-12.34.56.7" (CASA), "1.5rad", "5'",
/// "3arcsec"; hours: colons mean hours.   empty where it is none
[[nodiscard]] std::optional<double> parse_angle(const std::string& text, bool hours);

}  // namespace reber
