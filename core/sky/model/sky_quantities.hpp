// SPDX-License-Identifier: BSD-3-Clause
// The names by which programs and surveys call what SkyList holds.
#pragma once

#include <vector>

#include "core/sky/model/sky_list.hpp"

namespace reber::sky {

enum class Kind { text, longitude, latitude, angle, error, pixel, flux, plain };

/// A name by which a quantity goes, and its unit where the file has none.
struct Alias {
  const char* name;  ///< lower case
  const char* unit;  ///< empty: of the kind's default
  double factor;     ///< 2 for half widths and the like
};

struct Quantity {
  const char* key;
  const char* text;  ///< for reports
  Kind kind;
  std::vector<double> SkyList::*into;
  std::vector<Alias> aliases;  ///< the first that is there serves
};

/// In the order of SkyList's members.
[[nodiscard]] const std::vector<Quantity>& quantities();

}  // namespace reber::sky
