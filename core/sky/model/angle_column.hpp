// SPDX-License-Identifier: BSD-3-Clause
// Columns of angles: longitudes and latitudes as numbers or as text, of one kind throughout.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/sky/model/catalogue.hpp"

namespace reber {

/// What a column of longitudes or latitudes holds.
struct AngleColumn {
  std::vector<double> degrees;       ///< NaN where a cell is empty or refused
  std::string unit;                  ///< the rule taken: "deg", "h:m:s", "d:m:s", or the unit that was given
  bool assumed = false;              ///< no unit was given, and the cells do not say
  std::vector<std::string> refused;  ///< "row 3: 'masked' is no angle"; rows from 1
};

/// Degrees of a unit: deg, arcmin, arcsec, mas, rad, hourangle and their spellings; empty for others.
[[nodiscard]] std::optional<double> degrees_per(const std::string& unit);

/// Numbers are degrees, or of the unit that is given. Text is of the kind that most of its cells have: numbers, which
/// are read in the same way; or two and three fields, which are hours for right ascensions and degrees for others, but
/// what the unit says; or hours and degrees with their letters. A cell of another kind, and one out of range, is
/// refused alone.
///   hours: two and three fields of it count hours where nothing else is said
[[nodiscard]] AngleColumn read_angles(const Column& column, bool latitude, bool hours, const std::string& unit);

}  // namespace reber
