// SPDX-License-Identifier: BSD-3-Clause
// Angles as hours or degrees, minutes and seconds: writing and reading.
#pragma once

#include <optional>
#include <string>

namespace reber {

/// "12:34:56.78" of a longitude in degrees, "-12:34:56.7" of a latitude; rounded, with carry; empty
/// for NaN.
[[nodiscard]] std::string sexagesimal_hours(double degrees, int decimals);
[[nodiscard]] std::string sexagesimal_degrees(double degrees, int decimals);

/// How an angle was written.
enum class AngleForm {
  number,   ///< 188.0099
  fields,   ///< 12:32:02.4, 12 32 02.4: of hours or of degrees, which the text does not say
  dots,     ///< 12.32.02.4, as CASA writes degrees: likewise
  hours,    ///< 12h32m02.4s
  degrees,  ///< 188d00m35.8s
  unit,     ///< 188.0099deg, 30", 5mas, 3.28rad
};

struct AngleText {
  AngleForm form = AngleForm::number;
  double value = 0;  ///< degrees; of `number`, `fields` and `dots` in the text's own first unit
};

/// One angle. Signs hold for all fields, -00:30:15 included. Minutes and seconds are below 60; seconds may be 60, to
/// which other programs round. Blanks part fields; beside letters and signs they say nothing.
///   empty where the text is no finite angle
[[nodiscard]] std::optional<AngleText> read_angle(const std::string& text);

}  // namespace reber
