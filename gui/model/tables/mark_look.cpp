// SPDX-License-Identifier: BSD-3-Clause
// Columns as sizes and colours.
#include "gui/model/tables/mark_look.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "gui/model/tables/plot_axis.hpp"

namespace reber::gui {
namespace {

bool counts(double value, MarkScaling scaling) {
  return std::isfinite(value) && (scaling != MarkScaling::log || value > 0);
}

}  // namespace

std::uint64_t look_key(const MarkLook& look) {
  if (!look.on()) return 0;
  std::string told = fmt::format("{} {} {} ", look.least, look.most, look.colour_map);
  for (const MarkAxis* axis : {&look.size, &look.colour})
    told += fmt::format("{} {} {} {} {} ", axis->column, static_cast<int>(axis->scaling), axis->own_limits, axis->low,
                        axis->high);
  return std::hash<std::string>()(told);
}

MarkParts mark_parts(const Catalogue& catalogue, const MarkAxis& axis) {
  MarkParts made;
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  made.low = made.high = kNone;
  const Column* const column = axis.column.empty() ? nullptr : catalogue.find(axis.column);
  made.title = axis.column;
  if (column == nullptr) return made;
  if (!column->info.unit.empty()) made.title += fmt::format(" ({})", column->info.unit);
  const std::vector<double> values = numbers_of(*column);
  for (const double v : values) {
    if (!counts(v, axis.scaling)) continue;
    if (!(made.low <= v)) made.low = v;
    if (!(made.high >= v)) made.high = v;
  }
  if (axis.own_limits) {
    // A logarithm has no place for a lower limit that is not positive: the least value that has one stands for it.
    if (counts(axis.low, axis.scaling)) made.low = axis.low;
    if (counts(axis.high, axis.scaling)) made.high = axis.high;
  }
  made.part.reserve(values.size());
  const bool log = axis.scaling == MarkScaling::log;
  const double range = log ? std::log(made.high / made.low) : made.high - made.low;
  for (const double v : values) {
    double part = range > 0 ? std::clamp((log ? std::log(v / made.low) : v - made.low) / range, 0.0, 1.0) : 0.5;
    if (axis.scaling == MarkScaling::sqrt) part = std::sqrt(part);
    made.part.push_back(static_cast<float>(counts(v, axis.scaling) ? part : kNone));
  }
  return made;
}

double mark_value(const MarkAxis& axis, const MarkParts& limits, double part) {
  if (axis.scaling == MarkScaling::log) return limits.low * std::pow(limits.high / limits.low, part);
  return limits.low + (limits.high - limits.low) * (axis.scaling == MarkScaling::sqrt ? part * part : part);
}

std::vector<std::string> number_columns(const Catalogue& catalogue) {
  std::vector<std::string> names;
  for (const Column& column : catalogue.columns)
    if (!std::holds_alternative<std::vector<std::string>>(column.values)) names.push_back(column.info.name);
  return names;
}

}  // namespace reber::gui
