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
  double factor = 1;  ///< value x factor = value in Jy/beam, Jy/pixel, Jy/sr or K
  std::string text;   ///< as found in the header

  /// Reads the usual spellings: JY/BEAM, Jy beam-1, Jy/bm, mJy/beam, uJy/beam, Jy/pixel, MJy/sr, K, mK ...
  static Unit parse(const std::string& text);

  /// The name of the unit without its prefix: "Jy/beam", "K", or the text itself where it is unknown.
  [[nodiscard]] std::string name() const;

  /// The unit with the prefix that reads best for values of this magnitude ("mJy/beam"), and what to multiply a value
  /// of the image with to be in it. An unknown unit stays as it is, with 1.
  [[nodiscard]] std::pair<std::string, double> readable(double magnitude) const;
};

}  // namespace reber
