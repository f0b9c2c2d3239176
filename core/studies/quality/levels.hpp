// SPDX-License-Identifier: BSD-3-Clause
// Levels: where a metric passes, where it is uncertain, and beyond which it fails.
#pragma once

#include <limits>
#include <map>
#include <string>
#include <string_view>

namespace reber {

/// Both ends are included.
struct Interval {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  [[nodiscard]] bool holds(double value) const { return value >= low && value <= high; }
  bool operator==(const Interval&) const = default;
};

struct Level {
  Interval pass;
  Interval uncertain;  ///< holds `pass`; what is in neither fails
};

struct Levels {
  std::string name;
  /// A metric is judged by the value that lies so many of its own errors nearer to passing.
  double errors = 1;
  std::map<std::string, Level, std::less<>> of;  ///< by a metric's name; one without a level is told, not judged
};

/// Levels by the name of a set that Reber ships ("default", "askap"), or from a TOML or JSON file.
///   throws InputError: a metric that there is not, an interval that is none; DataError: no such file
[[nodiscard]] Levels read_levels(const std::string& name_or_path);
/// The file of a set that Reber ships, as TOML; empty where there is no such set.
[[nodiscard]] std::string_view shipped_levels(std::string_view name);

}  // namespace reber
