// SPDX-License-Identifier: BSD-3-Clause
// What is subtracted before sources are looked for: a map, a constant, or what is measured.
#pragma once

#include <optional>
#include <string>

namespace reber {

/// The background's mean as a user names it.
struct MeanChoice {
  enum class Kind { measured, map, clipped, value } kind = Kind::measured;
  double value = 0;  ///< image unit
};

/// "": measured; "zero" or a number: that value; "const": the median of the image's clipped pixels; else a map's path.
[[nodiscard]] MeanChoice mean_choice(const std::string& text);

}  // namespace reber
