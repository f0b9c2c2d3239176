// SPDX-License-Identifier: BSD-3-Clause
// Each row of the table of parameters, and a row that the program does not know, seen in everything made from rows.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

#include "app/options/help_page.hpp"
#include "app/options/parameter_options.hpp"
#include "app/options/parse.hpp"
#include "core/base/error.hpp"
#include "core/run/pipeline/stage_key.hpp"
#include "core/run/request/parameter_rules.hpp"
#include "core/run/request/scale_list.hpp"
#include "fits_files.hpp"
#include "gui/model/pipeline_rows.hpp"
#include "gui/model/request_json.hpp"
#include "tests/support/source_file.hpp"

namespace reber {
namespace {

using Rows = std::span<const Parameter>;
using Group = app::ParameterOptions::Group;

/// What says something of the image as it stands, and does not go with a convolution.
bool of_the_image_itself(const Parameter& row) {
  return row.name == "detect.search.image" || row.name == "detect.psf_map";
}

/// All stages on; what a row needs beside itself to make sense.
Request request_for(const Parameter& row) {
  Request request;
  request.convolve.emplace().kernel = parse_kernel("gaussian:5");
  request.background.emplace();
  request.detect.emplace();
  if (row.name.ends_with("_step") || row.name == "background.step")
    request.background->method = BackgroundRequest::Method::grid;
  if (row.name.starts_with("background.bright_")) request.background->adaptive = true;
  if (of_the_image_itself(row)) request.convolve.reset();
  return request;
}

std::vector<std::string> arguments_for(const Parameter& row) {
  std::vector<std::string> arguments;
  if (row.name != "convolve.kernel" && !of_the_image_itself(row)) arguments = {"--kernel", "gaussian:5"};
  if (row.name.ends_with("_step") || row.name == "background.step")
    arguments.insert(arguments.end(), {"--background", "grid"});
  if (row.name.starts_with("background.bright_")) arguments.emplace_back("--adaptive");
  return arguments;
}

/// A value of the row that is not its default and breaks no rule.
ParameterValue off_default(const Parameter& row) {
  const ParameterValue usual = row.access.get(request_for(row));
  if (const auto* flag = std::get_if<bool>(&usual)) return !*flag;
  if (std::holds_alternative<std::vector<double>>(usual)) return std::vector<double>{3};
  if (row.access.kind == Access::Kind::choice) {
    for (const ChoiceWord& word : row.access.words)
      if (std::string(word.word) != std::get<std::string>(usual)) return std::string(word.word);
  }
  if (row.access.kind == Access::Kind::text)
    return std::string(row.unit.shown == "kernel" ? "box:3" : "/maps/map.fits");
  for (const double shown : {2.0, 0.25, 3.0, 7.0}) {
    ParameterValue value = shown / row.unit.per_stored;
    if (row.access.kind == Access::Kind::whole) value = static_cast<std::int64_t>(shown);
    Request trial = request_for(row);
    if (!is_taken(row, value) || value == usual) continue;
    row.access.set(trial, value);
    if (check(trial).empty()) return value;
  }
  ADD_FAILURE() << row.name << ": no value but the default";
  return usual;
}

Request changed_request(const Parameter& row) {
  Request request = request_for(row);
  row.access.set(request, off_default(row));
  return request;
}

/// As `reber run` reads its options.
struct CommandLine {
  app::Command root{"reber", ""};
  app::Command* run = root.add_subcommand("run", "");
  app::ParameterOptions options;
  explicit CommandLine(Rows rows) : options(rows) {
    for (const Group group : {Group::detection, Group::background, Group::convolution}) options.add(*run, group);
  }
  Request parse(const std::vector<std::string>& arguments, const std::string& config = {}) {
    std::vector<const char*> words{"reber", "run"};
    for (const std::string& argument : arguments) words.push_back(argument.c_str());
    const app::Parsed parsed = app::parse(root, static_cast<int>(words.size()), words.data(), config);
    if (!parsed.wrong.empty()) throw InputError(parsed.wrong);
    Request request;
    options.apply(request);
    return request;
  }
};

Request from_options(const Parameter& row, Rows rows, const std::string& text) {
  std::vector<std::string> arguments = arguments_for(row);
  const std::string option = "--" + option_key(row);
  if (row.access.kind == Access::Kind::flag)
    arguments.push_back(option + "=" + text);
  else
    arguments.insert(arguments.end(), {option, text});
  return CommandLine(rows).parse(arguments);
}

Request from_toml(const Parameter& row, Rows rows, const std::string& line) {
  const testing_files::TemporaryFolder folder;
  std::ofstream(folder.file("run.toml")) << "[run]\n" << line << '\n';
  CommandLine command(rows);
  return command.parse(arguments_for(row), folder.file("run.toml"));
}

Request from_json(const gui::Json& json, Rows rows) {
  Request request;
  gui::apply_json(gui::JsonObject(json, "s.json"), request, rows);
  return request;
}

gui::Json::json_pointer place_of(const Parameter& row) {
  std::string place = "/" + std::string(row.name);
  std::ranges::replace(place, '.', '/');
  return gui::Json::json_pointer(place);
}

void expect_everywhere(const Parameter& row, Rows rows) {
  SCOPED_TRACE(std::string(row.name));
  const Request changed = changed_request(row);
  const std::string text = value_text(row, changed);
  ASSERT_NE(text, value_text(row, request_for(row)));

  if (!row.option.empty()) {
    EXPECT_EQ(value_text(row, from_options(row, rows, text)), text);
    CommandLine command(rows);
    std::string help = app::full_page(*command.run);
    EXPECT_NE(help.find(" --" + option_key(row)), std::string::npos);
    std::erase_if(help, [](char c) { return c == ' ' || c == '\n'; });
    for (std::string part : {value_name(row), help_text(row), row.range.text()}) {
      std::erase_if(part, [](char c) { return c == ' ' || c == '\n'; });
      std::string flat = help;
      for (std::string* of : {&part, &flat}) std::erase(*of, '|');
      EXPECT_NE(flat.find(part), std::string::npos) << part;
    }
    const std::string line = option_line(row, changed);
    EXPECT_EQ(value_text(row, from_toml(row, rows, line)), text) << line;
    const std::vector<std::string> lines = option_lines(changed, rows);
    EXPECT_EQ(std::ranges::count(lines, line), 1);
  }
  const gui::Json json = gui::to_json(changed, rows);
  EXPECT_TRUE(json.contains(place_of(row)));
  EXPECT_EQ(row.access.get(from_json(json, rows)), row.access.get(changed));

  const std::string document = parameters_document(rows);
  EXPECT_NE(document.find("| " + std::string(row.name) + " |"), std::string::npos);
  EXPECT_NE(document.find("`" + option_name(row) + "`") == std::string::npos, !row.option.empty());

  if (row.look.kind != Look::Kind::none) {
    const auto shown = gui::panel_rows(changed, section_of(row), row.look.more, rows);
    EXPECT_EQ(std::ranges::count(shown, &row), 1) << "in the panel";
    EXPECT_EQ(gui::widget_names(row).front(), "pipeline." + std::string(row.name));
    EXPECT_FALSE(gui::row_title(row, changed).empty());
  }
  for (const auto& [stage, word] : kStageWords)
    EXPECT_EQ(same_values(stage, request_for(row), changed, rows), stage != row.stage) << word;
  if (find_parameter(row.name) != nullptr) {
    EXPECT_EQ(first_changed(request_for(row), changed), row.stage);
  }
}

/// Both ends of the range with their neighbours, and what no range holds, in the shown unit.
std::vector<double> draws(const Parameter& row) {
  std::vector<double> numbers{1e300, -1e300, std::nan("")};
  for (const double end : {row.range.low, row.range.high})
    for (const double step : {-1.0, 0.0, 1.0}) numbers.push_back(end + step);
  return numbers;
}

/// What is said of a value: empty where it is taken, or where only a rule between parameters refuses it.
template <class Call>
std::string refusal(Call call) {
  try {
    call();
  } catch (const InputError& error) {
    const std::string words = error.what();
    const bool of_the_value = words.find("was expected") != words.npos || words.find("is not a") != words.npos;
    return of_the_value ? words : std::string();
  }
  return {};
}
std::string said_of(const std::optional<Complaint>& complaint) {
  return refusal([&] {
    if (complaint) throw InputError(complaint->text);
  });
}

/// One number through the command line, a configuration, a session, the panel's text fields and its other widgets, and
/// in a request that somebody has filled by hand.
void expect_one_answer(const Parameter& row, Rows rows, double shown) {
  const bool whole = row.access.kind == Access::Kind::whole;
  const bool taken = row.range.holds(shown);
  const std::string text =
      whole && std::abs(shown) < 1e15 ? std::to_string(static_cast<std::int64_t>(shown)) : fmt::format("{}", shown);
  SCOPED_TRACE(std::string(row.name) + " " + text);
  Request request = request_for(row);
  if (!row.option.empty()) {
    EXPECT_EQ(refusal([&] { (void)from_options(row, rows, text); }).empty(), taken);
    EXPECT_EQ(refusal([&] { (void)from_toml(row, rows, option_key(row) + " = " + text); }).empty(), taken);
    EXPECT_EQ(said_of(edit_text(request, row.name, text, rows)).empty(), taken);
  }
  if (whole && !(std::abs(shown) < 1e15)) return;
  ParameterValue value = shown / row.unit.per_stored;
  if (whole) value = static_cast<std::int64_t>(shown);
  request = request_for(row);
  const std::string before = value_text(row, request);
  const auto complaint = edit(request, row.name, value, rows);
  EXPECT_EQ(said_of(complaint).empty(), taken);
  if (complaint) {
    EXPECT_EQ(value_text(row, request), before);
  }
  Request filled = request_for(row);
  row.access.set(filled, value);
  if (find_parameter(row.name) != nullptr) {
    const auto complaints = check(filled);
    EXPECT_EQ(std::ranges::any_of(complaints, [&](const Complaint& one) { return !said_of(one).empty(); }), !taken);
  }
  if (std::isfinite(shown)) {
    EXPECT_EQ(refusal([&] { (void)from_json(gui::to_json(filled, rows), rows); }).empty(), taken);
  }
}

void expect_bounds_everywhere(const Parameter& row, Rows rows) {
  if (row.access.kind != Access::Kind::whole && row.access.kind != Access::Kind::real) return;
  for (const double shown : draws(row)) expect_one_answer(row, rows, shown);
}

TEST(EveryParameter, is_seen_by_options_files_history_panel_documents_and_stages) {
  for (const Parameter& row : parameters()) expect_everywhere(row, parameters());
}

TEST(EveryParameter, bounds_are_those_of_the_table_by_every_way_in) {
  for (const Parameter& row : parameters()) expect_bounds_everywhere(row, parameters());
}

TEST(EveryParameter, a_row_of_ones_own_is_seen_everywhere) {
  std::vector<Parameter> rows(parameters().begin(), parameters().end());
  rows.push_back({.name = "detect.own.number",
                  .option = "--own",
                  .stage = StageId::detect,
                  .access = member([](auto& r) -> auto& { return r.device_memory_bytes; }),
                  .range = {.low = 0, .high = 9},
                  .unit = {"spoons"},
                  .title = "Own",
                  .help = "A parameter of this test",
                  .look = {.kind = Look::Kind::slider, .low = 0, .high = 9, .format = "%d spoons"}});
  expect_everywhere(rows.back(), rows);
  expect_bounds_everywhere(rows.back(), rows);
  EXPECT_EQ(value_name(rows.back()), "SPOONS");
}

TEST(EveryParameter, has_a_name_of_its_own) {
  for (const Parameter& row : parameters()) {
    const auto same = [&](const Parameter& other) {
      return other.name == row.name || (!row.option.empty() && option_key(other) == option_key(row)) ||
             gui::widget_names(other).back() == gui::widget_names(row).back();
    };
    EXPECT_EQ(std::ranges::count_if(parameters(), same), 1) << row.name;
    EXPECT_FALSE(row.help.empty()) << row.name;
  }
}

TEST(EveryParameter, is_in_the_documentation) {
  std::ifstream file(testing::source_file("docs/parameters.md"));
  std::ostringstream text;
  text << file.rdbuf();
  EXPECT_EQ(text.str(), parameters_document(parameters()))
      << "write it anew: reber --list-parameters > docs/parameters.md";
}

/// Converts to anything: stands for a member in an aggregate's braces.
struct Anything {
  template <class T>
  operator T() const;
};
template <class T, class... Members>
constexpr std::size_t members_of() {
  if constexpr (requires { T{Members{}..., Anything{}}; })
    return members_of<T, Members..., Anything>();
  else
    return sizeof...(Members);
}

std::size_t rows_that_begin_with(std::string_view name) {
  return static_cast<std::size_t>(
      std::ranges::count_if(parameters(), [&](const Parameter& row) { return row.name.starts_with(name); }));
}

TEST(EveryParameter, is_all_that_the_stages_have) {
  const char* const why = "a member without a row: add it to core/run/request/parameters.cpp";
  EXPECT_EQ(members_of<ConvolveRequest>(), rows_that_begin_with("convolve.")) << why;
  // `mesh` and `mesh.clip` hold rows and are none.
  EXPECT_EQ(members_of<BackgroundRequest>() + members_of<MeshOptions>() + members_of<ClipOptions>() - 2,
            rows_that_begin_with("background."))
      << why;
  EXPECT_EQ(members_of<ScaleRequest>(), rows_that_begin_with("detect.scales.")) << why;
  EXPECT_EQ(members_of<DeblendOptions>(), rows_that_begin_with("detect.deblend.")) << why;
  EXPECT_EQ(members_of<Calibration>(), rows_that_begin_with("detect.calibration.")) << why;
  EXPECT_EQ(members_of<SearchRequest>(), rows_that_begin_with("detect.search.")) << why;
  EXPECT_EQ(members_of<GroupOptions>(), rows_that_begin_with("detect.group.")) << why;
  // Of DetectOptions the pipeline sets `negative`; of FitRequest, `threads` changes no number. fdr, deepen,
  // negative_too, reliability and beam_is are the request's own.
  EXPECT_EQ(members_of<DetectOptions>() - 1 + members_of<FitRequest>() - 1 + 6,
            rows_that_begin_with("detect.") - rows_that_begin_with("detect.scales.") -
                rows_that_begin_with("detect.deblend.") - rows_that_begin_with("detect.calibration.") -
                rows_that_begin_with("detect.group.") - rows_that_begin_with("detect.search."))
      << why;
  EXPECT_EQ(members_of<Request>(), 24U) << "a new member of Request: a parameter has a row, and is counted above";
}

TEST(ParameterRules, name_both_sides_and_take_the_other_along_in_the_panel) {
  Request request;
  request.convolve.emplace().kernel = parse_kernel("gaussian:5");
  request.background.emplace();
  request.detect.emplace();
  EXPECT_TRUE(check(request).empty());
  EXPECT_FALSE(edit(request, "detect.seed", 2.5));
  EXPECT_EQ(request.detect->flood, 2.5) << "the flood follows the seed";
  EXPECT_FALSE(edit(request, "detect.flood", 4.0));
  EXPECT_EQ(request.detect->seed, 4.0) << "the seed follows the flood";
  request.detect->flood = 6;
  EXPECT_EQ(check(request).front().text, "--flood 6 must not be above --threshold 4");
  request.detect->flood = 3;
  EXPECT_TRUE(edit(request, "background.step", std::int64_t{20})) << "a mesh has no step";
  EXPECT_FALSE(edit(request, "background.method", std::string("grid")));
  EXPECT_FALSE(edit(request, "background.step", std::int64_t{20}));
  EXPECT_FALSE(edit(request, "background.method", std::string("mesh")));
  EXPECT_EQ(request.background->step, 0);
  EXPECT_FALSE(edit(request, "detect.fdr", 0.01));
  EXPECT_FALSE(edit_text(request, "detect.scales.fwhm", "0,3"));
  EXPECT_EQ(request.fdr, 0) << "several scales have no p-value";
  EXPECT_TRUE(edit(request, "detect.fdr", 0.01));
  EXPECT_EQ(request.fdr, 0);
}

TEST(ParameterRules, auto_follows_the_kernel) {
  Request request;
  request.convolve.emplace().kernel = parse_kernel("gaussian:5");
  EXPECT_EQ(nan_rule(*request.convolve), NanRule::interpolate);
  EXPECT_EQ(normalisation(*request.convolve), Normalise::sum);
  EXPECT_FALSE(edit(request, "convolve.nan", std::string("interpolate")));
  EXPECT_FALSE(edit_text(request, "convolve.kernel", "mexican-hat:2"));
  EXPECT_EQ(nan_rule(*request.convolve), NanRule::fill);
  EXPECT_EQ(normalisation(*request.convolve), Normalise::peak);
  EXPECT_TRUE(edit(request, "convolve.nan", std::string("interpolate")));
  EXPECT_FALSE(request.convolve->nan.has_value());
}

TEST(ParameterRules, the_command_lines_defaults_are_the_structs_own) {
  CommandLine command(parameters());
  const Request line = command.parse({});
  EXPECT_FALSE(line.convolve.has_value());
  EXPECT_EQ(*line.background, BackgroundRequest{});
  EXPECT_EQ(*line.detect, DetectOptions{});
  for (const Parameter& row : parameters()) EXPECT_EQ(row.access.get(line), row.access.get(Request{})) << row.name;
}

TEST(Words, name_what_was_expected) {
  EXPECT_EQ(from_string<FitRequest::Method>("none", "--fit"), FitRequest::Method::moments);
  EXPECT_EQ(to_string(FitRequest::Method::moments), "moments");
  try {
    (void)from_string<Boundary>("round", "--boundary");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "--boundary 'round': one of zero, reflect, mirror, nearest, wrap, blank was expected");
  }
}

TEST(ScaleList, ReadsWhatItWrites) {
  for (const char* text : {"", "0", "0,3,6", "0b,1.5b"}) EXPECT_EQ(scales_text(parse_scales(text)), text);
  EXPECT_EQ(scales_text(parse_scales("0, 3")), "0,3");
  for (const char* wrong : {",", "3,", "-1", "1001", "three", "0,1b", "nan", "1e"})
    EXPECT_THROW((void)parse_scales(wrong), InputError) << wrong;
}

}  // namespace
}  // namespace reber
