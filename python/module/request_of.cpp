// SPDX-License-Identifier: BSD-3-Clause
// Keywords are the options' names: one loop over the table of parameters.
#include "python/module/request_of.hpp"

#include <fmt/format.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <vector>

#include "core/run/request/parameter_rules.hpp"
#include "core/run/request/parameters.hpp"

namespace nb = nanobind;

namespace reber::python {
namespace {

/// A name in Python for an option or an alias; `negated` where it says the opposite of the parameter.
struct Keyword {
  std::string word;
  bool negated = false;
};

std::string as_identifier(std::string text) {
  text.erase(0, std::min(text.find_first_not_of('-'), text.size()));
  std::ranges::replace(text, '-', '_');
  return text;
}

/// "--use-mean" gives mean, mean_map and use_mean: nothing is written here; "!--no-deblend" no_deblend; then the alias.
std::vector<Keyword> keywords_of(const Parameter& row) {
  constexpr std::string_view kUse = "use_";
  std::vector<Keyword> words;
  std::string_view rest = row.option;
  while (!rest.empty()) {
    std::string_view one = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), one.size() + 1));
    const bool negated = one.starts_with('!');
    if (negated) one.remove_prefix(1);
    const std::string word = as_identifier(std::string(one));
    if (word.starts_with(kUse))
      words.insert(words.end(), {{word.substr(kUse.size())}, {word.substr(kUse.size()) + "_map"}});
    words.push_back({word, negated});
  }
  const std::string alias = as_identifier(std::string(row.alias));
  if (!alias.empty() && std::ranges::find(words, alias, &Keyword::word) == words.end()) words.push_back({alias, false});
  if (words.empty()) words.push_back({as_identifier(std::string(row.name.substr(row.name.rfind('.') + 1))), false});
  return words;
}

const char* kind_word(Access::Kind kind) {
  switch (kind) {
    case Access::Kind::flag:
      return "bool";
    case Access::Kind::whole:
      return "int";
    case Access::Kind::real:
      return "float";
    case Access::Kind::list:
      return "list";
    default:
      return "str";
  }
}

/// How many letters must change, at most `enough`.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t corner = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = corner + (a[i - 1] == b[j - 1] ? 0 : 1);
      corner = row[j];
      row[j] = std::min({change, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

[[noreturn]] void refuse(const std::string& keyword) {
  std::string nearest;
  for (const Parameter& row : parameters())
    for (const Keyword& known : keywords_of(row))
      if (nearest.empty() || distance(known.word, keyword) < distance(nearest, keyword)) nearest = known.word;
  throw nb::type_error(
      fmt::format("unknown keyword '{}'; the nearest one is '{}', and reber.parameters() lists all", keyword, nearest)
          .c_str());
}

/// The text that the command line would have for a value.
std::string text_of(nb::handle value) {
  if (nb::isinstance<nb::str>(value)) return nb::cast<std::string>(value);
  if (nb::isinstance<nb::list>(value) || nb::isinstance<nb::tuple>(value)) {
    std::string text;
    for (const nb::handle one : value) text += (text.empty() ? "" : ",") + text_of(one);
    return text;
  }
  return nb::cast<std::string>(nb::str(value));
}

void set(const Parameter& row, bool negated, nb::handle value, Request& request) {
  if (row.access.kind == Access::Kind::flag) {
    const bool on = nb::cast<bool>(value.attr("__bool__")());
    row.access.set(request, ParameterValue(on != negated));
  } else {
    set_text(row, request, text_of(value));
  }
}

}  // namespace

nb::list parameter_rows() {
  nb::list rows;
  const Request usual = [] {
    Request request;
    request.background.emplace();
    request.detect.emplace();
    return request;
  }();
  for (const Parameter& row : parameters()) {
    nb::list keywords;
    for (const Keyword& keyword : keywords_of(row)) keywords.append(keyword.word);
    nb::dict told;
    told["name"] = std::string(row.name);
    told["stage"] = std::string(to_string(row.stage));
    told["keywords"] = keywords;
    told["kind"] = kind_word(row.access.kind);
    told["unit"] = std::string(row.unit.shown);
    told["help"] = help_text(row);
    told["default"] = value_text(row, usual);
    rows.append(told);
  }
  return rows;
}

Request request_of(const nb::list& stages, const nb::dict& settings) {
  Request request;
  for (const nb::handle stage : stages) {
    const auto name = nb::cast<std::string>(stage);
    if (name == "convolve") request.convolve.emplace();
    if (name == "background" || name == "detect") request.background.emplace();
    if (name == "detect") request.detect.emplace();
  }
  const bool stops_early = !request.detect;
  for (const auto& [key, value] : settings) {
    const auto keyword = nb::cast<std::string>(key);
    bool known = false;
    for (const Parameter& row : parameters())
      for (const Keyword& one : keywords_of(row)) {
        if (known || one.word != keyword) continue;
        const bool off = (row.stage == StageId::convolve && !request.convolve) ||
                         (row.stage == StageId::background && !request.background) ||
                         (row.stage >= StageId::detect && stops_early);
        if (off)
          throw nb::type_error(
              fmt::format("'{}' has no meaning here: nothing is asked for that it changes", keyword).c_str());
        set(row, one.negated, value, request);
        known = true;
      }
    if (!known) refuse(keyword);
  }
  // Whatever the order of the keywords: a threshold that is given would have set it to 0.
  if (settings.contains("deepen")) set(*find_parameter("detect.deepen"), false, settings["deepen"], request);
  refuse_broken_rules(request);
  return request;
}

}  // namespace reber::python
