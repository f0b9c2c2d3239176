// SPDX-License-Identifier: BSD-3-Clause
// Configuration files by CLI11's TOML reader.
#include "app/options/config_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <sstream>
#include <string_view>
#include <tuple>

#include "app/options/own_inputs.hpp"
#include "app/terminal/program_name.hpp"
#include "core/base/error.hpp"
#include "core/base/printable.hpp"
#include "core/files/io/byte_source.hpp"

namespace reber::app {
namespace {

namespace fs = std::filesystem;

/// They belong to one call, not to a result that is to be repeated.
constexpr std::array kNotKept{"help",  "config",  "trust-config", "require-cage", "json",    "trace",
                              "quiet", "verbose", "dry-run",      "overwrite",    "output",  "resume",
                              "lanes", "join",    "rank",         "devices",      "workers", "share"};

bool is_one_of(const std::string& name, const auto& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string toml_array(const std::vector<std::string>& values) {
  std::string text;
  for (const std::string& value : values) text += (text.empty() ? "" : ", ") + quoted_toml(value);
  return "[" + text + "]";
}

std::string value_in_force(const CLI::Option& option) {
  const bool is_flag = option.get_items_expected_max() == 0;
  if (is_flag) return option.count() > 0 && option.as<bool>() ? "true" : "false";
  if (option.count() == 0) return option.get_default_str().empty() ? "" : toml_value(option.get_default_str());
  const std::vector<std::string>& values = option.results();
  // A list option splits at commas itself; a text with commas is one value and needs its quotes.
  return values.size() == 1 ? toml_value(values.front()) : toml_array(values);
}

/// CLI11's reader takes every # for the beginning of a comment, in quotes as well. What a file sets is remembered.
class Toml final : public CLI::ConfigTOML {
 public:
  Toml() { commentChar = '\1'; }  // comments are taken out here
  std::vector<CLI::ConfigItem> from_config(std::istream& input) const override {
    std::stringstream plain;
    for (std::string line; std::getline(input, line);) plain << without_comment(line) << '\n';
    set() = CLI::ConfigTOML::from_config(plain);
    return set();
  }

  /// What the file of this call sets.
  static std::vector<CLI::ConfigItem>& set() {
    static std::vector<CLI::ConfigItem> all;
    return all;
  }

 private:
  static std::string without_comment(const std::string& line) {
    char quote = 0;
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (line[i] == '#' && quote == 0) return line.substr(0, i);
      if (line[i] == quote)
        quote = 0;
      else if (quote == 0 && (line[i] == '"' || line[i] == '\''))
        quote = line[i];
    }
    return line;
  }
};

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
void check_sections(const CLI::App& root, const std::string& path, int argc, char** argv) {
  std::string command;
  for (int i = 1; i < argc && command.empty(); ++i)
    for (const CLI::App* other : root.get_subcommands({}))
      if (other->get_name() == argv[i]) command = argv[i];
  const std::vector<std::string> sections = sections_of(path);
  if (command.empty() || sections.empty() || is_one_of(command, sections)) return;
  std::string found;
  for (const std::string& name : sections) found += fmt::format("{}[{}]", found.empty() ? "" : ", ", name);
  throw InputError(fmt::format("--config {}: it holds {} and nothing for 'reber {}'; expected a section [{}]", path,
                               found, command, command));
}

}  // namespace

void use_config_file(CLI::App& root, int argc, char** argv) {
  constexpr std::string_view kOption = "--config";
  std::string path;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == kOption && i + 1 < argc) path = argv[i + 1];
    if (word.starts_with(kOption) && word.substr(kOption.size()).starts_with('=')) {
      path = word.substr(kOption.size() + 1);
    }
  }
  if (path.empty()) return;
  try {
    check_sections(root, path, argc, argv);
  } catch (const DataError& error) {
    throw InputError(fmt::format("--config: {}", error.what()));
  }
  // The option of the sub-command shows in its help; this one, of the root, makes CLI11 read the file.
  root.set_config("--config-file", path, "", true)->group("");
  root.config_formatter(std::make_shared<Toml>());
}

namespace {

bool lies_in_this_folder(const std::string& path) {
  std::error_code error;
  const fs::path here = fs::current_path(error), there = fs::weakly_canonical(fs::absolute(path), error);
  return !error && std::ranges::mismatch(here, there).in1 == here.end();
}

/// Whether the command line has this word, or an option with it.
bool says(int argc, char** argv, const std::string& word) {
  return std::any_of(argv + 1, argv + argc, [&](const char* each) {
    const std::string_view said = each;
    return said == word || said.ends_with("=" + word);
  });
}

}  // namespace

void check_config_outputs(const CLI::App& command, int argc, char** argv) {
  if (says(argc, argv, "--trust-config")) return;
  for (const CLI::ConfigItem& item : Toml::set()) {
    const auto& [name, values] = std::tie(item.name, item.inputs);
    if (!item.parents.empty() && item.parents.front() != command.get_name()) continue;  // of another command
    const bool on = !values.empty() && values.front() != "false" && values.front() != "0";
    if ((name == "overwrite" || name == "resume") && on)
      throw InputError(fmt::format(
          "the file of --config sets '{}', which replaces files: say --{} on the command line, or trust the "
          "file with --trust-config",
          name, name));
    const CLI::Option* const option = command.get_option_no_throw("--" + name);
    if (option == nullptr || !is_output(*option)) continue;
    for (const std::string& path : option->results())
      if (std::ranges::count(values, path) > 0 && !says(argc, argv, path) && !lies_in_this_folder(path))
        throw InputError(fmt::format(
            "the file of --config names the output '{}', outside the current folder: give --{} on the command line, or "
            "trust the file with --trust-config",
            printable(path), name));
  }
}

std::vector<std::string> options_of_call(const CLI::App& command, const ParameterOptions& parameters) {
  std::vector<std::string> lines;
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_lnames().empty() || option->get_group().empty() || parameters.has(option)) continue;
    const std::string name = option->get_lnames().front();
    if (option->get_positional() || is_one_of(name, kNotKept)) continue;
    const std::string value = value_in_force(*option);
    if (!value.empty()) lines.push_back(fmt::format("{} = {}", name, value));
  }
  return lines;
}

std::string effective_config(const CLI::App& command, const Request& request, const std::vector<std::string>& inputs) {
  std::vector<std::string> absolute;
  for (const std::string& input : inputs) absolute.push_back(fs::absolute(input).string());
  std::string text = fmt::format("# {0}; repeat with: reber {1} --config THIS_FILE -o FOLDER\n[{1}]\n", program_name(),
                                 command.get_name());
  text += fmt::format("files = {}\n", toml_array(absolute));
  for (const std::string& line : options_in_force(request)) text += line + '\n';
  return text;
}

}  // namespace reber::app
