// SPDX-License-Identifier: BSD-3-Clause
// Line plots and bar charts.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/error.hpp"
#include "core/io/canvas.hpp"
#include "core/io/picture.hpp"
#include "core/io/sky_axes.hpp"

namespace reber {
namespace {

constexpr Ink kBlack{25, 25, 28, 1};
constexpr Ink kWhite{255, 255, 255, 1};
constexpr Ink kGrid{222, 224, 228, 1};
constexpr Ink kFineGrid{240, 241, 243, 1};
/// Colours that stay apart for colour-blind readers (Okabe and Ito 2008), then darker ones.
constexpr std::array<Ink, 8> kColours = {{{0, 114, 178, 1},
                                          {213, 94, 0, 1},
                                          {0, 158, 115, 1},
                                          {204, 121, 167, 1},
                                          {230, 159, 0, 1},
                                          {86, 180, 233, 1},
                                          {100, 100, 105, 1},
                                          {130, 60, 20, 1}}};
constexpr double kText = 11;

Ink colour_of(std::size_t series) { return kColours[series % kColours.size()]; }

/// A range of values on a piece of the canvas.
struct Scale {
  double low = 0, high = 1;
  bool logarithmic = false;
  double from = 0, to = 1;  ///< canvas positions of low and high

  [[nodiscard]] bool shows(double v) const { return std::isfinite(v) && (!logarithmic || v > 0); }
  [[nodiscard]] double at(double v) const {
    const double part = logarithmic ? std::log(v / low) / std::log(high / low) : (v - low) / (high - low);
    return from + part * (to - from);
  }
  [[nodiscard]] std::vector<Tick> ticks(int wanted) const {
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
};

/// A range that holds the values with a little room; whole decades where it is logarithmic.
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

/// Lines at 2 to 9 times each power of ten.
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

/// Names of the series with their colours; returns its height.
void legend(Canvas& canvas, const std::vector<PlotSeries>& series, Point corner, double width) {
  const double row = 22;
  canvas.fill_rectangle(corner, width, row * static_cast<double>(series.size()) + 12, {255, 255, 255, 0.88});
  canvas.rectangle(corner, width, row * static_cast<double>(series.size()) + 12, kGrid);
  for (std::size_t i = 0; i < series.size(); ++i) {
    const double y = corner.y + 6 + row * (static_cast<double>(i) + 0.5);
    canvas.line({corner.x + 10, y}, {corner.x + 34, y}, colour_of(i), 2.5);
    canvas.disc({corner.x + 22, y}, 3.5, colour_of(i));
    canvas.text({corner.x + 44, y}, series[i].name, kText, kBlack);
  }
}

double legend_width(const std::vector<PlotSeries>& series) {
  double width = 0;
  for (const PlotSeries& s : series) width = std::max(width, Canvas::text_width(s.name, kText));
  return width + 58;
}

void draw_series(Canvas& canvas, const PlotSeries& series, const Scale& x, const Scale& y, Ink ink, bool lines) {
  std::vector<Point> path, all;
  for (std::size_t i = 0; i < std::min(series.x.size(), series.y.size()); ++i) {
    // A gap in the values is a gap in the line.
    if (!x.shows(series.x[i]) || !y.shows(series.y[i])) {
      if (lines && path.size() > 1) canvas.polyline(path, ink, 1.8);
      path.clear();
      continue;
    }
    path.push_back({x.at(series.x[i]), y.at(series.y[i])});
    all.push_back(path.back());
  }
  if (lines && path.size() > 1) canvas.polyline(path, ink, 1.8);
  const double radius = all.size() > 300 ? 1.8 : 3.4;
  if (lines && all.size() > 60) return;
  for (const Point& p : all) canvas.disc(p, radius, ink);
}

}  // namespace

void write_plot(const std::string& path, const std::vector<PlotSeries>& series, const PlotOptions& options) {
  constexpr int kWidth = 960, kHeight = 640;
  std::vector<double> xs, ys;
  for (const PlotSeries& s : series) {
    xs.insert(xs.end(), s.x.begin(), s.x.end());
    ys.insert(ys.end(), s.y.begin(), s.y.end());
  }
  Scale x = range_of(xs, options.log_x), y = range_of(ys, options.log_y);
  double widest = 0;
  y.from = kHeight - 78;
  y.to = options.title.empty() ? 24 : 58;
  for (const Tick& tick : y.ticks(7)) widest = std::max(widest, Canvas::text_width(tick.label, kText));
  x.from = widest + 66;
  x.to = kWidth - 28;
  Canvas canvas(kWidth, kHeight, kWhite);
  fine_grid(canvas, x, true, y.from, y.to);
  fine_grid(canvas, y, false, x.from, x.to);
  for (const Tick& tick : x.ticks(8)) {
    const double at = x.at(tick.value);
    canvas.line({at, y.from}, {at, y.to}, kGrid);
    canvas.line({at, y.from}, {at, y.from + 6}, kBlack);
    canvas.text({at, y.from + 21}, tick.label, kText, kBlack, Align::centre);
  }
  for (const Tick& tick : y.ticks(7)) {
    const double at = y.at(tick.value);
    canvas.line({x.from, at}, {x.to, at}, kGrid);
    canvas.line({x.from - 6, at}, {x.from, at}, kBlack);
    canvas.text({x.from - 12, at}, tick.label, kText, kBlack, Align::right);
  }
  canvas.clip({x.from, y.to}, x.to - x.from, y.from - y.to);
  for (std::size_t i = 0; i < series.size(); ++i) draw_series(canvas, series[i], x, y, colour_of(i), options.lines);
  canvas.unclip();
  canvas.rectangle({x.from, y.to}, x.to - x.from, y.from - y.to, kBlack, 1.2);
  if (series.size() > 1) legend(canvas, series, {x.from + 14, y.to + 14}, legend_width(series));
  canvas.text({0.5 * (x.from + x.to), kHeight - 24}, options.x_label, kText + 1, kBlack, Align::centre);
  canvas.text({22, 0.5 * (y.from + y.to)}, options.y_label, kText + 1, kBlack, Align::centre, true);
  canvas.text({0.5 * (x.from + x.to), 30}, options.title, kText + 3, kBlack, Align::centre);
  canvas.write_png(path, options.overwrite);
}

void write_bars(const std::string& path, const std::vector<std::string>& labels, const std::vector<PlotSeries>& series,
                const PlotOptions& options) {
  constexpr int kWidth = 960;
  constexpr double kBar = 20, kGap = 16;
  std::vector<double> values;
  double widest = 0;
  for (const PlotSeries& s : series) values.insert(values.end(), s.y.begin(), s.y.end());
  for (const std::string& label : labels) widest = std::max(widest, Canvas::text_width(label, kText));
  const double group = kBar * static_cast<double>(series.size()) + kGap;
  const double top = options.title.empty() ? 24 : 58;
  const double legend_height = series.size() > 1 ? 30 : 0;
  const double base = top + legend_height + group * static_cast<double>(labels.size()) + kGap;
  Canvas canvas(kWidth, static_cast<int>(std::lround(base)) + 78, kWhite);
  Scale scale = range_of(values, true);
  // Bars need a foot below the smallest value, and room for the number behind the largest.
  scale.low = std::pow(10.0, std::floor(std::log10(scale.low)));
  scale.high *= std::pow(scale.high / scale.low, 0.10);
  scale.from = widest + 34;
  scale.to = kWidth - 30;
  const double upper = top + legend_height;
  fine_grid(canvas, scale, true, upper, base);
  for (const Tick& tick : scale.ticks(8)) {
    const double at = scale.at(tick.value);
    canvas.line({at, upper}, {at, base}, kGrid);
    canvas.text({at, base + 20}, tick.label, kText, kBlack, Align::centre);
  }
  for (std::size_t g = 0; g < labels.size(); ++g) {
    const double start = upper + kGap + group * static_cast<double>(g);
    canvas.text({scale.from - 12, start + 0.5 * (group - kGap)}, labels[g], kText, kBlack, Align::right);
    for (std::size_t i = 0; i < series.size(); ++i) {
      const double value = g < series[i].y.size() ? series[i].y[g] : NAN;
      if (!scale.shows(value)) continue;
      const double y = start + kBar * static_cast<double>(i), end = scale.at(value);
      canvas.fill_rectangle({scale.from, y + 1}, end - scale.from, kBar - 3, colour_of(i));
      canvas.text({end + 7, y + 0.5 * kBar - 0.5}, fmt::format("{:.3g}", value), kText - 1.5, kBlack);
    }
  }
  canvas.line({scale.from, upper}, {scale.from, base}, kBlack, 1.2);
  canvas.line({scale.from, base}, {scale.to, base}, kBlack, 1.2);
  double along = scale.from;
  for (std::size_t i = 0; i < series.size() && series.size() > 1; ++i) {
    canvas.fill_rectangle({along, top + 4}, 14, 14, colour_of(i));
    canvas.text({along + 21, top + 11}, series[i].name, kText, kBlack);
    along += 21 + Canvas::text_width(series[i].name, kText) + 26;
  }
  canvas.text({0.5 * (scale.from + scale.to), base + 50}, options.x_label, kText + 1, kBlack, Align::centre);
  canvas.text({0.5 * kWidth, 30}, options.title, kText + 3, kBlack, Align::centre);
  canvas.write_png(path, options.overwrite);
}

}  // namespace reber
