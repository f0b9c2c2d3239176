// SPDX-License-Identifier: BSD-3-Clause
// Ticks and ranges, histograms and completeness.
#include "gui/model/tables/plot_axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/error.hpp"
#include "gui/model/tables/source_table.hpp"

namespace reber::gui {
namespace {

/// 1, 2 or 5 times a power of ten, the step that gives at most `wanted` steps over `range`.
double round_step(double range, int wanted) {
  const double raw = range / std::max(1, wanted);
  const double decade = std::pow(10.0, std::floor(std::log10(raw)));
  for (const double m : {1.0, 2.0, 5.0})
    if (raw <= m * decade * (1 + 1e-9)) return m * decade;
  return 10 * decade;
}

std::string label_of(double value, double step) {
  if (std::abs(value) < step * 1e-6) return "0";
  const int decimals = static_cast<int>(std::clamp(-std::floor(std::log10(step) + 1e-9), 0.0, 9.0));
  const double magnitude = std::abs(value);
  if (magnitude >= 1e5 || (magnitude < 1e-3 && decimals > 3)) {
    const int digits =
        static_cast<int>(std::clamp(std::floor(std::log10(magnitude)) - std::floor(std::log10(step) + 1e-9), 0.0, 9.0));
    return fmt::format("{:.{}e}", value, digits);
  }
  return fmt::format("{:.{}f}", value, decimals);
}

}  // namespace

double PlotAxis::place(double value) const {
  if (logarithmic) return value > 0 ? std::log(value / low) / std::log(high / low) : NAN;
  return (value - low) / (high - low);
}

double PlotAxis::value_at(double place) const {
  if (logarithmic) return low * std::pow(high / low, place);
  return low + place * (high - low);
}

std::vector<AxisTick> PlotAxis::ticks(int wanted) const {
  std::vector<AxisTick> ticks;
  const double decades = logarithmic ? std::log10(high / low) : 0;
  if (decades >= 0.9) {
    const int every = std::max(1, static_cast<int>(std::ceil(decades / std::max(1, wanted))));
    // Where powers of ten alone are too few.
    const bool between = decades < 1.7 && 3 * decades <= 2.2 * wanted;
    for (int k = static_cast<int>(std::floor(std::log10(low))); k <= std::log10(high); ++k) {
      for (int m = 1; m < 10; ++m) {
        const double value = m * std::pow(10.0, k);
        if (value < low * (1 - 1e-9) || value > high * (1 + 1e-9)) continue;
        const bool labelled = (m == 1 && k % every == 0) || (between && (m == 2 || m == 5));
        if (m > 1 && every > 1) continue;
        std::string text;
        if (labelled) text = std::abs(k) <= 3 ? fmt::format("{:g}", value) : fmt::format("{}e{}", m, k);
        ticks.push_back({value, std::move(text)});
      }
    }
    return ticks;
  }
  const double step = round_step(high - low, wanted);
  const double first = std::ceil(low / step - 1e-9);
  for (int i = 0; i < 200; ++i) {
    const double value = (first + i) * step;
    if (value > high + 1e-9 * step) break;
    ticks.push_back({value, label_of(value, step)});
  }
  return ticks;
}

void PlotAxis::pan(double part) {
  const double a = value_at(part), b = value_at(1 + part);
  low = a;
  high = b;
}

void PlotAxis::zoom(double factor, double about) {
  const double a = value_at(about - about / factor), b = value_at(about + (1 - about) / factor);
  // Below this the ticks' labels cannot be told apart any more.
  const bool too_narrow = !(b - a > 1e-9 * std::max(std::abs(a), std::abs(b)));
  if (too_narrow || !std::isfinite(a) || !std::isfinite(b) || (logarithmic && !(a > 0 && b / a < 1e60))) return;
  low = a;
  high = b;
}

void PlotAxis::fit(const std::vector<double>& values) {
  double least = INFINITY, most = -INFINITY;
  for (const double v : values) {
    if (!std::isfinite(v) || (logarithmic && v <= 0)) continue;
    least = std::min(least, v);
    most = std::max(most, v);
  }
  if (!(least <= most)) {
    low = logarithmic ? 1 : 0;
    high = logarithmic ? 10 : 1;
  } else if (logarithmic) {
    const double room = std::max(std::pow(most / least, 0.05), 1.1);
    low = least / room;
    high = most * room;
  } else {
    const double room = most > least ? 0.05 * (most - least) : std::max(0.5 * std::abs(most), 1e-12);
    low = least - room;
    high = most + room;
  }
}

BarCounts count_into(const std::vector<double>& edges, const std::vector<double>& values,
                     const std::vector<std::uint8_t>& rows) {
  if (!rows.empty() && rows.size() != values.size()) throw InternalError("histogram: one byte a value is needed");
  BarCounts histogram{edges, std::vector<double>(edges.size() < 2 ? 0 : edges.size() - 1, 0), 0};
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!rows.empty() && rows[i] == 0) continue;
    const double v = values[i];
    if (histogram.counts.empty() || !(v >= edges.front() && v <= edges.back())) {
      ++histogram.outside;
      continue;
    }
    const auto after = std::upper_bound(edges.begin(), edges.end(), v) - edges.begin();
    const auto bar = std::min<std::size_t>(static_cast<std::size_t>(after), histogram.counts.size()) - 1;
    histogram.counts[bar] += 1;
  }
  return histogram;
}

BarCounts make_histogram(const std::vector<double>& values, const std::vector<std::uint8_t>& rows, bool logarithmic,
                         int bars) {
  if (!rows.empty() && rows.size() != values.size()) throw InternalError("histogram: one byte a value is needed");
  std::vector<double> shown;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool wanted = rows.empty() || rows[i] != 0;
    if (wanted && std::isfinite(values[i]) && (!logarithmic || values[i] > 0))
      shown.push_back(logarithmic ? std::log10(values[i]) : values[i]);
  }
  if (shown.empty()) return count_into({}, values, rows);
  std::sort(shown.begin(), shown.end());
  const double range = shown.back() - shown.front();
  const auto n = shown.size();
  if (bars <= 0) {
    const double width = 2 * (shown[n * 3 / 4] - shown[n / 4]) / std::cbrt(static_cast<double>(n));
    bars = width > 0 && range > 0 ? static_cast<int>(std::clamp(std::ceil(range / width), 8.0, 200.0)) : 8;
  }
  const double room = range > 0 ? 0 : std::max(0.5 * std::abs(shown.front()), 0.1);
  std::vector<double> edges;
  for (int i = 0; i <= bars; ++i) {
    const double at = shown.front() - room + (range + 2 * room) * i / bars;
    edges.push_back(logarithmic ? std::pow(10.0, at) : at);
  }
  if (range > 0) {
    // The outer edges are the values themselves: rounding may not push them out.
    const auto value = [&](double v) { return logarithmic ? std::pow(10.0, v) : v; };
    edges.front() = std::min(edges.front(), value(shown.front())) * (logarithmic ? 1 - 1e-12 : 1);
    edges.back() = std::max(edges.back(), value(shown.back())) * (logarithmic ? 1 + 1e-12 : 1);
  }
  return count_into(edges, values, rows);
}

Completeness make_completeness(const std::vector<double>& flux, const std::vector<std::uint8_t>& found, int bars) {
  Completeness result;
  const BarCounts all = make_histogram(flux, {}, true, bars);
  if (all.counts.empty()) return result;
  const BarCounts hits = count_into(all.edges, flux, found);
  result.edges = all.edges;
  for (std::size_t i = 0; i < all.counts.size(); ++i) {
    const double n = all.counts[i], p = n > 0 ? hits.counts[i] / n : NAN;
    const double centre = (p + 0.5 / n) / (1 + 1 / n);
    const double half = std::sqrt(p * (1 - p) / n + 0.25 / (n * n)) / (1 + 1 / n);
    result.total.push_back(static_cast<std::int64_t>(n));
    result.fraction.push_back(p);
    result.low.push_back(n > 0 ? centre - half : NAN);
    result.high.push_back(n > 0 ? centre + half : NAN);
  }
  return result;
}

std::vector<std::uint8_t> rows_in_box(const std::vector<double>& x, const std::vector<double>& y,
                                      const std::vector<std::uint8_t>& accepted, double x0, double y0, double x1,
                                      double y1) {
  if (x.size() != y.size() || x.size() != accepted.size())
    throw InternalError("box selection: x, y and accepted must be as long as each other");
  if (x0 > x1) std::swap(x0, x1);
  if (y0 > y1) std::swap(y0, y1);
  std::vector<std::uint8_t> inside(x.size(), 0);
  for (std::size_t i = 0; i < x.size(); ++i)
    inside[i] = accepted[i] != 0 && x[i] >= x0 && x[i] <= x1 && y[i] >= y0 && y[i] <= y1 ? 1 : 0;
  return inside;
}

std::vector<double> numbers_of(const Column& column, double factor) {
  std::vector<double> numbers;
  const std::size_t rows = std::visit([](const auto& values) { return values.size(); }, column.values);
  numbers.reserve(rows);
  for (std::size_t i = 0; i < rows; ++i) numbers.push_back(factor * cell_number(column, i));
  return numbers;
}

}  // namespace reber::gui
