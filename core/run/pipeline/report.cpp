// SPDX-License-Identifier: BSD-3-Clause
// A report as a table for people and as JSON for programs.
#include "core/run/pipeline/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/printable.hpp"

namespace reber {
namespace {

std::string bytes_in_words(std::int64_t bytes) {
  if (bytes == 0) return "-";
  if (bytes < 10'000) return fmt::format("{} B", bytes);
  if (bytes < 10'000'000) return fmt::format("{:.1f} kB", static_cast<double>(bytes) * 1e-3);
  return fmt::format("{:.1f} MB", static_cast<double>(bytes) * 1e-6);
}

std::string milliseconds(double value) { return value > 0 ? fmt::format("{:.1f}", value) : "-"; }

}  // namespace

std::string to_text(const Report& report) {
  std::string text = fmt::format("{}\n", printable(report.input));
  std::size_t width = 0;
  for (const auto& [name, value] : report.facts) width = std::max(width, name.size());
  for (const auto& [name, value] : report.facts) text += fmt::format("  {:<{}}  {}\n", name, width, printable(value));
  if (!report.stages.empty()) {
    // Without a card its columns would be empty.
    const bool card = std::ranges::any_of(
        report.stages, [](const StageReport& s) { return s.device_ms > 0 || s.bytes_up > 0 || s.bytes_down > 0; });
    const auto row = [&](const std::string& name, const std::string& wall, const std::string& device,
                         const std::string& up, const std::string& down, const std::string& algorithm) {
      text += fmt::format("  {:<11} {:>8}", name, wall);
      if (card) text += fmt::format(" {:>9} {:>8} {:>8}", device, up, down);
      text += fmt::format("   {}\n", algorithm);
    };
    text += "\n";
    row("stage", "wall ms", "device ms", "up", "down", "algorithm");
    for (const StageReport& stage : report.stages)
      row(stage.name, milliseconds(stage.wall_ms), milliseconds(stage.device_ms), bytes_in_words(stage.bytes_up),
          bytes_in_words(stage.bytes_down), printable(stage.algorithm));
    text += fmt::format("  {:<11} {:>8}   on {} ({})\n", "all", milliseconds(report.wall_ms), report.backend,
                        report.device);
  }
  for (const std::string& warning : report.warnings) text += fmt::format("  warning: {}\n", printable(warning));
  for (const std::string& output : report.outputs) text += fmt::format("  wrote {}\n", printable(output));
  return text;
}

std::string to_json(const Report& report) {
  nlohmann::ordered_json json;
  json["input"] = report.input;
  json["backend"] = report.backend;
  json["device"] = report.device;
  for (const auto& [name, value] : report.facts) {
    // A name told several times keeps all that was told.
    auto& fact = json["facts"][name];
    fact = fact.is_null() ? value : fact.get<std::string>() + "; " + value;
  }
  json["stages"] = nlohmann::ordered_json::array();
  for (const StageReport& stage : report.stages)
    json["stages"].push_back({{"name", stage.name},
                              {"wall_ms", stage.wall_ms},
                              {"device_ms", stage.device_ms},
                              {"bytes_up", stage.bytes_up},
                              {"bytes_down", stage.bytes_down},
                              {"algorithm", stage.algorithm}});
  json["warnings"] = report.warnings;
  json["outputs"] = report.outputs;
  json["wall_ms"] = report.wall_ms;
  // Text of a header may be no valid UTF-8: such bytes are replaced.
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace reber
