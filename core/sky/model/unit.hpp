// SPDX-License-Identifier: BSD-3-Clause
// The brightness unit of an image, read from BUNIT.
#pragma once

#include <string>
#include <utility>

namespace reber {

/// A parsed BUNIT. Unknown text is kept as it stands and makes every flux conversion fail: never a guess.
struct Unit {
  enum class Kind { jy_per_beam, jy_per_pixel, jy_per_sr, kelvin, unknown };

  Kind kind = Kind::unknown;
  double factor = 1;       ///< value x factor = value in Jy/beam, Jy/pixel, Jy/sr or K, times `spectral`
  std::string text;        ///< as found in the header
  bool per_pixel = false;  ///< whether a value is of a pixel's area, whatever of: Jy/pixel, counts/pix
  std::string spectral;    ///< what the brightness is summed over: "km/s", "Hz" or "m"; empty where it is not

  /// Reads the units of the FITS standard in any order and with any prefix (beam-1 Jy, Jy/beam km/s, mJy/arcsec2,
  /// W m-2 Hz-1 sr-1) by WCSLIB's grammar, and other usual spellings of their words: JY/BEAM, Jy/bm, KELVIN, K (Tb) ...
  ///   throws  what call_wcslib() throws
  static Unit parse(const std::string& text);

  /// The name of the unit without its prefix: "Jy/beam", "Jy beam-1 km s-1", "K", or the text where it is unknown.
  [[nodiscard]] std::string name() const;
  /// The unit of a sum over an area: "Jy", "Jy km/s".
  [[nodiscard]] std::string total_name() const;

  /// Whether both hold values of one kind, up to a factor. Unknown units are never alike.
  [[nodiscard]] bool alike(const Unit& other) const {
    return kind != Kind::unknown && kind == other.kind && spectral == other.spectral;
  }
  /// Whether a sum needs the area of the pixels.
  [[nodiscard]] bool per_solid_angle() const { return kind == Kind::jy_per_sr || kind == Kind::kelvin; }

  /// The unit with the prefix that reads best for values of this magnitude ("mJy/beam"), and what to multiply a value
  /// of the image with to be in it. An unknown unit stays as it is, with 1.
  [[nodiscard]] std::pair<std::string, double> readable(double magnitude) const;
};

}  // namespace reber
