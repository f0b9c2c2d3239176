// SPDX-License-Identifier: BSD-3-Clause
// Where the configuration file is, and the lines of one that is written.
#include "app/options/config_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <sstream>
#include <string_view>

#include "app/options/own_inputs.hpp"
#include "app/terminal/program_name.hpp"
#include "core/base/error.hpp"
#include "core/base/printable.hpp"
#include "core/files/io/byte_source.hpp"

namespace reber::app {
namespace {

namespace fs = std::filesystem;

/// They belong to one call, not to a result that is to be repeated.
constexpr std::array kNotKept{"help",  "help-all", "config",  "trust-config", "require-cage", "json",   "trace",
                              "quiet", "verbose",  "dry-run", "overwrite",    "output",       "resume", "jobs",
                              "lanes", "join",     "rank",    "devices",      "workers",      "share",  "why"};

bool is_one_of(const std::string& name, const auto& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string toml_array(const std::vector<std::string>& values) {
  std::string text;
  for (const std::string& value : values) text += (text.empty() ? "" : ", ") + quoted_toml(value);
  return "[" + text + "]";
}

std::string value_in_force(const Option& option) {
  if (option.is_flag()) return option.given() && option.on() ? "true" : "false";
  if (!option.given()) return option.default_str().empty() ? "" : toml_value(option.default_str());
  const std::vector<std::string>& values = option.words();
  // A list option splits at commas itself; a text with commas is one value and needs its quotes.
  return values.size() == 1 ? toml_value(values.front()) : toml_array(values);
}

/// Names of a TOML file's sections, in order.
std::vector<std::string> sections_of(const std::string& path) {
  std::vector<std::string> names;
  constexpr std::int64_t kMostBytes = std::int64_t{16} << 20;
  std::istringstream file(fits::read_text(path, kMostBytes));
  for (std::string line; std::getline(file, line);) {
    const std::size_t begin = line.find_first_not_of(" \t["), end = line.find_first_of(".]", begin);
    const bool opens = line.find_first_not_of(" \t") != std::string::npos && line[line.find_first_not_of(" \t")] == '[';
    if (opens && begin != std::string::npos && end != std::string::npos)
      names.push_back(line.substr(begin, end - begin));
  }
  return names;
}

/// A file for other sub-commands alone would be read without a word, and nothing of it taken.
void check_sections(const Command& root, const std::string& path, int argc, const char* const* argv) {
  std::string command;
  for (int i = 1; i < argc && command.empty(); ++i)
    for (const auto& other : root.subcommands())
      if (other->name() == argv[i]) command = argv[i];
  const std::vector<std::string> sections = sections_of(path);
  if (command.empty() || sections.empty() || is_one_of(command, sections)) return;
  std::string found;
  for (const std::string& name : sections) found += fmt::format("{}[{}]", found.empty() ? "" : ", ", name);
  throw InputError(fmt::format("--config {}: it holds {} and nothing for 'reber {}'; expected a section [{}]", path,
                               found, command, command));
}

}  // namespace

std::string config_file_of(const Command& root, int argc, const char* const* argv) {
  constexpr std::string_view kOption = "--config";
  std::string path;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == kOption && i + 1 < argc) path = argv[i + 1];
    if (word.starts_with(kOption) && word.substr(kOption.size()).starts_with('=')) {
      path = word.substr(kOption.size() + 1);
    }
  }
  if (path.empty()) return path;
  try {
    check_sections(root, path, argc, argv);
  } catch (const DataError& error) {
    throw InputError(fmt::format("the file of --config: {}", error.what()));
  }
  return path;
}

namespace {

bool lies_in_this_folder(const std::string& path) {
  std::error_code error;
  const fs::path here = fs::current_path(error), there = fs::weakly_canonical(fs::absolute(path), error);
  return !error && std::ranges::mismatch(here, there).in1 == here.end();
}

/// Whether the command line has this word, or an option with it.
bool says(int argc, const char* const* argv, const std::string& word) {
  return std::any_of(argv + 1, argv + argc, [&](const char* each) {
    const std::string_view said = each;
    return said == word || said.ends_with("=" + word);
  });
}

}  // namespace

void check_config_outputs(const Parsed& parsed, int argc, const char* const* argv) {
  if (says(argc, argv, "--trust-config")) return;
  for (const auto& [section, name, values] : parsed.from_file) {
    if (!section.empty() && section != parsed.command->name()) continue;
    const bool on = !values.empty() && values.front() != "false" && values.front() != "0";
    if ((name == "overwrite" || name == "resume") && on)
      throw InputError(fmt::format(
          "the file of --config sets '{}', which replaces files: say --{} on the command line, or trust the "
          "file with --trust-config",
          name, name));
    const Option* const option = parsed.command->find("--" + name);
    if (option == nullptr || !is_output(*option)) continue;
    for (const std::string& path : option->words())
      if (std::ranges::count(values, path) > 0 && !says(argc, argv, path) && !lies_in_this_folder(path))
        throw InputError(fmt::format(
            "the file of --config names the output '{}', outside the current folder: give --{} on the command line, or "
            "trust the file with --trust-config",
            printable(path), name));
  }
}

std::vector<std::string> options_of_call(const Command& command, const ParameterOptions& parameters) {
  std::vector<std::string> lines;
  for (const auto& option : command.options()) {
    if (option->long_names().empty() || option->is_hidden() || parameters.has(*option)) continue;
    const std::string name = option->long_names().front();
    if (option->is_argument() || is_one_of(name, kNotKept)) continue;
    const std::string value = value_in_force(*option);
    if (!value.empty()) lines.push_back(fmt::format("{} = {}", name, value));
  }
  return lines;
}

std::string effective_config(const Command& command, const Request& request, const std::vector<std::string>& inputs) {
  std::vector<std::string> absolute;
  for (const std::string& input : inputs) absolute.push_back(fs::absolute(input).string());
  std::string text = fmt::format("# {0}; repeat with: reber {1} --config THIS_FILE -o FOLDER\n[{1}]\n", program_name(),
                                 command.name());
  text += fmt::format("files = {}\n", toml_array(absolute));
  for (const std::string& line : options_in_force(request)) text += line + '\n';
  return text;
}

}  // namespace reber::app
