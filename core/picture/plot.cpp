// SPDX-License-Identifier: BSD-3-Clause
// Line plots and bar charts.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/error.hpp"
#include "core/picture/canvas.hpp"
#include "core/picture/picture.hpp"
#include "core/picture/plot_axes.hpp"

namespace reber {

using namespace plot;

namespace {

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
  draw_axes(canvas, x, y, 8, 7);
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
