// SPDX-License-Identifier: BSD-3-Clause
// Angles as hours or degrees, minutes and seconds.
#pragma once

#include <string>

namespace reber {

/// "12:34:56.78" of a longitude in degrees, "-12:34:56.7" of a latitude; rounded, with carry; empty
/// for NaN.
[[nodiscard]] std::string sexagesimal_hours(double degrees, int decimals);
[[nodiscard]] std::string sexagesimal_degrees(double degrees, int decimals);

}  // namespace reber
