// SPDX-License-Identifier: BSD-3-Clause
// Which numbers are taken, in the unit that users see.
#pragma once

#include <string>

namespace reber {

/// No number of a run is above this, or below its negative: a larger one is a slip, and would overflow somewhere.
inline constexpr double kMostNumber = 1e9;

/// Which values are taken, in the unit that users see. Numbers alone have one.
struct Range {
  double low = -kMostNumber;
  double high = kMostNumber;
  bool above = false;                            ///< low itself is refused
  bool odd = false;                              ///< whole numbers: the odd ones
  [[nodiscard]] bool holds(double value) const;  ///< false for NaN
  /// "0 to 1", "above 0"; empty where all values are taken. That no number is above kMostNumber is not said.
  [[nodiscard]] std::string text() const;
  /// What a value that is not taken is told: text(), or the end that it passes where text() does not name it.
  [[nodiscard]] std::string expected(double value) const;
};

}  // namespace reber
