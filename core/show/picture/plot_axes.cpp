// SPDX-License-Identifier: BSD-3-Clause
// Ranges, ticks and grids of plots.
#include "core/show/picture/plot_axes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace reber::plot {

bool Scale::shows(double v) const { return std::isfinite(v) && (!logarithmic || v > 0); }

double Scale::at(double v) const {
  const double part = logarithmic ? std::log(v / low) / std::log(high / low) : (v - low) / (high - low);
  return from + part * (to - from);
}

std::vector<Tick> Scale::ticks(int wanted) const {
  if (!marks.empty()) {
    std::vector<Tick> ticks;
    for (const double value : marks) ticks.push_back({value, value, fmt::format("{:.10g}", value)});
    return ticks;
  }
  if (!logarithmic) return round_ticks(low, high, wanted);
  std::vector<Tick> decades = decade_ticks(low, high);
  // Within less than two decades the powers of ten are too few.
  if (decades.size() < 2) {
    for (const double m : {2.0, 5.0}) {
      for (int k = static_cast<int>(std::floor(std::log10(low))); k <= std::log10(high); ++k) {
        const double value = m * std::pow(10.0, k);
        if (value >= low && value <= high) decades.push_back({value, value, fmt::format("{:g}", value)});
      }
    }
  }
  return decades;
}

Scale range_of(const std::vector<double>& values, bool logarithmic) {
  Scale scale;
  scale.logarithmic = logarithmic;
  double low = INFINITY, high = -INFINITY;
  for (const double v : values) {
    if (!scale.shows(v)) continue;
    low = std::min(low, v);
    high = std::max(high, v);
  }
  if (!(low <= high)) {
    low = logarithmic ? 1 : 0;
    high = logarithmic ? 10 : 1;
  }
  if (logarithmic) {
    const double room = std::pow(high / low, 0.04) * 1.02;
    scale.low = low / room;
    scale.high = high * room;
    return scale;
  }
  const double room = high > low ? 0.04 * (high - low) : std::max(1e-12, 0.5 * std::abs(high));
  scale.low = low >= 0 && low < 0.3 * high ? 0 : low - room;
  scale.high = high + room;
  return scale;
}

void fine_grid(Canvas& canvas, const Scale& scale, bool vertical, double a, double b) {
  if (!scale.logarithmic || std::log10(scale.high / scale.low) > 5) return;
  for (int k = static_cast<int>(std::floor(std::log10(scale.low))); k <= std::log10(scale.high); ++k) {
    for (int m = 2; m < 10; ++m) {
      const double value = m * std::pow(10.0, k);
      if (value < scale.low || value > scale.high) continue;
      const double at = scale.at(value);
      if (vertical) canvas.line({at, a}, {at, b}, kFineGrid);
      if (!vertical) canvas.line({a, at}, {b, at}, kFineGrid);
    }
  }
}

void draw_axes(Canvas& canvas, const Scale& x, const Scale& y, int x_ticks, int y_ticks) {
  fine_grid(canvas, x, true, y.from, y.to);
  fine_grid(canvas, y, false, x.from, x.to);
  for (const Tick& tick : x.ticks(x_ticks)) {
    const double at = x.at(tick.value);
    canvas.line({at, y.from}, {at, y.to}, kGrid);
    canvas.line({at, y.from}, {at, y.from + 6}, kBlack);
    canvas.text({at, y.from + 21}, tick.label, kText, kBlack, Align::centre);
  }
  for (const Tick& tick : y.ticks(y_ticks)) {
    const double at = y.at(tick.value);
    canvas.line({x.from, at}, {x.to, at}, kGrid);
    canvas.line({x.from - 6, at}, {x.from, at}, kBlack);
    canvas.text({x.from - 12, at}, tick.label, kText, kBlack, Align::right);
  }
}

}  // namespace reber::plot
