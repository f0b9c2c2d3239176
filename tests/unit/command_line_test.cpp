// SPDX-License-Identifier: BSD-3-Clause
// A request as a command: the words, read as the program reads them, make the same request again.
#include "core/run/request/command_line.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "app/options/common_options.hpp"
#include "app/options/parameter_options.hpp"
#include "app/options/parse.hpp"
#include "core/base/error.hpp"
#include "core/run/pipeline/stage_key.hpp"

namespace reber {
namespace {

using Words = std::vector<std::string>;

Request usual(const std::string& input = "/data/sky.fits") {
  Request request;
  request.input = input;
  request.background.emplace();
  request.detect.emplace();
  return request;
}

/// What `reber find` and `reber run` make of the words.
Request read_back(Words words, bool run) {
  app::Command command("reber", "");
  app::CommonOptions common;
  app::ParameterOptions parameters;
  std::string input, output, extended, products;
  command.add_option("input", input, "");
  command.add_option("-o", output, "");
  command.add_option("--extended", extended, "");
  command.add_option("--products", products, "");
  app::add_run_options(command, common);
  using Group = app::ParameterOptions::Group;
  parameters.add(command, Group::detection);
  parameters.add(command, Group::background);
  if (run) parameters.add(command, Group::convolution);
  words.erase(words.begin() + 1);
  std::vector<const char*> line;
  for (const std::string& word : words) line.push_back(word.c_str());
  EXPECT_EQ(app::parse(command, static_cast<int>(line.size()), line.data()).wrong, "");
  Request request = app::base_request(common, input);
  parameters.apply(request);
  return request;
}

void expect_same(const Request& request) {
  const Words words = command_words(request);
  const Request again = read_back(words, request.convolve.has_value());
  const auto changed = first_changed(request, again);
  EXPECT_FALSE(changed) << "stage " << to_string(*changed) << " differs: " << quoted_for_shell(words);
}

/// Another value than the default.
std::string other_text(const Parameter& row) {
  const std::string now = value_text(row, Request{});
  if (row.access.kind == Access::Kind::flag) return now == "true" ? "false" : "true";
  if (row.access.kind == Access::Kind::choice)
    for (const ChoiceWord& word : row.access.words)
      if (word.word != now) return std::string(word.word);
  if (row.access.kind == Access::Kind::list) return "0,2.5";
  if (row.access.kind == Access::Kind::text)
    return row.name == "convolve.kernel" ? "gaussian:4" : "/data/it's a map.fits";
  for (const char* number : {"0.37", "7", "3", "1", "12", "101"}) try {
      Request request = usual();
      set_text(row, request, number);
      if (value_text(row, request) != now) return number;
    } catch (const InputError&) {  // NOLINT(bugprone-empty-catch): the next one
    }
  return "";
}

TEST(CommandLine, leaves_the_defaults_out) {
  EXPECT_EQ(command_words(usual()), (Words{"reber", "find", "/data/sky.fits", "-o", "sky_sources.csv"}));
  EXPECT_EQ(command_words(usual("/data/sky.fits.gz"), {"cpu", true}),
            (Words{"reber", "find", "/data/sky.fits.gz", "-o", "sky_sources.csv", "--extended", "sky_extended.csv",
                   "--backend=cpu"}));
  Request convolved = usual("/data/-sky.fits");
  convolved.convolve.emplace().kernel = parse_kernel("gaussian:3");
  EXPECT_EQ(command_words(convolved), (Words{"reber", "run", "/data/-sky.fits", "-o", "./-sky_results", "--products",
                                             "csv", "--kernel=gaussian:3"}));
  convolved.detect.reset();
  EXPECT_THROW((void)command_words(convolved), InputError);
}

TEST(CommandLine, says_every_parameter) {
  int tried = 0;
  for (const Parameter& row : parameters()) {
    if (row.option.empty()) continue;
    SCOPED_TRACE(row.name);
    Request request = usual();
    if (section_of(row) == Section::convolution) request.convolve.emplace().kernel = parse_kernel("gaussian:3");
    const std::string text = other_text(row);
    ASSERT_FALSE(text.empty());
    try {
      set_text(row, request, text);
    } catch (const InputError&) {
      continue;  // a text that is no map's name, or a word that goes with another row
    }
    if (!command_words(request).empty() && row.access.kind != Access::Kind::text) ++tried;
    try {
      expect_same(request);
    } catch (const InputError& broken) {  // by itself it breaks a rule between parameters
      continue;
    }
  }
  EXPECT_GT(tried, 25);
}

TEST(CommandLine, says_what_is_no_parameter) {
  Request request = usual();
  request.open.hdu = 2;
  request.open.plane = 5;
  request.open.unit = "Jy/beam";
  request.beam = Beam{12.5 / 3600, 8.25 / 3600, -30};
  const Request again = read_back(command_words(request), false);
  EXPECT_EQ(again.open, request.open);
  ASSERT_TRUE(again.beam);
  EXPECT_DOUBLE_EQ(again.beam->major_deg, request.beam->major_deg);
  EXPECT_DOUBLE_EQ(again.beam->pa_deg, -30);
}

/// What a shell makes of a line, word by word.
Words by_shell(const std::string& line) {
  const std::string command = "for word in " + line + "; do printf '%s\\036' \"$word\"; done";
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> shell(::popen(command.c_str(), "r"), ::pclose);
  Words words;
  std::string word;
  for (int c = std::fgetc(shell.get()); c != EOF; c = std::fgetc(shell.get())) {
    if (c != '\036') {
      word += static_cast<char>(c);
      continue;
    }
    words.push_back(word);
    word.clear();
  }
  return words;
}

TEST(CommandLine, is_read_by_a_shell_as_it_was_meant) {
  const Words words{"plain.fits", "it's", "a b",  "",           "$HOME", "`ls`",           "a;b", "\"",   "\\", "*",
                    "~",          "#",    "a\nb", "sk\xC3\xBD", "!!",    "--use-mean=a&b", "''",  "{1,2}"};
  EXPECT_EQ(by_shell(quoted_for_shell(words)), words);
  EXPECT_EQ(quoted_for_shell({"reber", "/a/b-1_2.fits", "--box=1,2"}), "reber /a/b-1_2.fits --box=1,2");
  EXPECT_THROW((void)quoted_for_shell({std::string("a\0b", 3)}), InputError);
}

}  // namespace
}  // namespace reber
