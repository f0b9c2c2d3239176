// SPDX-License-Identifier: BSD-3-Clause
// Marks of a catalogue's rows whose size or colour follows a column.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/sky/model/catalogue.hpp"

namespace reber::gui {

enum class MarkScaling { linear, log, sqrt };
inline constexpr std::array<const char*, 3> kMarkScalingNames{"linear", "log", "sqrt"};

/// Which column is followed, and how. With t = (v - low) / (high - low), 0 and 1 beyond its ends:
///   linear: t; sqrt: the root of t; log: log(v / low) / log(high / low), where values that are not positive are none
struct MarkAxis {
  std::string column;  ///< empty: none is followed
  MarkScaling scaling = MarkScaling::linear;
  bool own_limits = false;  ///< low and high were given; else they are the column's least and largest value
  double low = 0, high = 1;
  bool operator==(const MarkAxis&) const = default;
};

struct MarkLook {
  MarkAxis size, colour;
  double least = 3, most = 15;  ///< radius of a circle at 0 and at 1, canvas points at scale 1
  std::string colour_map = "viridis";
  [[nodiscard]] bool on() const { return !size.column.empty() || !colour.column.empty(); }
  bool operator==(const MarkLook&) const = default;
};
/// A number that tells two looks apart.
[[nodiscard]] std::uint64_t look_key(const MarkLook& look);

/// A column's values as parts of the scale.
struct MarkParts {
  std::string title;         ///< "Total_flux (Jy)"
  double low = 0, high = 0;  ///< in force; NaN where no row has a value
  std::vector<float> part;   ///< of each row, 0 to 1; NaN without a value. Empty where the catalogue lacks the column
};
/// Rows without a finite number have no value; where low and high are one, the others are at one half.
[[nodiscard]] MarkParts mark_parts(const Catalogue& catalogue, const MarkAxis& axis);
/// The value that lies at a part of the scale: the way back. The limits are those in force.
[[nodiscard]] double mark_value(const MarkAxis& axis, const MarkParts& limits, double part);

/// Names of the columns of numbers.
[[nodiscard]] std::vector<std::string> number_columns(const Catalogue& catalogue);

}  // namespace reber::gui
