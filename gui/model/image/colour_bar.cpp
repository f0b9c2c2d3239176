// SPDX-License-Identifier: BSD-3-Clause
// Ticks of a colour bar.
#include "gui/model/image/colour_bar.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace reber::gui {
namespace {

/// The way there through the stretch: the inverse of unstretched(). Not for the histogram's.
double stretched(const RenderSettings& r, double t) {
  switch (r.stretch) {
    case Stretch::log:
      return std::log1p(r.softness * t) / std::log1p(r.softness);
    case Stretch::sqrt:
      return std::sqrt(t);
    case Stretch::square:
      return t * t;
    case Stretch::asinh:
      return std::asinh(r.softness * t) / std::asinh(r.softness);
    case Stretch::power:
      return std::pow(t, r.power);
    case Stretch::linear:
    case Stretch::histogram:
      break;
  }
  return t;
}

/// Part of the colours that stands for a value; below 0 and above 1 beyond their ends.
double colour_part(double value, const RenderSettings& r) {
  const double t = (value - r.low) / (r.high - r.low);
  if (t < -1e-9 || t > 1 + 1e-9) return t < 0 ? -1 : 2;
  return (stretched(r, std::clamp(t, 0.0, 1.0)) - r.bias) * r.contrast + 0.5;
}

/// Ticks in the making: values in the unit of the bar.
struct Ticks {
  const RenderSettings& settings;
  double factor;
  std::vector<std::pair<double, std::string>> made;

  /// False where it stands outside, or nearer than `gap` to one before.
  bool add(double value, double gap, std::string text) {
    constexpr double kEdge = 1e-9;
    const double part = colour_part(value / factor, settings);
    if (!(part >= -kEdge && part <= 1 + kEdge)) return false;
    for (const auto& [other, label] : made)
      if (std::abs(other - part) < gap - kEdge) return false;
    made.emplace_back(std::clamp(part, 0.0, 1.0), std::move(text));
    return true;
  }
};

constexpr std::size_t kFew = 4;

/// 0 and 1, 5 and 2 times the powers of ten, in this order, then the numbers between where there is much room.
void add_decades(Ticks& ticks, double most, double gap) {
  constexpr int kDecades = 9;
  ticks.add(0, gap, "0");
  const int first = static_cast<int>(std::floor(std::log10(most)));
  const auto add_all = [&](double times, double room) {
    for (int k = first; k > first - kDecades; --k)
      for (const double sign : {1.0, -1.0}) {
        const double value = sign * times * std::pow(10.0, k);
        if (std::abs(value) <= most * (1 + 1e-9)) ticks.add(value, room, fmt::format("{:g}", value));
      }
  };
  for (const double times : {1.0, 5.0, 2.0}) add_all(times, gap);
  for (const double times : {8.0, 6.0, 4.0, 3.0}) add_all(times, 1.7 * gap);
}

/// Multiples of the least step of 1, 2 or 5 times a power of ten that keeps them apart; of a curved stretch those of
/// them that are apart, of the first step that has some.
void add_even(Ticks& ticks, double low, double high, double gap) {
  const double range = high - low;
  constexpr int kMost = 400;
  double power = std::pow(10.0, std::ceil(std::log10(range)));
  Ticks best{ticks.settings, ticks.factor, {}};
  for (int i = 0; i < 12; ++i) {
    const double step = power * (i % 3 == 0 ? 1 : i % 3 == 1 ? 0.5 : 0.2);
    if (i % 3 == 2) power /= 10;
    const int digits = std::max(0, static_cast<int>(std::ceil(-std::log10(step) - 1e-9)));
    const double first = std::ceil(low / step - 1e-9), last = std::floor(high / step + 1e-9);
    if (!(last - first < kMost)) break;
    Ticks now{ticks.settings, ticks.factor, {}};
    const bool curved = ticks.settings.stretch != Stretch::linear;
    bool apart = true;
    for (double k = first; k <= last && (apart || curved); ++k) {
      const double value = k * step;
      const bool plain = std::abs(value) < 1e7 && digits <= 9;
      apart = now.add(value, gap,
                      plain ? fmt::format("{:.{}f}", k == 0 ? 0 : value, k == 0 ? 0 : digits)
                            : fmt::format("{:.{}g}", value, digits_within(value, range, 3)));
    }
    if (!apart && !curved) break;
    best.made = std::move(now.made);
    if (curved && best.made.size() >= kFew) break;
  }
  if (best.made.size() > ticks.made.size()) ticks.made = std::move(best.made);
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

ColourBar colour_bar(const RenderSettings& settings, const Unit& unit, double gap) {
  const double low = settings.low, high = settings.high;
  const auto [name, factor] = unit.readable(std::max(std::abs(low), std::abs(high)));
  ColourBar bar{name, {}};
  if (!(high > low)) return bar;
  if (settings.stretch == Stretch::histogram) {
    for (const double end : {low, high})
      bar.ticks.emplace_back(end == low ? 0 : 1,
                             fmt::format("{:.{}g}", end * factor, digits_within(end, high - low, 3)));
    return bar;
  }
  const double from = colour_value(0, settings) * factor, to = colour_value(1, settings) * factor;
  if (!(to > from)) return bar;
  Ticks ticks{settings, factor, {}};
  if (settings.stretch != Stretch::linear) add_decades(ticks, std::max(std::abs(from), std::abs(to)), gap);
  if (ticks.made.size() < kFew) add_even(ticks, from, to, gap);
  std::ranges::sort(ticks.made);
  bar.ticks = std::move(ticks.made);
  return bar;
}

}  // namespace reber::gui
