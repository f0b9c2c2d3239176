// SPDX-License-Identifier: BSD-3-Clause
// Prefixes and digits.
#include "core/studies/quality/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/sky/model/unit.hpp"

namespace reber {
namespace {

constexpr std::string_view kImageUnit = "JY/BEAM";

struct Shown {
  std::string unit;
  double factor = 1;
};

/// The unit and the factor that values of the metric are shown in.
Shown shown(const Metric& metric, const Quality& quality) {
  if (metric.row->unit != kImageUnit) return {std::string(metric.row->unit), 1};
  const auto [name, factor] = Unit::parse(quality.unit).readable(std::abs(metric.value));
  return {name, factor};
}

}  // namespace

std::string unit_of(const Metric& metric, const Quality& quality) {
  return metric.row->unit == kImageUnit ? quality.unit : std::string(metric.row->unit);
}

std::string value_words(const Metric& metric, const Quality& quality) {
  if (!std::isfinite(metric.value)) return "-";
  const auto [unit, factor] = shown(metric, quality);
  const double value = metric.value * factor, error = metric.error * factor;
  std::string text = fmt::format("{:.4g}", value);
  if (error > 0) {
    const int digits = std::clamp(static_cast<int>(std::ceil(1 - std::log10(error))), 0, 9);
    text = fmt::format("{:.{}f} +- {:.{}f}", value, digits, error, digits);
  }
  return unit.empty() ? text : text + " " + unit;
}

std::string level_words(const Metric& metric, const Quality& quality) {
  const auto found = quality.used.of.find(metric.row->name);
  if (found == quality.used.of.end()) return "";
  const double factor = shown(metric, quality).factor;
  const auto scaled = [&](const Interval& one) { return words_of(Interval{one.low * factor, one.high * factor}); };
  const auto& [pass, uncertain] = found->second;
  return scaled(pass) + (pass == uncertain ? "" : " (" + scaled(uncertain) + ")");
}

}  // namespace reber
