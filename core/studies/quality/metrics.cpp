// SPDX-License-Identifier: BSD-3-Clause
// Judging metrics: by their levels, then by what explains them.
#include "core/studies/quality/metrics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <sstream>

#include "core/base/error.hpp"

namespace reber {
namespace {

Metric::Status status_of(const Metric& metric, const Levels& levels) {
  using Status = Metric::Status;
  if (!std::isfinite(metric.value)) return Status::unmeasured;
  const auto found = levels.of.find(metric.row->name);
  if (found == levels.of.end()) return Status::told;
  const double room = std::isfinite(metric.error) ? levels.errors * metric.error : 0;
  const auto within = [&](const Interval& interval) {
    return Interval{interval.low - room, interval.high + room}.holds(metric.value);
  };
  const Level& level = found->second;
  return within(level.pass) ? Status::pass : within(level.uncertain) ? Status::uncertain : Status::fail;
}

std::string level_cell(const Levels& levels, std::string_view name) {
  const auto found = levels.of.find(name);
  if (found == levels.of.end()) return "";
  const auto& [pass, uncertain] = found->second;
  return words_of(pass) + (uncertain == pass ? "" : " (" + words_of(uncertain) + ")");
}

}  // namespace

const MetricRow* metric_row(std::string_view name) {
  const auto* const found = std::ranges::find(kMetrics, name, &MetricRow::name);
  return found == kMetrics.end() ? nullptr : &*found;
}

std::string_view word_of(Metric::Status status) {
  switch (status) {
    case Metric::Status::pass:
      return "pass";
    case Metric::Status::uncertain:
      return "uncertain";
    case Metric::Status::fail:
      return "fail";
    case Metric::Status::told:
      return "no level";
    case Metric::Status::unmeasured:
      return "not measured";
  }
  throw InternalError("a metric without a status");
}

void judge(std::vector<Metric>& metrics, const Levels& levels) {
  for (Metric& metric : metrics) metric.status = status_of(metric, levels);
  for (Metric& metric : metrics) {
    metric.because_of.clear();
    if (!metric.flagged() && metric.status != Metric::Status::unmeasured) continue;
    std::istringstream names{std::string(metric.row->follows)};
    std::set<std::string_view> told;
    for (std::string name; names >> name;)
      for (const Metric& other : metrics)
        if (other.flagged() && other.row->name == name && (other.of.empty() || other.of == metric.of) &&
            told.insert(other.row->title).second)
          metric.because_of += (metric.because_of.empty() ? "" : ", ") + std::string(other.row->title);
  }
}

std::string words_of(const Interval& interval) {
  const bool low = std::isfinite(interval.low), high = std::isfinite(interval.high);
  if (low && high && interval.low == interval.high) return fmt::format("{:g}", interval.low);
  if (low && high) return fmt::format("{:g} to {:g}", interval.low, interval.high);
  if (high) return fmt::format("at most {:g}", interval.high);
  return low ? fmt::format("at least {:g}", interval.low) : "";
}

std::string metrics_document() {
  const Levels usual = read_levels("default"), askap = read_levels("askap");
  std::string text =
      "| metric | what it is | unit | how it is measured | passes (uncertain) by default | by `askap` | explained by "
      "|\n"
      "|---|---|---|---|---|---|---|\n";
  for (const MetricRow& row : kMetrics)
    text += fmt::format("| `{}` | {} | {} | {} | {} | {} | {} |\n", row.name, row.title,
                        row.unit == "JY/BEAM" ? "the image's" : row.unit, row.text, level_cell(usual, row.name),
                        level_cell(askap, row.name), row.follows);
  return text;
}

}  // namespace reber
