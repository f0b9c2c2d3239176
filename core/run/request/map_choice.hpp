// SPDX-License-Identifier: BSD-3-Clause
// What is given in place of a background or a noise that is measured: a map or one value.
#pragma once

#include <string>

namespace reber {

/// A background or a noise as a user names it.
struct MapChoice {
  enum class Kind { measured, map, clipped, value } kind = Kind::measured;
  double value = 0;  ///< image unit
};

/// "": measured; "zero" or a number: that value; "const": that of the image's clipped pixels; else a map's path.
[[nodiscard]] MapChoice map_choice(const std::string& text);

}  // namespace reber
