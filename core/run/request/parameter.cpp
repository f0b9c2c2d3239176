// SPDX-License-Identifier: BSD-3-Clause
// What follows from a row alone: its texts, and values read and refused.
#include "core/run/request/parameter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <filesystem>

#include "core/base/error.hpp"
#include "core/run/request/map_choice.hpp"
#include "core/sky/mask/moc_file.hpp"
#include "core/sky/mask/region_mask.hpp"

namespace reber {
namespace {

using Kind = Access::Kind;

std::optional<double> number_of(std::string_view text) {
  double value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || stop != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::string words_of(const Access& access, std::string_view between) {
  std::string text;
  for (const ChoiceWord& row : access.words)
    text += (text.empty() ? std::string() : std::string(between)) + std::string(row.word);
  return text;
}

/// A number as short as it goes; what a change of the unit leaves of rounding is cut off.
std::string number_text(const Parameter& parameter, double stored) {
  if (parameter.unit.per_stored == 1) return fmt::format("{}", stored);
  return fmt::format("{:.12g}", stored * parameter.unit.per_stored);
}

/// In the unit that users see; none of what is no number.
std::optional<double> shown_number(const Parameter& parameter, const ParameterValue& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
  if (const auto* real = std::get_if<double>(&value)) return *real * parameter.unit.per_stored;
  return std::nullopt;
}

/// As users see it, for messages.
std::string shown_text(const Parameter& parameter, const ParameterValue& value) {
  if (const auto* real = std::get_if<double>(&value)) return number_text(parameter, *real);
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return fmt::format("{}", *whole);
  const auto* text = std::get_if<std::string>(&value);
  return text != nullptr ? "'" + *text + "'" : std::string();
}

ParameterValue value_of_text(const Parameter& parameter, const std::string& text) {
  const std::string what = option_name(parameter);
  switch (parameter.access.kind) {
    case Kind::flag:
      if (text != "true" && text != "false")
        throw InputError(fmt::format("{} '{}': expected true or false", what, text));
      return (text == "true") != parameter.option.starts_with('!');
    case Kind::whole: {
      const auto number = number_of(text);
      if (!number || *number != std::floor(*number) || std::abs(*number) > 9e15)
        throw InputError(fmt::format("{}: '{}' is not a whole number", what, text));
      return static_cast<std::int64_t>(*number);
    }
    case Kind::real: {
      const auto number = number_of(text);
      if (!number) throw InputError(fmt::format("{}: '{}' is not a number", what, text));
      return *number / parameter.unit.per_stored;
    }
    default:
      return text;
  }
}

/// An empty path stands for none.
std::string absolute_path(const std::string& path) {
  return path.empty() ? path : std::filesystem::absolute(path).string();
}

bool stage_is_on(Section section, const Request& request) {
  if (section == Section::convolution) return request.convolve.has_value();
  if (section == Section::background) return request.background.has_value();
  return request.detect.has_value();
}

std::string upper(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return result;
}

/// A row of a Markdown table.
std::string document_line(const Parameter& row) {
  const bool choice = row.access.kind == Kind::choice;
  std::string help(row.help);
  for (std::size_t at = 0; (at = help.find(" | ", at)) != std::string::npos;) help.replace(at, 3, "; ");
  return fmt::format("| {} | {} | {} | {} | {} | {} | {} |\n", row.name,
                     row.option.empty() ? "" : "`" + option_name(row) + "`", value_text(row, Request{}), row.unit.shown,
                     choice ? words_of(row.access, " ") : row.range.text(), to_string(row.stage), help);
}

}  // namespace

Section section_of(const Parameter& parameter) {
  if (parameter.section) return *parameter.section;
  if (parameter.stage <= StageId::convolve) return Section::convolution;
  if (parameter.stage == StageId::background) return Section::background;
  return parameter.stage == StageId::detect ? Section::detection : Section::measurement;
}

std::string option_key(const Parameter& parameter) {
  std::string_view name = parameter.option.substr(0, parameter.option.find(','));
  if (name.starts_with('!')) name.remove_prefix(1);
  if (name.starts_with("--")) name.remove_prefix(2);
  return std::string(name);
}

std::string option_name(const Parameter& parameter) {
  return parameter.option.empty() ? std::string(parameter.name) : "--" + option_key(parameter);
}

std::string value_name(const Parameter& parameter) {
  if (parameter.access.kind == Kind::flag) return {};
  if (parameter.access.kind == Kind::choice) return words_of(parameter.access, "|");
  return parameter.unit.shown.empty() ? "N" : upper(parameter.unit.shown.substr(0, parameter.unit.shown.find('/')));
}

std::string help_text(const Parameter& parameter) {
  const std::string range = parameter.range.text();
  return range.empty() ? std::string(parameter.help) : fmt::format("{} ({})", parameter.help, range);
}

std::string value_text(const Parameter& parameter, const Request& request) {
  if (parameter.access.text != nullptr) return parameter.access.text(request);
  const ParameterValue value = parameter.access.get(request);
  switch (parameter.access.kind) {
    case Kind::flag:
      return std::get<bool>(value) != parameter.option.starts_with('!') ? "true" : "false";
    case Kind::whole:
      return fmt::format("{}", std::get<std::int64_t>(value));
    case Kind::real:
      return number_text(parameter, std::get<double>(value));
    case Kind::list: {
      std::string text;
      for (const double number : std::get<std::vector<double>>(value))
        text += fmt::format("{}{}", text.empty() ? "" : ",", number);
      return text;
    }
    default:
      return std::get<std::string>(value);
  }
}

std::string portable_text(const Parameter& parameter, const Request& request) {
  constexpr std::string_view kFile = "file:";
  std::string text = value_text(parameter, request);
  const bool of_words = parameter.option.starts_with("--use-") && map_choice(text).kind != MapChoice::Kind::map;
  if (parameter.unit.shown == "cube") return absolute_path(text);
  if (parameter.unit.shown == "FITS") return of_words ? text : absolute_path(text);
  if (parameter.unit.shown == "region") return is_region_text(text) ? text : absolute_path(text);
  if (parameter.unit.shown == "MOC") return is_moc_text(text) ? text : absolute_path(text);
  if (parameter.unit.shown == "kernel" && text.starts_with(kFile))
    return std::string(kFile) + absolute_path(text.substr(kFile.size()));
  return text;
}

void set_text(const Parameter& parameter, Request& request, const std::string& text) {
  if (parameter.access.set_text != nullptr) return parameter.access.set_text(request, text);
  set_value(parameter, request, value_of_text(parameter, text), option_name(parameter));
}

bool has_range(const Parameter& parameter) {
  const Kind kind = parameter.access.kind;
  return kind == Kind::whole || kind == Kind::real || kind == Kind::choice;
}

bool is_taken(const Parameter& parameter, const ParameterValue& value) {
  if (const auto number = shown_number(parameter, value)) return parameter.range.holds(*number);
  if (parameter.access.kind != Kind::choice) return true;
  const auto* word = std::get_if<std::string>(&value);
  return word != nullptr && std::ranges::any_of(parameter.access.words, [&](const ChoiceWord& row) {
           return row.word == *word || (!row.alias.empty() && row.alias == *word);
         });
}

std::string expected_text(const Parameter& parameter, const ParameterValue& value) {
  const std::span<const ChoiceWord> words = parameter.access.words;
  if (words.size() == 2) return fmt::format("{} or {} was expected", words[0].word, words[1].word);
  if (!words.empty()) return fmt::format("one of {} was expected", words_of(parameter.access, ", "));
  const std::string_view unit = parameter.unit.shown;
  const double number = shown_number(parameter, value).value_or(0);
  return fmt::format("{}{}{} was expected", parameter.range.expected(number), unit.empty() ? "" : " ", unit);
}

void set_value(const Parameter& parameter, Request& request, const ParameterValue& value, const std::string& what) {
  ParameterValue typed = value;
  if (parameter.access.kind == Kind::real && std::holds_alternative<std::int64_t>(value))
    typed = static_cast<double>(std::get<std::int64_t>(value));
  if (typed.index() != parameter.access.get(request).index())
    throw InputError(fmt::format("{}: a value of another kind was expected", what));
  if (!is_taken(parameter, typed))
    throw InputError(fmt::format("{} {}: {}", what, shown_text(parameter, typed), expected_text(parameter, typed)));
  parameter.access.set(request, typed);
}

std::string toml_value(const std::string& text) {
  return number_of(text) || text == "true" || text == "false" ? text : quoted_toml(text);
}

std::string quoted_toml(const std::string& text) {
  // CLI11's reader knows no escapes inside quotes.
  const char quote = text.find('"') == std::string::npos ? '"' : '\'';
  if (text.find(quote) != std::string::npos || text.find('\n') != std::string::npos)
    throw InputError(fmt::format(
        "'{}' holds both kinds of quotes or a line break, so no configuration file can name it; rename it", text));
  return fmt::format("{0}{1}{0}", quote, text);
}

std::string option_line(const Parameter& parameter, const Request& request) {
  return fmt::format("{} = {}", option_key(parameter), toml_value(portable_text(parameter, request)));
}

std::vector<std::string> option_lines(const Request& request, std::span<const Parameter> rows) {
  std::vector<std::string> lines;
  for (const Parameter& row : rows) {
    if (row.option.empty() || !stage_is_on(section_of(row), request)) continue;
    if (!value_text(row, request).empty()) lines.push_back(option_line(row, request));
  }
  return lines;
}

bool same_values(StageId stage, const Request& a, const Request& b, std::span<const Parameter> rows) {
  return std::ranges::all_of(rows, [&](const Parameter& row) { return row.stage != stage || row.access.same(a, b); });
}

std::string parameters_document(std::span<const Parameter> rows) {
  std::string text =
      "# Parameters\n\nThis page is made by `reber --list-parameters`; a test compares it with the program.\n\n"
      "The name is the parameter's place in the JSON of workspaces and its name in scripts of the viewer. Options are "
      "those\nof the command line and the keys of configuration files and HISTORY. A change runs the stage, and those "
      "after it, again.\n";
  for (const Word<Section>& section : words<Section>) {
    text += fmt::format(
        "\n## {}\n\n| name | option | default | unit | range or words | stage | meaning |\n"
        "|---|---|---|---|---|---|---|\n",
        section.text);
    for (const Parameter& row : rows)
      if (section_of(row) == section.value) text += document_line(row);
  }
  return text;
}

}  // namespace reber
