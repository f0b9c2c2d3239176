// SPDX-License-Identifier: BSD-3-Clause
// Grids on the sky, for tests of resampling.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <string>

#include "core/base/shape.hpp"
#include "core/sky/model/wcs.hpp"

namespace reber::testing {

/// Equatorial, its reference point in the middle.
inline Wcs grid_wcs(const std::string& projection, double lon, double lat, double pixel_deg, double turn, Shape shape) {
  std::string cards;
  const double angle = turn * M_PI / 180;
  for (std::string card :
       {fmt::format("CTYPE1  = 'RA---{}'", projection), fmt::format("CTYPE2  = 'DEC--{}'", projection),
        fmt::format("CRPIX1  = {}", shape.nx / 2 + 1), fmt::format("CRPIX2  = {}", shape.ny / 2 + 1),
        fmt::format("CDELT1  = {:.15f}", -pixel_deg), fmt::format("CDELT2  = {:.15f}", pixel_deg),
        fmt::format("CRVAL1  = {:.10f}", lon), fmt::format("CRVAL2  = {:.10f}", lat),
        fmt::format("PC1_1   = {:.15f}", std::cos(angle)), fmt::format("PC1_2   = {:.15f}", std::sin(angle)),
        fmt::format("PC2_1   = {:.15f}", -std::sin(angle)), fmt::format("PC2_2   = {:.15f}", std::cos(angle)),
        std::string("RADESYS = 'ICRS'"), std::string("END")}) {
    card.resize(80, ' ');
    cards += card;
  }
  return Wcs::parse(cards, 0, 1, {1, 1}, 2, static_cast<double>(shape.nx), static_cast<double>(shape.ny));
}

}  // namespace reber::testing
