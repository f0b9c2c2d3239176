// SPDX-License-Identifier: BSD-3-Clause
// Ticks of a colour bar.
#include "gui/model/image/colour_bar.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace reber::gui {
namespace {

constexpr int kTickDigits = 3;

std::string tick_text(double value, double range) {
  if (!(range > 0)) return fmt::format("{:.4g}", value);
  const int digits = std::clamp(static_cast<int>(std::ceil(2 - std::log10(range) - 1e-9)), 0, 9);
  const bool plain = std::abs(value) < 1e5 && range > 1e-6;
  std::string text = plain ? fmt::format("{:.{}f}", value, digits)
                           : fmt::format("{:.{}g}", value, digits_within(value, range, kTickDigits));
  if (text.find_first_not_of("-0.") == std::string::npos) text.assign(1, '0');
  return text;
}

}  // namespace

int digits_within(double size, double range, int least) {
  constexpr double kMost = 9;  // floats hold no more
  const double times = std::abs(size) / range;
  if (!(range > 0) || !(times > 1)) return least;
  return std::max(least, static_cast<int>(std::min(kMost, std::ceil(std::log10(times)) + 3)));
}

double colour_value(double part, const RenderSettings& r) {
  const double contrast = std::max(r.contrast, 1e-3);
  const double s = std::clamp((part - 0.5) / contrast + r.bias, 0.0, 1.0);
  return r.low + (r.high - r.low) * unstretched({r.stretch, r.softness, r.power}, s);
}

ColourBar colour_bar(const RenderSettings& settings, const Unit& unit) {
  const double low = settings.low, high = settings.high;
  const auto [name, factor] = unit.readable(std::max(std::abs(low), std::abs(high)));
  ColourBar bar{name, {}};
  const int ticks = settings.stretch == Stretch::histogram ? 2 : 5;
  for (int i = 0; i < ticks; ++i) {
    const double part = static_cast<double>(i) / (ticks - 1);
    const double value = ticks == 2 ? (i == 0 ? low : high) : colour_value(part, settings);
    bar.ticks.emplace_back(part, tick_text(value * factor, (high - low) * factor));
  }
  return bar;
}

}  // namespace reber::gui
