// SPDX-License-Identifier: BSD-3-Clause
// Axes and contents of the plots beside the table: ranges, ticks, pan and zoom, bars, box selection. No drawing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/sky/model/catalogue.hpp"

namespace reber::gui {

struct AxisTick {
  double value = 0;
  std::string label;  ///< empty for the small ticks between
};

/// A range of values shown along a plot's edge, linear or logarithmic.
struct PlotAxis {
  std::string label;
  double low = 0, high = 1;
  bool logarithmic = false;

  /// Place of a value, 0 at `low` and 1 at `high`; NaN where the axis cannot show it.
  [[nodiscard]] double place(double value) const;
  [[nodiscard]] double value_at(double place) const;
  /// Labelled ticks at 1, 2 or 5 times a power of ten, about `wanted` of them; a logarithmic axis of nearly a decade
  /// and more has its labels at the powers of ten, where it has few of them at 2 and 5 times these too, and small ticks
  /// at the rest of 2 ... 9.
  [[nodiscard]] std::vector<AxisTick> ticks(int wanted) const;

  void pan(double part);                   ///< by this part of the range
  void zoom(double factor, double about);  ///< the value at place `about` stays; factor 2 shows half the range
  /// The range of the finite (and where logarithmic positive) values, with a little room.
  void fit(const std::vector<double>& values);
};

/// Bars between edges; a value equal to an inner edge counts to the right, the last edge is closed.
struct BarCounts {
  std::vector<double> edges;
  std::vector<double> counts;
  std::int64_t outside = 0;  ///< values without a bar: NaN or, where logarithmic, not positive
};

/// Equal bars over the range of the values (equal in log10 where logarithmic); rows of `rows` alone where not empty
/// (one byte per value). bars 0: the rule of Freedman and Diaconis (1981), at least 8, at most 200.
[[nodiscard]] BarCounts make_histogram(const std::vector<double>& values, const std::vector<std::uint8_t>& rows,
                                       bool logarithmic, int bars = 0);
/// Counts in given bars.
[[nodiscard]] BarCounts count_into(const std::vector<double>& edges, const std::vector<double>& values,
                                   const std::vector<std::uint8_t>& rows);

/// Part of a reference catalogue that was found, by flux.
struct Completeness {
  std::vector<double> edges;
  std::vector<double> fraction, low, high;  ///< 68 % Wilson score interval (Wilson 1927); NaN for an empty bar
  std::vector<std::int64_t> total;
};
/// flux of each reference source, found: 1 where it has a counterpart.
[[nodiscard]] Completeness make_completeness(const std::vector<double>& flux, const std::vector<std::uint8_t>& found,
                                             int bars);

/// Rows whose (x, y) lies within the box, corners in any order, among those `accepted`.
[[nodiscard]] std::vector<std::uint8_t> rows_in_box(const std::vector<double>& x, const std::vector<double>& y,
                                                    const std::vector<std::uint8_t>& accepted, double x0, double y0,
                                                    double x1, double y1);

/// A column as numbers, times `factor`; NaN for text.
[[nodiscard]] std::vector<double> numbers_of(const Column& column, double factor = 1);

}  // namespace reber::gui
