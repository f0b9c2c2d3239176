// SPDX-License-Identifier: BSD-3-Clause
// Sky coordinates for tests of the viewer's models.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <string>

#include "core/sky/model/wcs.hpp"

namespace reber::gui {

/// A header's card of 80 characters.
inline std::string card(const std::string& key, const std::string& value) {
  std::string text = fmt::format("{:<8}= {:>20}", key, value);
  text.resize(80, ' ');
  return text;
}

/// A TAN system about (150, 30) degrees: `scale` degrees a pixel, turned by `angle`, middle at (cx, cy).
inline Wcs tangent(double scale, double angle_deg, double cx, double cy, bool galactic = false) {
  const double angle = angle_deg * std::numbers::pi / 180;
  const double c = scale * std::cos(angle), s = scale * std::sin(angle);
  std::string cards;
  cards +=
      card("CTYPE1", galactic ? "'GLON-TAN'" : "'RA---TAN'") + card("CTYPE2", galactic ? "'GLAT-TAN'" : "'DEC--TAN'");
  cards += card("CRPIX1", fmt::format("{}", cx + 1)) + card("CRPIX2", fmt::format("{}", cy + 1));
  // ICRS (150, 30) in galactic coordinates.
  cards += card("CRVAL1", galactic ? "200.0" : "150.0") + card("CRVAL2", galactic ? "51.0" : "30.0");
  cards += card("CD1_1", fmt::format("{}", -c)) + card("CD1_2", fmt::format("{}", s));
  cards += card("CD2_1", fmt::format("{}", s)) + card("CD2_2", fmt::format("{}", c));
  cards += card("CUNIT1", "'deg'") + card("CUNIT2", "'deg'");
  if (!galactic) cards += card("RADESYS", "'ICRS'");
  std::string end = "END";
  end.resize(80, ' ');
  return Wcs::parse(cards + end, 0, 1, {1, 1}, 2, 200, 200);
}

}  // namespace reber::gui
