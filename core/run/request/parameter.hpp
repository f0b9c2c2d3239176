// SPDX-License-Identifier: BSD-3-Clause
// One parameter of a run: what it is called, holds and means. Options, files, HISTORY, panel and documents follow.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/words.hpp"
#include "core/run/request/range.hpp"
#include "core/run/request/request.hpp"
#include "core/run/request/stage_id.hpp"

namespace reber {

/// The value of a parameter in its stored unit. Choices, kernels and paths are texts.
using ParameterValue = std::variant<bool, std::int64_t, double, std::string, std::vector<double>>;

/// A word of a choice without its type, and how menus show it.
struct ChoiceWord {
  std::string_view word, text, alias;
};

/// Typed reading and writing of one member of a Request. A stage that is off reads as its defaults; writing turns it
/// on.
struct Access {
  enum class Kind { flag, whole, real, choice, text, list } kind;
  ParameterValue (*get)(const Request&);
  /// value: of the alternative that get() gives.   throws InputError for a text that is none
  void (*set)(Request&, const ParameterValue& value);
  bool (*same)(const Request&, const Request&);              ///< to the last bit, which a kernel's text need not show
  std::span<const ChoiceWord> words = {};                    ///< of a choice, as users see them
  std::string (*text)(const Request&) = nullptr;             ///< where the text of options is not that of get()
  void (*set_text)(Request&, const std::string&) = nullptr;  ///< the way back
};

/// In what a value is stored and shown: shown = per_stored * stored.
struct UnitPair {
  std::string_view shown;  ///< empty: a plain number
  std::string_view stored = shown;
  double per_stored = 1;
};

/// How the viewer's panel draws a parameter.
struct Look {
  enum class Kind { none, slider, log_slider, number, check, choice, text } kind = Kind::none;
  double low = 0, high = 0;      ///< ends of a slider, in the shown unit
  std::string_view format = {};  ///< printf, of a slider: "%.2f sigma"
  std::string_view empty = {};   ///< shown for 0 or for an empty text
  bool more = false;             ///< stands behind the line "More"
};

/// Headings of the panel; `reber COMMAND --help` has both of the last two under "Detection".
enum class Section { convolution, background, detection, measurement };
template <>
inline constexpr auto words<Section> = std::to_array<Word<Section>>({{"convolution", Section::convolution, "Convolve"},
                                                                     {"background", Section::background, "Background"},
                                                                     {"detection", Section::detection, "Find sources"},
                                                                     {"measurement", Section::measurement, "Measure"}});

/// A row of the table of parameters (core/run/request/parameters.hpp).
struct Parameter {
  std::string_view name;  ///< "detect.seed": place in JSON, name for undo and scripts, widget "pipeline.detect.seed"
  std::string_view option =
      {};         ///< "--threshold", "--normalise,--normalize"; "!--no-deblend": the flag means false; empty: none
  StageId stage;  ///< runs again when this changes
  Access access;
  Range range = {};
  UnitPair unit = {};
  std::string_view title;  ///< in the panel
  std::string_view help;   ///< in help pages and tool tips
  Look look = {};
  bool (*applies)(const Request&) = nullptr;  ///< where false, the panel hides it; null: always
  std::string_view alias = {};                ///< another name in scripts
  std::optional<Section> section = {};        ///< where it is not its stage's
};

/// Under which heading the parameter stands.
[[nodiscard]] Section section_of(const Parameter& parameter);
/// The option without dashes, the first of several: "threshold". TOML and HISTORY use it. Empty where it has none.
[[nodiscard]] std::string option_key(const Parameter& parameter);
/// The option for messages: "--threshold"; the name where there is none.
[[nodiscard]] std::string option_name(const Parameter& parameter);
/// Name of the value in help pages: "SIGMA", "4|8", "PX"; empty for flags.
[[nodiscard]] std::string value_name(const Parameter& parameter);
/// The help with range: help pages and parameters.md have it so.
[[nodiscard]] std::string help_text(const Parameter& parameter);

/// The value as options and files have it, in the shown unit.
[[nodiscard]] std::string value_text(const Parameter& parameter, const Request& request);
/// The same with absolute paths, so that it works from any folder.
[[nodiscard]] std::string portable_text(const Parameter& parameter, const Request& request);
/// Sets the value from such a text.   throws InputError: not of the kind, or out of range
void set_text(const Parameter& parameter, Request& request, const std::string& text);
/// Whether a value of the parameter's kind is one of its words or within its range.
[[nodiscard]] bool is_taken(const Parameter& parameter, const ParameterValue& value);
/// "one of zero, reflect was expected", "above 0 sigma was expected"; for a value that is not taken.
[[nodiscard]] std::string expected_text(const Parameter& parameter, const ParameterValue& value);
/// Whether it is a choice or a number, of which is_taken() can be asked.
[[nodiscard]] bool has_range(const Parameter& parameter);
/// Sets the value, in the stored unit. A whole number will do for a real one.
///   what: the value's place, for the message.   throws InputError: not of the kind, or out of range
void set_value(const Parameter& parameter, Request& request, const ParameterValue& value, const std::string& what);

/// "threshold = 5": a line of TOML, and of HISTORY after "option: ". Paths are absolute, so that it works from any
/// folder.   throws InputError for a text with both kinds of quotes or a line break
[[nodiscard]] std::string option_line(const Parameter& parameter, const Request& request);
/// The lines of all rows that have an option and whose stage is on.
[[nodiscard]] std::vector<std::string> option_lines(const Request& request, std::span<const Parameter> rows);

/// Whether a parameter of this stage's rows differs.
[[nodiscard]] bool same_values(StageId stage, const Request& a, const Request& b, std::span<const Parameter> rows);

/// All rows as Markdown: docs/parameters.md is this text.
[[nodiscard]] std::string parameters_document(std::span<const Parameter> rows);

/// A text between the quotes that it does not hold.   throws InputError where it holds both, or a line break
[[nodiscard]] std::string quoted_toml(const std::string& text);
/// The same; numbers and truth values as they are.
[[nodiscard]] std::string toml_value(const std::string& text);

/// Words of a choice for Access.
template <class E>
inline constexpr auto choice_words = [] {
  std::array<ChoiceWord, words<E>.size()> list{};
  for (std::size_t i = 0; i < list.size(); ++i) list[i] = {words<E>[i].word, words<E>[i].text, words<E>[i].alias};
  return list;
}();
/// With the word for a value that follows from the rest of the request.
template <class E>
inline constexpr auto choice_words<std::optional<E>> = [] {
  std::array<ChoiceWord, words<E>.size() + 1> list{};
  list[0] = {"auto", "auto", ""};
  for (std::size_t i = 0; i < words<E>.size(); ++i) list[i + 1] = choice_words<E>[i];
  return list;
}();

/// Conversion between members and ParameterValue, for member() below.
namespace parameter_value {
template <class T>
ParameterValue of(const T& value) {
  if constexpr (Worded<T>)
    return std::string(to_string(value));
  else if constexpr (std::is_same_v<T, KernelSpec>)
    return to_string(value);
  else if constexpr (std::is_same_v<T, int>)
    return static_cast<std::int64_t>(value);
  else
    return value;
}
template <Worded E>
ParameterValue of(const std::optional<E>& value) {
  return value ? std::string(to_string(*value)) : std::string("auto");
}
template <class T>
void take(T& member, const ParameterValue& value) {
  if constexpr (Worded<T>)
    member = from_string<T>(std::get<std::string>(value), "");
  else if constexpr (std::is_same_v<T, KernelSpec>)
    member = parse_kernel(std::get<std::string>(value));
  else if constexpr (std::is_same_v<T, int>)
    member = static_cast<int>(std::get<std::int64_t>(value));
  else
    member = std::get<T>(value);
}
template <Worded E>
void take(std::optional<E>& member, const ParameterValue& value) {
  const std::string& word = std::get<std::string>(value);
  member.reset();
  if (word != "auto") member = from_string<E>(word, "");
}
template <class T>
struct KindOf {
  static constexpr Access::Kind kind = Worded<T>                                ? Access::Kind::choice
                                       : std::is_same_v<T, bool>                ? Access::Kind::flag
                                       : std::is_same_v<T, double>              ? Access::Kind::real
                                       : std::is_integral_v<T>                  ? Access::Kind::whole
                                       : std::is_same_v<T, std::vector<double>> ? Access::Kind::list
                                                                                : Access::Kind::text;
};
template <class E>
struct KindOf<std::optional<E>> {
  static constexpr Access::Kind kind = Access::Kind::choice;
};
}  // namespace parameter_value

/// A stage's part of the request: its defaults where it is off, on from the first writing on.
template <class T>
const T& part(const std::optional<T>& stage) {
  static const T defaults{};
  return stage ? *stage : defaults;
}
template <class T>
T& part(std::optional<T>& stage) {
  if (!stage) stage.emplace();
  return *stage;
}

/// Access to the member that a stateless lambda names: [](auto& request) -> auto& { return request.fdr; }.
template <class Member>
constexpr Access member(Member) {
  using T = std::remove_cvref_t<std::invoke_result_t<Member, Request&>>;
  Access access{parameter_value::KindOf<T>::kind,
                [](const Request& request) { return parameter_value::of(Member{}(request)); },
                [](Request& request, const ParameterValue& value) { parameter_value::take(Member{}(request), value); },
                [](const Request& a, const Request& b) { return Member{}(a) == Member{}(b); }};
  if constexpr (parameter_value::KindOf<T>::kind == Access::Kind::choice) access.words = choice_words<T>;
  return access;
}

}  // namespace reber
