// SPDX-License-Identifier: BSD-3-Clause
// Layout and drawing of panels.
#include "core/show/picture/panels.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numbers>

#include "core/show/picture/plot_axes.hpp"

namespace reber {

using namespace plot;

namespace {

constexpr int kWidth = 560, kHeight = 460, kTop = 46;
constexpr Ink kReference{90, 92, 98, 1};

/// Axes of one panel on its piece of the canvas.
struct Frame {
  Scale x, y;
};

Scale scale_of(const Panel& panel, bool horizontal) {
  std::vector<double> values;
  for (const PanelSeries& series : panel.series) {
    const auto& own = horizontal ? series.x : series.y;
    values.insert(values.end(), own.begin(), own.end());
    if (horizontal) continue;
    values.insert(values.end(), series.low.begin(), series.low.end());
    values.insert(values.end(), series.high.begin(), series.high.end());
  }
  Scale scale = range_of(values, horizontal ? panel.log_x : panel.log_y);
  if (const auto& wanted = horizontal ? panel.x_range : panel.y_range) {
    scale.low = wanted->first;
    scale.high = wanted->second;
  }
  return scale;
}

Frame frame_of(const Panel& panel, double left, double top) {
  Frame frame{scale_of(panel, true), scale_of(panel, false)};
  frame.x.marks = panel.x_ticks;
  frame.y.from = top + kHeight - 66;
  frame.y.to = top + (panel.title.empty() ? 14 : 36);
  double widest = 0;
  for (const Tick& tick : frame.y.ticks(6)) widest = std::max(widest, text_width(tick.label, kText));
  frame.x.from = left + widest + 60;
  frame.x.to = left + kWidth - 22;
  if (panel.circle) {  // a circle looks like one: the longer axis shows more
    const double ratio = (frame.x.to - frame.x.from) / (frame.y.from - frame.y.to);
    const double middle = 0.5 * (frame.x.low + frame.x.high), half = 0.5 * ratio * (frame.y.high - frame.y.low);
    frame.x.low = middle - half;
    frame.x.high = middle + half;
  }
  return frame;
}

void dashed(Canvas& canvas, Point a, Point b, Ink ink = kReference) {
  constexpr double kDash = 7;
  const double length = std::hypot(b.x - a.x, b.y - a.y);
  const auto at = [&](double d) { return Point{a.x + (b.x - a.x) * d / length, a.y + (b.y - a.y) * d / length}; };
  for (double d = 0; d < length; d += 2 * kDash) canvas.line(at(d), at(std::min(length, d + kDash)), ink, 1.2);
}

void draw_references(Canvas& canvas, const Panel& panel, const Frame& frame) {
  const auto& [x, y] = frame;
  for (const double value : panel.x_lines)
    if (x.shows(value)) dashed(canvas, {x.at(value), y.from}, {x.at(value), y.to});
  for (const double value : panel.y_lines)
    if (y.shows(value)) dashed(canvas, {x.from, y.at(value)}, {x.to, y.at(value)});
  if (panel.diagonal) {
    const double low = std::max(x.low, y.low), high = std::min(x.high, y.high);
    if (low < high) dashed(canvas, {x.at(low), y.at(low)}, {x.at(high), y.at(high)});
  }
  if (panel.circle) {
    std::vector<Point> path;
    for (int k = 0; k < 120; ++k) {
      const double angle = 2 * std::numbers::pi * k / 120;
      path.push_back({x.at(*panel.circle * std::cos(angle)), y.at(*panel.circle * std::sin(angle))});
    }
    canvas.polyline(path, kReference, 1.2, true);
  }
}

void join(Canvas& canvas, const PanelSeries& series, const std::vector<Point>& path, Ink ink) {
  if (!series.line || path.size() < 2) return;
  if (!series.dashed) canvas.polyline(path, ink, 1.8);
  for (std::size_t i = 1; series.dashed && i < path.size(); ++i) dashed(canvas, path[i - 1], path[i], ink);
}

Ink ink_of(const Panel& panel, std::size_t series) { return colour_of(panel.series[series].colour.value_or(series)); }

void draw(Canvas& canvas, const PanelSeries& series, const Frame& frame, Ink ink) {
  const auto &x = frame.x, &y = frame.y;
  if (!series.strong) ink.alpha = series.x.size() > 2000 ? 0.25 : 0.55;
  const auto shown = [&](double px, double py) { return x.shows(px) && y.shows(py); };
  std::vector<Point> path;
  for (std::size_t i = 0; i < std::min(series.x.size(), series.y.size()); ++i) {
    if (!shown(series.x[i], series.y[i])) {
      join(canvas, series, path, ink);
      path.clear();
      continue;
    }
    const Point at{x.at(series.x[i]), y.at(series.y[i])};
    path.push_back(at);
    if (series.points) canvas.disc(at, series.strong ? 3.6 : 1.9, ink);
    if (i >= series.low.size() || i >= series.high.size()) continue;
    const double low = y.shows(series.low[i]) ? y.at(series.low[i]) : y.from;
    if (!y.shows(series.high[i])) continue;
    const double high = y.at(series.high[i]);
    canvas.line({at.x, low}, {at.x, high}, ink, 1.3);
    for (const double end : {low, high}) canvas.line({at.x - 4, end}, {at.x + 4, end}, ink, 1.3);
  }
  join(canvas, series, path, ink);
}

/// Places of the canvas that a series leaves ink on: its points, and some between them where they are joined.
std::vector<Point> inked(const PanelSeries& series, const Frame& frame) {
  constexpr int kBetween = 12;
  std::vector<Point> places;
  for (std::size_t i = 0; i < std::min(series.x.size(), series.y.size()); ++i) {
    if (!frame.x.shows(series.x[i]) || !frame.y.shows(series.y[i])) continue;
    const Point at{frame.x.at(series.x[i]), frame.y.at(series.y[i])};
    if (series.line && !places.empty()) {
      const Point before = places.back();
      for (int k = 1; k < kBetween; ++k) {
        const double part = static_cast<double>(k) / kBetween;
        places.push_back({before.x + part * (at.x - before.x), before.y + part * (at.y - before.y)});
      }
    }
    places.push_back(at);
  }
  return places;
}

/// Into the corner that covers the least.
void draw_legend(Canvas& canvas, const Panel& panel, const Frame& frame) {
  constexpr double kRow = 20, kMargin = 10;
  double width = 0, rows = 0;
  std::vector<Point> ink;
  for (const PanelSeries& series : panel.series) {
    const std::vector<Point> places = inked(series, frame);
    ink.insert(ink.end(), places.begin(), places.end());
    if (series.name.empty()) continue;
    width = std::max(width, text_width(series.name, kText - 1));
    ++rows;
  }
  if (rows == 0) return;
  width += 42;
  const double height = kRow * rows + 8;
  Point best{};
  std::ptrdiff_t fewest = PTRDIFF_MAX;
  for (const double left : {frame.x.from + kMargin, frame.x.to - kMargin - width})
    for (const double top : {frame.y.to + kMargin, frame.y.from - kMargin - height}) {
      const std::ptrdiff_t covered = std::count_if(ink.begin(), ink.end(), [&](const Point& p) {
        return p.x > left && p.x < left + width && p.y > top && p.y < top + height;
      });
      if (covered >= fewest) continue;
      fewest = covered;
      best = {left, top};
    }
  canvas.fill_rectangle(best, width, height, {255, 255, 255, 0.88});
  canvas.rectangle(best, width, height, kGrid);
  double y = best.y + 4 + 0.5 * kRow;
  for (std::size_t i = 0; i < panel.series.size(); ++i) {
    if (panel.series[i].name.empty()) continue;
    if (panel.series[i].line) canvas.line({best.x + 7, y}, {best.x + 27, y}, ink_of(panel, i), 2);
    if (panel.series[i].points) canvas.disc({best.x + 17, y}, 3.2, ink_of(panel, i));
    canvas.text({best.x + 34, y}, panel.series[i].name, kText - 1, kBlack);
    y += kRow;
  }
}

void draw_panel(Canvas& canvas, const Panel& panel, double left, double top) {
  const Frame frame = frame_of(panel, left, top);
  const auto& [x, y] = frame;
  draw_axes(canvas, x, y, 6, 6);
  canvas.clip({x.from, y.to}, x.to - x.from, y.from - y.to);
  for (std::size_t i = 0; i < panel.series.size(); ++i) draw(canvas, panel.series[i], frame, ink_of(panel, i));
  draw_references(canvas, panel, frame);
  canvas.unclip();
  canvas.rectangle({x.from, y.to}, x.to - x.from, y.from - y.to, kBlack, 1.2);
  draw_legend(canvas, panel, frame);
  canvas.text({0.5 * (x.from + x.to), y.from + 46}, panel.x_label, kText, kBlack, Align::centre);
  canvas.text({left + 16, 0.5 * (y.from + y.to)}, panel.y_label, kText, kBlack, Align::centre, true);
  canvas.text({0.5 * (x.from + x.to), top + 18}, panel.title, kText + 1, kBlack, Align::centre);
}

}  // namespace

std::unique_ptr<Canvas> draw_panels(const std::string& path, const std::string& title, const std::vector<Panel>& panels,
                                    int columns) {
  const int count = static_cast<int>(panels.size()), across = std::max(1, std::min(columns, count));
  const int down = std::max(1, (count + across - 1) / across);
  const int head = title.empty() ? 6 : kTop;
  std::unique_ptr<Canvas> made = make_canvas(path, across * kWidth + 10, down * kHeight + head, kWhite, title);
  Canvas& canvas = *made;
  canvas.text({0.5 * canvas.width(), 24}, title, kText + 3, kBlack, Align::centre);
  for (int i = 0; i < count; ++i)
    draw_panel(canvas, panels[static_cast<std::size_t>(i)], (i % across) * kWidth, head + (i / across) * kHeight);
  return made;
}

void write_panels(const std::string& path, const std::string& title, const std::vector<Panel>& panels, int columns,
                  bool overwrite) {
  save(*draw_panels(path, title, panels, columns), path, overwrite);
}

}  // namespace reber
