// SPDX-License-Identifier: BSD-3-Clause
// What the header of an image says.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/shape.hpp"
#include "core/sky/model/beam.hpp"
#include "core/sky/model/unit.hpp"
#include "core/sky/model/wcs.hpp"

namespace reber {

/// One header-data unit as a listing shows it.
struct HduInfo {
  int index = 0;                   ///< 0 for the primary
  std::string kind;                ///< "image", "compressed image", "binary table", "table"
  std::string name;                ///< EXTNAME
  int bitpix = 0;                  ///< 0 where it has no pixels
  std::vector<std::int64_t> axes;  ///< NAXIS1 first
};

/// What the header says of the chosen plane. Text from the file is as stored: escape it for the sink it goes to.
struct ImageHeader {
  std::string path;
  int hdu = 0;
  std::vector<HduInfo> hdus;
  std::vector<std::int64_t> axes;  ///< all axes of the HDU, NAXIS1 first
  int x_axis = 0, y_axis = 1;      ///< which of them are x and y (0-based)
  Shape shape;                     ///< of one plane
  std::int64_t planes = 1;         ///< product of the other axes
  std::int64_t plane = 0;          ///< the one this header speaks of, 0-based
  int bitpix = -32;
  std::string object, telescope, date_obs;
  Unit unit;
  std::optional<Beam> beam;  ///< restoring beam of the plane; empty where the header has no usable one
  std::vector<std::optional<Beam>> plane_beams;  ///< CASA's table of beams: one a plane; empty where there is none
  std::string beam_note;  ///< where it came from, or why there is none (names the keyword and its value)
  Wcs wcs;
  std::vector<std::string> cards;     ///< the HDU's 80-character cards, END left out
  std::vector<std::string> warnings;  ///< each names the keyword or the fact that it is about

  /// M = d(east, north)/d(x, y) in degrees per pixel at the middle of the plane; empty where that is off the sky.
  [[nodiscard]] std::optional<Matrix2> centre_geometry() const { return wcs.centre_geometry(shape); }
};

}  // namespace reber
