// SPDX-License-Identifier: BSD-3-Clause
// Keywords are the options' names: one loop over the table of parameters.
#include "python/module/request_of.hpp"

#include <fmt/format.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <charconv>
#include <vector>

#include "core/base/error.hpp"
#include "core/run/request/bounds.hpp"
#include "core/run/request/parameter_rules.hpp"
#include "core/run/request/parameters.hpp"
#include "python/module/words.hpp"

namespace nb = nanobind;

namespace reber::python {
namespace {

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

void set(const Parameter& row, const Keyword& keyword, nb::handle value, Request& request) {
  if (row.access.kind == Access::Kind::flag)
    row.access.set(request, ParameterValue(truth_of(value, keyword.word) != keyword.negated));
  else
    set_text(row, request, text_of(value));
}

}  // namespace

nb::list bound_rows() {
  nb::list rows;
  for (const Bound& row : bounds())
    rows.append(nb::make_tuple(std::string(row.name), std::string(row.option), row.range.low, row.range.high,
                               row.range.above, row.whole));
  return rows;
}

std::string text_of(nb::handle value) {
  if (nb::isinstance<nb::str>(value)) return nb::cast<std::string>(value);
  if (nb::isinstance<nb::list>(value) || nb::isinstance<nb::tuple>(value)) {
    std::string text;
    for (const nb::handle one : value) text += (text.empty() ? "" : ",") + text_of(one);
    return text;
  }
  return nb::cast<std::string>(nb::str(value));
}

bool truth_of(nb::handle value, const std::string& keyword) {
  const std::string text = text_of(value);
  if (text == "True" || text == "true" || text == "1") return true;
  if (text == "False" || text == "false" || text == "0") return false;
  throw InputError(fmt::format("{}: True or False was expected, not {}", keyword, text));
}

std::uint64_t seed_of(nb::handle value) {
  const std::string text = text_of(value);
  std::uint64_t seed = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
  if (error != std::errc() || stop != text.data() + text.size())
    throw InputError(fmt::format("seed: a whole number from 0 was expected, not {}", text));
  return seed;
}

double number_of(nb::handle value, std::string_view name) { return held_number(bound(name), text_of(value)); }

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
    told["option"] = option_key(row);
    told["kind"] = kind_word(row.access.kind);
    told["unit"] = std::string(row.unit.shown);
    told["help"] = help_text(row);
    told["default"] = value_text(row, usual);
    const bool number = row.access.kind == Access::Kind::whole || row.access.kind == Access::Kind::real;
    told["range"] = number ? nb::object(nb::make_tuple(row.range.low, row.range.high, row.range.above)) : nb::none();
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
        set(row, one, value, request);
        known = true;
      }
    if (!known) throw nb::type_error(unknown_keyword(keyword).c_str());
  }
  // Whatever the order of the keywords: a threshold that is given would have set it to 0.
  if (settings.contains("deepen")) set(*find_parameter("detect.deepen"), {}, settings["deepen"], request);
  refuse_broken_rules(request);
  return request;
}

}  // namespace reber::python
