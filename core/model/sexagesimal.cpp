// SPDX-License-Identifier: BSD-3-Clause
// Rounded once, in the smallest unit shown, so that a carry runs through.
#include "core/model/sexagesimal.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>

namespace reber {
namespace {

std::string sexagesimal(double seconds, int decimals, bool wrap_at_day) {
  const auto scale = static_cast<std::int64_t>(std::llround(std::pow(10, decimals)));
  auto units = static_cast<std::int64_t>(std::llround(seconds * static_cast<double>(scale)));
  if (wrap_at_day) units %= 86400 * scale;
  const std::int64_t whole = units / scale;
  std::string text = fmt::format("{:02}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
  if (decimals > 0) text += fmt::format(".{:0{}}", units % scale, decimals);
  return text;
}

}  // namespace

std::string sexagesimal_hours(double degrees, int decimals) {
  return std::isfinite(degrees) ? sexagesimal(degrees * 240, decimals, true) : std::string();
}

std::string sexagesimal_degrees(double degrees, int decimals) {
  if (!std::isfinite(degrees)) return {};
  return fmt::format("{}{}", degrees < 0 ? '-' : '+', sexagesimal(std::abs(degrees) * 3600, decimals, false));
}

}  // namespace reber
