// SPDX-License-Identifier: BSD-3-Clause
// The pictures of `reber bench --plot`: a roofline, the time of each operation, time per pixel against size.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>

#include "app/bench/bench_rows.hpp"
#include "core/show/picture/canvas.hpp"
#include "core/show/picture/panels.hpp"
#include "core/show/picture/plot_axes.hpp"

namespace reber::app {

using namespace plot;

namespace {

constexpr Ink kHost{120, 122, 128, 1};
constexpr double kSmall = kText - 1;
const std::vector<std::string> kGroups{"direct", "separable", "fft"};

double intensity_of(const BenchRow& row) {
  return row.work.flop / static_cast<double>(row.work.bytes_read + row.work.bytes_written);
}
double peak_of(const MachineLimits& limits) { return 2e-9 * limits.fma_per_ms; }
/// TFLOP/s that the memory feeds at that many operations a byte.
double fed_by(const MachineLimits& limits, double intensity) { return 1e-9 * limits.copy_bytes_per_ms * intensity; }

bool in_roofline(const BenchRow& row) { return row.timed() && row.work.flop > 0; }
bool is_first(const BenchTable& table, const BenchRow& row) { return row.backend == table.machines.front().name; }

/// "7x7" of "direct 7x7", "17" of "separable 17 taps".
std::string short_name(const BenchRow& row) {
  if (row.operation.ends_with(", five")) return "five";
  std::string name = row.operation.substr(row.operation.find(' ') + 1);
  return name.substr(0, name.find_first_of("x "));
}

void ring(Canvas& canvas, Point at, double radius, Ink ink) {
  canvas.disc(at, radius, ink);
  canvas.disc(at, radius - 1.4, kWhite);
}

struct Frame {
  Scale x, y;
};

/// The two roofs of a machine, with their rates.
void draw_roof(Canvas& canvas, const Frame& frame, const BenchMachine& machine, Ink ink, double thickness) {
  const auto& [x, y] = frame;
  const double peak = peak_of(machine.limits), ridge = peak / fed_by(machine.limits, 1);
  const double low = std::max(x.low, y.low / fed_by(machine.limits, 1));
  canvas.polyline(
      {{x.at(low), y.at(fed_by(machine.limits, low))}, {x.at(ridge), y.at(peak)}, {x.at(x.high), y.at(peak)}}, ink,
      thickness);
  canvas.text({x.to - 10, y.at(peak) - 12},
              fmt::format("{}: copy {:.0f} GB/s, multiply-add {:.3g} TFLOP/s", machine.name,
                          machine.limits.copy_bytes_per_ms * 1e-6, peak),
              kSmall, ink, Align::right);
}

Frame roofline_frame(const BenchTable& table, double left, double top, double width, double height) {
  std::vector<double> xs, ys;
  for (const BenchRow& row : table.rows) {
    if (!in_roofline(row) || row.backend == "reference") continue;
    xs.push_back(intensity_of(row));
    ys.push_back(row.teraflop_per_s());
  }
  for (const BenchMachine& machine : table.machines) {
    if (machine.name == "reference") continue;
    ys.push_back(1.8 * peak_of(machine.limits));  // room for the label
    xs.push_back(0.3 * peak_of(machine.limits) / fed_by(machine.limits, 1));
  }
  Frame frame{range_of(xs, true), range_of(ys, true)};
  frame.x.low /= 1.3;
  frame.x.high *= 1.6;
  frame.x.from = left + 70;
  frame.x.to = left + width - 10;
  frame.y.from = top + height;
  frame.y.to = top;
  return frame;
}

/// Axis-aligned piece of the canvas that something stands on.
struct Box {
  double left, top, right, bottom;
  [[nodiscard]] bool meets(const Box& b) const {
    return left < b.right && b.left < right && top < b.bottom && b.top < bottom;
  }
};

/// Names beside points, each where it covers the fewest of the others and of the points.
void name_points(Canvas& canvas, const std::vector<std::pair<Point, const BenchRow*>>& points,
                 const std::vector<Ink>& inks) {
  constexpr double kSize = kSmall - 1, kHalf = 6, kDisc = 5;
  std::vector<Box> taken;
  for (const auto& [at, row] : points) taken.push_back({at.x - kDisc, at.y - kDisc, at.x + kDisc, at.y + kDisc});
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto& [at, row] = points[i];
    const std::string name = short_name(*row);
    const double width = text_width(name, kSize);
    std::ptrdiff_t fewest = PTRDIFF_MAX;
    Box best{};
    const double right = at.x + 8, left = at.x - 8 - width, middle = at.x - width / 2;
    const double below = at.y + 3, level = at.y - kHalf, above = at.y - 3 - 2 * kHalf;
    for (const Point corner : {Point{right, below}, Point{right, level}, Point{left, level}, Point{left, below},
                               Point{left, above}, Point{right, above}, Point{middle, at.y + 7}}) {
      const Box box{corner.x, corner.y, corner.x + width, corner.y + 2 * kHalf};
      const auto met = std::count_if(taken.begin(), taken.end(), [&](const Box& other) { return box.meets(other); });
      if (met >= fewest) continue;
      fewest = met;
      best = box;
    }
    taken.push_back(best);
    canvas.text({best.left, best.top + kHalf}, name, kSize, inks[i]);
  }
}

void draw_points(Canvas& canvas, const Frame& frame, const BenchTable& table) {
  std::vector<std::pair<Point, const BenchRow*>> named;
  std::vector<Ink> inks;
  for (const BenchRow& row : table.rows) {
    if (!in_roofline(row) || row.backend == "reference") continue;
    const auto group = std::find(kGroups.begin(), kGroups.end(), row.group) - kGroups.begin();
    const Ink ink = colour_of(static_cast<std::size_t>(group));
    const Point at{frame.x.at(intensity_of(row)), frame.y.at(row.teraflop_per_s())};
    if (!is_first(table, row)) {
      ring(canvas, at, 4, ink);
      continue;
    }
    canvas.disc(at, 4.6, ink);
    named.emplace_back(at, &row);
    inks.push_back(ink);
  }
  name_points(canvas, named, inks);
}

/// A line of keys above the frame, where it covers nothing.
void draw_legend(Canvas& canvas, const Frame& frame, const BenchTable& table) {
  const double y = frame.y.to - 14;
  double along = frame.x.from + 8;
  const auto key = [&](const std::string& name) {
    canvas.text({along + 9, y}, name, kSmall, kBlack);
    along += 27 + text_width(name, kSmall);
  };
  for (std::size_t i = 0; i < kGroups.size(); ++i) {
    canvas.disc({along, y}, 4.6, colour_of(i));
    key(kGroups[i]);
  }
  canvas.disc({along, y}, 4.6, kBlack);
  key(table.machines.front().name);
  if (table.machines.size() < 2) return;
  ring(canvas, {along, y}, 4, kBlack);
  key(table.machines[1].name);
}

void draw_roofline(Canvas& canvas, const BenchTable& table, double left, double top, double width, double height) {
  const Frame frame = roofline_frame(table, left, top, width, height);
  const auto& [x, y] = frame;
  draw_axes(canvas, x, y, 6, 6);
  canvas.clip({x.from, y.to}, x.to - x.from, y.from - y.to);
  for (std::size_t i = table.machines.size(); i-- > 0;) {
    if (table.machines[i].name == "reference") continue;
    draw_roof(canvas, frame, table.machines[i], i == 0 ? kBlack : kHost, i == 0 ? 2 : 1.4);
  }
  draw_points(canvas, frame, table);
  canvas.unclip();
  canvas.rectangle({x.from, y.to}, x.to - x.from, y.from - y.to, kBlack, 1.2);
  draw_legend(canvas, frame, table);
  canvas.text({0.5 * (x.from + x.to), y.from + 46}, "operations per byte read or written, at least", kText, kBlack,
              Align::centre);
  canvas.text({left + 14, 0.5 * (y.from + y.to)}, "TFLOP/s", kText, kBlack, Align::centre, true);
}

/// Rows of the first machine that were timed.
std::vector<const BenchRow*> listed(const BenchTable& table) {
  std::vector<const BenchRow*> rows;
  for (const BenchRow& row : table.rows)
    if (is_first(table, row) && row.timed()) rows.push_back(&row);
  return rows;
}

void mark_floor(Canvas& canvas, double x, double y) { canvas.line({x, y - 7}, {x, y + 7}, kBlack, 2); }

void draw_times(Canvas& canvas, const BenchTable& table, double left, double top, double width, double height) {
  const std::vector<const BenchRow*> rows = listed(table);
  std::vector<double> values;
  double names = 0;
  for (const BenchRow* row : rows) {
    values.insert(values.end(), {row->best().median, row->floor.ms, row->cpu_ms});
    names = std::max(names, text_width(row->operation, kSmall));
  }
  Scale x = range_of(values, true);
  x.from = left + names + 14;
  x.to = left + width - 52;
  const double bottom = top + height, step = height / static_cast<double>(rows.size());
  fine_grid(canvas, x, true, bottom, top);
  for (const Tick& tick : x.ticks(7)) {
    canvas.line({x.at(tick.value), bottom}, {x.at(tick.value), top}, kGrid);
    canvas.line({x.at(tick.value), bottom}, {x.at(tick.value), bottom + 6}, kBlack);
    canvas.text({x.at(tick.value), bottom + 21}, tick.label, kText, kBlack, Align::centre);
  }
  const bool with_cpu = table.machines.front().name != "cpu" && rows.front()->cpu_ms > 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const BenchRow& row = *rows[i];
    const double y = top + step * (static_cast<double>(i) + 0.5), floor = x.at(row.floor.ms),
                 own = x.at(row.best().median);
    canvas.text({x.from - 8, y}, row.operation, kSmall, kBlack, Align::right);
    canvas.line({floor, y}, {own, y}, {0, 114, 178, 0.35}, 3);
    mark_floor(canvas, floor, y);
    canvas.disc({own, y}, 4.6, colour_of(0));
    if (with_cpu && row.cpu_ms > 0) ring(canvas, {x.at(row.cpu_ms), y}, 4, colour_of(1));
    canvas.text({left + width - 6, y}, fmt::format("{:.0f} %", 100 * row.reached()), kSmall, kBlack, Align::right);
  }
  canvas.rectangle({x.from, top}, x.to - x.from, height, kBlack, 1.2);
  canvas.text({0.5 * (x.from + x.to), bottom + 46}, "ms", kText, kBlack, Align::centre);
  double along = x.from + 4;
  const auto key = [&](const std::string& name) {
    canvas.text({along + 12, top - 14}, name, kSmall, kBlack);
    along += 30 + text_width(name, kSmall);
  };
  mark_floor(canvas, along + 4, top - 14);
  key("floor");
  canvas.disc({along + 4, top - 14}, 4.6, colour_of(0));
  key(table.machines.front().name);
  if (with_cpu) {
    ring(canvas, {along + 4, top - 14}, 4, colour_of(1));
    key("cpu");
  }
  canvas.text({left + width - 6, top - 14}, "reached", kSmall, kBlack, Align::right);
}

std::vector<double> relative_to_last(std::vector<double> values) {
  const double last = values.back();
  for (double& value : values) value /= last;
  return values;
}

/// All values, and above them room for the names.
std::pair<double, double> range_below_legend(const Panel& panel) {
  constexpr double kName = 20, kFrame = 358;  // pixels of write_panels
  std::vector<double> values;
  double names = 1;
  for (const PanelSeries& series : panel.series) {
    values.insert(values.end(), series.y.begin(), series.y.end());
    names += series.name.empty() ? 0 : 1;
  }
  const Scale all = range_of(values, true);
  const double part = 1 - std::min(0.6, names * kName / kFrame);
  return {all.low, all.low * std::pow(all.high / all.low, 1 / part)};
}

std::string device_of(const BenchMachine& machine) {
  std::string text = machine.device.substr(0, machine.device.find(" ("));
  return machine.threads > 0 ? fmt::format("{}, {} threads", text, machine.threads) : text;
}

}  // namespace

void write_bench_plot(const std::string& path, const BenchTable& table, bool overwrite) {
  constexpr int kWidth = 1320, kTop = 86, kBottom = 70;
  const double rows = static_cast<double>(listed(table).size());
  const int height = std::max(480, static_cast<int>(19 * rows));
  const std::unique_ptr<Canvas> made = make_canvas(path, kWidth, kTop + height + kBottom, kWhite, table.program);
  Canvas& canvas = *made;
  std::string machines = device_of(table.machines.front());
  if (table.machines.size() > 1) machines += " and " + device_of(table.machines[1]);
  canvas.text({0.5 * kWidth, 24}, fmt::format("{0}, {1} x {1} pixels", table.program, table.size), kText + 3, kBlack,
              Align::centre);
  canvas.text({0.5 * kWidth, 48}, machines, kText, kBlack, Align::centre);
  const bool roofline = std::any_of(table.rows.begin(), table.rows.end(), in_roofline);
  if (roofline) draw_roofline(canvas, table, 8, kTop, 640, height);
  if (rows > 0) draw_times(canvas, table, roofline ? 664 : 8, kTop, kWidth - (roofline ? 672 : 16), height);
  save(canvas, path, overwrite);
}

void write_scaling_plot(const std::string& path, const ScalingTable& table, bool overwrite) {
  std::vector<Panel> panels;
  std::map<std::string, std::size_t> place;
  Panel all;
  all.title = "all, relative to the largest image; level: 15 %";
  for (const ScalingRow& row : table.rows) {
    const auto [entry, fresh] = place.try_emplace(row.group, panels.size());
    if (fresh) panels.emplace_back().title = row.group;
    Panel& panel = panels[entry->second];
    PanelSeries series, floor, relative;
    series.name = row.operation;
    relative.name = fresh ? row.group : "";
    relative.colour = entry->second;
    series.line = floor.line = floor.dashed = relative.line = true;
    floor.points = false;
    series.colour = floor.colour = panel.series.size() / 2;
    for (std::size_t k = 0; k < table.sizes.size(); ++k) {
      series.x.push_back(static_cast<double>(table.sizes[k]));
      series.y.push_back(table.ps_of(row.ms, k));
      floor.y.push_back(table.ps_of(row.floor_ms, k));
    }
    floor.x = relative.x = series.x;
    relative.y = relative_to_last(series.y);
    panel.series.push_back(std::move(series));
    panel.series.push_back(std::move(floor));
    all.series.push_back(std::move(relative));
  }
  PanelSeries copy;
  copy.name = table.copy.operation;
  copy.line = copy.dashed = true;
  copy.colour = panels.size();
  for (std::size_t k = 0; k < table.sizes.size(); ++k) {
    copy.x.push_back(static_cast<double>(table.sizes[k]));
    copy.y.push_back(table.ps_of(table.copy.ms, k));
  }
  copy.y = relative_to_last(copy.y);
  all.series.push_back(std::move(copy));
  constexpr double kFlat = 1.15;
  all.y_lines = {1 / kFlat, kFlat};
  panels.push_back(std::move(all));
  for (Panel& panel : panels) {
    panel.log_x = panel.log_y = true;
    panel.x_range = {static_cast<double>(table.sizes.front()) / 1.15, 1.15 * static_cast<double>(table.sizes.back())};
    panel.x_ticks.assign(table.sizes.begin(), table.sizes.end());
    panel.y_range = range_below_legend(panel);
    panel.x_label = "side of the image, pixels";
    panel.y_label = &panel == &panels.back() ? "time per pixel, relative" : "time per pixel, ps; dashed: floor";
  }
  write_panels(path, fmt::format("{}: {}", table.program, device_of(table.machine)), panels, 3, overwrite);
}

}  // namespace reber::app
