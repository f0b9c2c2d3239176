// SPDX-License-Identifier: BSD-3-Clause
// Spectral axes, taken as linear.
#include "core/model/spectral.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <string>

namespace reber {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kLightSpeed = 299792458.0;  // m/s
constexpr int kMaxWcsAxes = 16;

/// Frequency from one spectral axis taken as linear; NaN where it is none.
double axis_frequency(const fits::CardTable& table, int axis, double pixel, double rest) {
  std::string type = table.string(fmt::format("CTYPE{}", axis)).value_or("");
  std::transform(type.begin(), type.end(), type.begin(), [](unsigned char c) { return std::toupper(c); });
  type = type.substr(0, 4);
  std::string unit = table.string(fmt::format("CUNIT{}", axis)).value_or("");
  std::transform(unit.begin(), unit.end(), unit.begin(), [](unsigned char c) { return std::tolower(c); });
  const double reference = table.number(fmt::format("CRPIX{}", axis)).value_or(0);
  const double step =
      table.number(fmt::format("CDELT{}", axis)).value_or(table.number(fmt::format("CD{0}_{0}", axis)).value_or(1));
  double value = table.number(fmt::format("CRVAL{}", axis)).value_or(0) + (pixel - reference) * step;
  if (type == "FREQ") {
    const double scale = unit == "ghz" ? 1e9 : unit == "mhz" ? 1e6 : unit == "khz" ? 1e3 : 1;
    return value * scale;
  }
  if (type == "WAVE") {
    const double scale = unit == "mm" ? 1e-3 : unit == "cm" ? 1e-2 : 1;
    return kLightSpeed / (value * scale);
  }
  if (unit == "km/s" || unit == "km s-1") value *= 1e3;
  if (type == "VRAD") return rest * (1 - value / kLightSpeed);
  if (type == "VOPT") return rest / (1 + value / kLightSpeed);
  return kNaN;
}

}  // namespace

double find_frequency(const fits::CardTable& table, int naxis, const std::vector<double>& fixed_pixel) {
  const auto usable = [](double f) { return std::isfinite(f) && f > 0; };
  const double rest = table.number("RESTFRQ").value_or(table.number("RESTFREQ").value_or(kNaN));
  for (int axis = 1; axis <= kMaxWcsAxes; ++axis) {
    // An axis beyond NAXIS stands at its reference pixel.
    const bool in_image = axis <= naxis && axis <= static_cast<int>(fixed_pixel.size());
    const double pixel = in_image ? fixed_pixel[static_cast<std::size_t>(axis - 1)]
                                  : table.number(fmt::format("CRPIX{}", axis)).value_or(0);
    const double frequency = axis_frequency(table, axis, pixel, rest);
    if (usable(frequency)) return frequency;
  }
  const double stated = table.number("FREQ").value_or(kNaN);
  if (usable(stated)) return stated;
  return usable(rest) ? rest : kNaN;
}

}  // namespace reber
