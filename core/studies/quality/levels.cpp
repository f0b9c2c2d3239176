// SPDX-License-Identifier: BSD-3-Clause
// Levels that Reber ships, and files of levels.
#include "core/studies/quality/levels.hpp"

#include <fmt/format.h>

#include <cmath>
#include <regex>
#include <sstream>

#include "core/base/error.hpp"
#include "core/base/json_text.hpp"
#include "core/base/printable.hpp"
#include "core/files/io/byte_source.hpp"
#include "core/studies/quality/metrics.hpp"

namespace reber {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kUsual =
    R"(# Levels that hold for any telescope: none on noise, which is the telescope's business.
name = "Reber's own levels"
errors = 1
[beam]
pass = [1, 1]
[sky]
pass = [1, 1]
[blank]
pass = [0, 0.03]
uncertain = [0, 0.2]
[noise_known]
pass = [0.98, 1]
uncertain = [0.8, 1]
[beam_sampling]
pass = [2.5, inf]
uncertain = [2, inf]
[rms_quadrants]
pass = [1, 1.35]
uncertain = [1, 1.7]
[background]
pass = [-0.2, 0.2]
uncertain = [-0.5, 0.5]
[snr_width]
pass = [0.9, 1.1]
uncertain = [0.8, 1.25]
[ripple]
pass = [0, 2]
uncertain = [0, 3]
[negatives]
pass = [0, 0.05]
uncertain = [0, 0.2]
[resolved]
pass = [0, 0.5]
uncertain = [0, 0.8]
[complete_50]
pass = [0, 1.15]
uncertain = [0, 1.4]
[recovered_flux]
pass = [0.97, 1.03]
uncertain = [0.9, 1.1]
[offset]
pass = [0, 2]
[offset_beams]
pass = [0, 0.2]
uncertain = [0, 0.5]
[offset_scatter]
pass = [0, 5]
uncertain = [0, 10]
[flux_ratio]
pass = [0.9, 1.1]
[flux_scatter]
pass = [0, 0.2]
uncertain = [0, 0.4]
)";

constexpr std::string_view kAskap =
    R"(# Levels of the validation of ASKAP's continuum images. Those of in-band spectral indices and of single beams are not
# here: one image does not tell them.
name = "levels of the ASKAP continuum validation"
errors = 0
[median_rms]           # Jy/beam
pass = [0, 35e-6]
[resolved]
pass = [0.05, 0.3]
[counts_chi2]
pass = [0, 3]
uncertain = [0, 50]
[offset]
pass = [0, 2]
[offset_scatter]
pass = [0, 5]
uncertain = [0, 10]
[flux_ratio]
pass = [0.9, 1.1]
[flux_scatter]
pass = [0, 0.1]
uncertain = [0, 0.2]
)";

/// A value of TOML that is a number, a text or a list of numbers; infinite ends become null.
Json toml_value_of(const std::string& text, const std::string& where) {
  constexpr std::size_t kShown = 60;
  static const std::regex infinite("[+-]?inf"), plus(R"((^|[\[,\s])\+)");
  std::string json = text;
  if (json.size() > 1 && json.front() == '\'' && json.back() == '\'') return Json(json.substr(1, json.size() - 2));
  if (!json.starts_with('"')) json = std::regex_replace(std::regex_replace(json, infinite, "null"), plus, "$1");
  Json value = parsed_json<Json>(json);
  if (value.is_discarded())
    throw InputError(fmt::format("{}: '{}' is no number, text or list of numbers", where,
                                 printable(text.size() > kShown ? text.substr(0, kShown) + "..." : text)));
  return value;
}

std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \t\r"), end = text.find_last_not_of(" \t\r");
  return begin == std::string::npos ? "" : text.substr(begin, end - begin + 1);
}

/// A line up to its comment.
std::string without_comment(const std::string& line) {
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (quote == 0 && line[i] == '#') return line.substr(0, i);
    if (line[i] == '"' || line[i] == '\'') quote = quote == 0 ? line[i] : quote == line[i] ? char{0} : quote;
  }
  return line;
}

/// The part of TOML that a file of levels needs: tables one deep, and one value to a line.
Json json_of_toml(const std::string& text, const std::string& name) {
  Json all = Json::object();
  Json* table = &all;
  std::istringstream lines(text);
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    const std::string where = fmt::format("{}, line {}", name, ++number);
    const std::string rest = trimmed(without_comment(line));
    if (rest.empty()) continue;
    if (rest.front() == '[' && rest.back() == ']') {
      table = &(all[trimmed(rest.substr(1, rest.size() - 2))] = Json::object());
      continue;
    }
    const std::size_t equals = rest.find('=');
    if (equals == std::string::npos)
      throw InputError(fmt::format("{}: expected [METRIC] or KEY = VALUE, not '{}'", where, printable(rest)));
    (*table)[trimmed(rest.substr(0, equals))] = toml_value_of(trimmed(rest.substr(equals + 1)), where);
  }
  return all;
}

Interval interval_of(const Json& pair, const std::string& where) {
  const auto end = [](const Json& one) { return one.is_number() || one.is_null(); };
  if (!pair.is_array() || pair.size() != 2 || !end(pair[0]) || !end(pair[1]))
    throw InputError(fmt::format("{}: expected [LOW, HIGH], not {}", where, printable(shown(pair))));
  Interval interval;
  if (!pair[0].is_null()) interval.low = pair[0].get<double>();
  if (!pair[1].is_null()) interval.high = pair[1].get<double>();
  if (!(interval.low <= interval.high))
    throw InputError(fmt::format("{}: [{}, {}] does not rise", where, interval.low, interval.high));
  return interval;
}

Level level_of(const Json& table, const std::string& where) {
  if (!table.is_object() || !table.contains("pass"))
    throw InputError(fmt::format("{}: expected a table with pass = [LOW, HIGH]", where));
  for (const auto& [key, unused] : table.items())
    if (key != "pass" && key != "uncertain")
      throw InputError(fmt::format("{}: '{}' is neither pass nor uncertain", where, printable(key)));
  Level level;
  level.pass = interval_of(table["pass"], where + ".pass");
  level.uncertain = table.contains("uncertain") ? interval_of(table["uncertain"], where + ".uncertain") : level.pass;
  if (!level.uncertain.holds(level.pass.low) || !level.uncertain.holds(level.pass.high))
    throw InputError(fmt::format("{}: uncertain must hold pass", where));
  return level;
}

Levels levels_of(const Json& all, const std::string& source) {
  Levels levels{source, 1, {}};
  if (!all.is_object()) throw InputError(fmt::format("{}: no table of levels", source));
  for (const auto& [key, value] : all.items()) {
    const std::string where = fmt::format("{}: {}", source, printable(key));
    if (key == "name" && value.is_string()) {
      levels.name = value.get<std::string>();
    } else if (key == "errors" && value.is_number() && value.get<double>() >= 0) {
      levels.errors = value.get<double>();
    } else if (metric_row(key) != nullptr) {
      levels.of.emplace(key, level_of(value, where));
    } else {
      std::string known;
      for (const MetricRow& row : kMetrics) known += (known.empty() ? "" : " ") + std::string(row.name);
      throw InputError(
          fmt::format("{} is not a text 'name', a number 'errors' or one of the metrics: {}", where, known));
    }
  }
  return levels;
}

}  // namespace

std::string_view shipped_levels(std::string_view name) {
  return name == "default" ? kUsual : name == "askap" ? kAskap : std::string_view();
}

Levels read_levels(const std::string& name_or_path) {
  constexpr std::int64_t kMostBytes = std::int64_t{1} << 20;
  const std::string_view shipped = shipped_levels(name_or_path);
  const std::string text = shipped.empty() ? fits::read_text(name_or_path, kMostBytes) : std::string(shipped);
  const std::string name = printable(name_or_path);
  if (trimmed(text).starts_with('{')) {
    const Json all = parsed_json<Json>(text);
    if (all.is_discarded()) throw InputError(name + ": no JSON");
    return levels_of(all, name);
  }
  return levels_of(json_of_toml(text, name), name);
}

}  // namespace reber
