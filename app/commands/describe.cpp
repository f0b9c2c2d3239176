// SPDX-License-Identifier: BSD-3-Clause
// reber describe: what a command takes and leaves, for workflow systems (a Stimela cab, a CWL tool), shells and man.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/commands/command.hpp"
#include "app/commands/describe_shell.hpp"
#include "app/options/choice_option.hpp"
#include "app/terminal/exit_code.hpp"
#include "core/base/error.hpp"
#include "core/base/words.hpp"
#include "core/run/request/parameters.hpp"

namespace reber::app {

enum class Description { cab, cwl, man, bash, zsh, fish };

}  // namespace reber::app

namespace reber {
template <>
inline constexpr auto words<app::Description> =
    std::to_array<Word<app::Description>>({{"cab", app::Description::cab, "Stimela cab"},
                                           {"cwl", app::Description::cwl, "CWL tool"},
                                           {"man", app::Description::man, "manual page"},
                                           {"bash", app::Description::bash, "completion for bash"},
                                           {"zsh", app::Description::zsh, "completion for zsh"},
                                           {"fish", app::Description::fish, "completion for fish"}});
}  // namespace reber

namespace reber::app {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  std::string command;
  Description as = Description::cab;
};

/// What a workflow system has to know of one option.
struct Taken {
  std::string name, info, initial;
  enum class Kind { flag, whole, real, text, input_file, file_or_text, output_file } kind = Kind::text;
  bool positional = false, required = false, list = false;
  std::vector<std::string> choices;
};

std::vector<std::string> choices_of(const std::string& type) {
  std::vector<std::string> words;
  if (type.find('|') == std::string::npos) return words;
  for (std::size_t begin = 0; begin <= type.size();) {
    const std::size_t end = std::min(type.find('|', begin), type.size());
    words.push_back(type.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

/// A map, or a word or number in its place; regions and MOCs, or their text.
bool takes_text_too(const std::string& type, const std::string& name) {
  return type == "REGION" || type == "MOC" || (type == "FITS" && name.starts_with("use-"));
}

/// Rows of the table of parameters know their kind; of other options the name of the value tells.
Taken::Kind kind_of(const Option& option, const std::string& name) {
  using Kind = Taken::Kind;
  if (option.is_flag()) return Kind::flag;
  const std::string& type = option.type_name();
  if (takes_text_too(type, name)) return Kind::file_or_text;
  for (const char* file : {"FITS", "FILE", "IN", "CATALOGUE", "REG", "FILE.toml", "DIR", "CUBE"})
    if (type == file) return option.group() == "Output" || name == "savenoise" ? Kind::output_file : Kind::input_file;
  for (const Parameter& row : parameters()) {
    if (row.option.empty() || option_key(row) != name) continue;
    if (row.access.kind == Access::Kind::whole) return Kind::whole;
    if (row.access.kind == Access::Kind::real) return Kind::real;
  }
  return Kind::text;
}

std::vector<Taken> taken_by(const Command& command) {
  std::vector<Taken> all;
  for (const auto& option : command.options()) {
    if (option->group() == "Messages" || option->is_hidden()) continue;
    Taken one;
    one.positional = option->is_argument();
    one.name = one.positional ? option->name() : option->long_names().front();
    one.info = option->help();
    one.kind = kind_of(*option, one.name);
    one.initial = option->default_str();
    one.required = option->is_required();
    one.list = option->is_list();
    one.choices = choices_of(option->type_name());
    all.push_back(std::move(one));
  }
  std::ranges::stable_sort(all, {}, [](const Taken& one) { return !one.positional; });
  return all;
}

std::string quoted(const std::string& text) { return Json(text).dump(); }

std::string cab_type(const Taken& one) {
  using Kind = Taken::Kind;
  const char* const word = one.kind == Kind::flag           ? "bool"
                           : one.kind == Kind::whole        ? "int"
                           : one.kind == Kind::real         ? "float"
                           : one.kind == Kind::text         ? "str"
                           : one.kind == Kind::file_or_text ? "Union[File, str]"
                                                            : "File";
  return one.list ? fmt::format("List[{}]", word) : word;
}

std::string cab_text(const Command& command) {
  const std::string& name = command.name();
  std::string inputs, outputs;
  for (const Taken& one : taken_by(command)) {
    std::string& to = one.kind == Taken::Kind::output_file ? outputs : inputs;
    to += fmt::format("      {}:\n        info: {}\n        dtype: {}\n", one.name, quoted(one.info), cab_type(one));
    if (one.required) to += "        required: true\n";
    if (!one.choices.empty()) to += "        choices: " + Json(one.choices).dump() + "\n";
    if (one.kind == Taken::Kind::whole || one.kind == Taken::Kind::real)
      to += fmt::format("        default: {}\n", one.initial);
    if (one.positional) to += "        policies: {positional: true}\n";
    if (one.list) to += "        policies: {repeat: list}\n";
  }
  std::string text = fmt::format("cabs:\n  reber-{0}:\n    info: {1}\n    command: reber {0}\n    inputs:\n{2}", name,
                                 quoted(command.help()), inputs);
  return outputs.empty() ? text : text + "    outputs:\n" + outputs;
}

Json cwl_type(const Taken& one) {
  using Kind = Taken::Kind;
  const char* const word = one.kind == Kind::flag         ? "boolean"
                           : one.kind == Kind::whole      ? "long"
                           : one.kind == Kind::real       ? "double"
                           : one.kind == Kind::input_file ? "File"
                                                          : "string";
  Json type = word;
  if (!one.choices.empty()) type = {{"type", "enum"}, {"symbols", one.choices}};
  if (one.list) type = {{"type", "array"}, {"items", word}};
  if (one.kind == Kind::file_or_text) return Json::array({"null", "File", "string"});
  return one.required ? type : Json::array({"null", type});
}

std::string cwl_text(const Command& command) {
  Json tool{{"cwlVersion", "v1.2"},
            {"class", "CommandLineTool"},
            {"doc", command.help()},
            {"baseCommand", {"reber", command.name()}}};
  tool["inputs"] = Json::object();
  tool["outputs"] = Json::object();
  int position = 0;
  for (const Taken& one : taken_by(command)) {
    std::string id = one.name;
    std::ranges::replace(id, '-', '_');
    const Json binding =
        one.positional ? Json{{"position", ++position}} : Json{{"prefix", "--" + one.name}, {"position", 100}};
    tool["inputs"][id] = {{"type", cwl_type(one)}, {"doc", one.info}, {"inputBinding", binding}};
    if (one.kind != Taken::Kind::output_file) continue;
    const Json type = one.list ? Json{{"type", "array"}, {"items", "File"}} : Json("File");
    tool["outputs"][id + "_file"] = {{"type", Json::array({"null", type})},
                                     {"outputBinding", {{"glob", fmt::format("$(inputs.{})", id)}}}};
  }
  return tool.dump(2) + "\n";
}

std::string text_of(const Command& command, Description as) {
  switch (as) {
    case Description::cab:
      return cab_text(command);
    case Description::cwl:
      return cwl_text(command);
    default:
      return manual_page(command);
  }
}

int execute(const Options& options, const Command& root, Terminal& terminal) {
  const bool shell =
      options.as == Description::bash || options.as == Description::zsh || options.as == Description::fish;
  if (shell && !options.command.empty()) throw InputError("completion is of the whole program: name no command");
  if (shell) {
    terminal.print_page(options.as == Description::bash  ? bash_completion(root)
                        : options.as == Description::zsh ? zsh_completion(root)
                                                         : fish_completion(root));
    return kDone;
  }
  if (options.command.empty()) {
    if (options.as != Description::man) throw InputError("which command is to be described? Like: reber describe find");
    terminal.print_page(manual_page(root));
    return kDone;
  }
  for (const auto& command : root.subcommands()) {
    if (command->name() != options.command) continue;
    terminal.print_page(text_of(*command, options.as));
    return kDone;
  }
  throw InputError(fmt::format("there is no command '{}' to describe", options.command));
}

}  // namespace

void add_describe(Command& root, Action& action) {
  auto options = std::make_shared<Options>();
  Command* command = root.add_subcommand("describe", "Describe a command for Stimela, CWL, man or a shell");
  command
      ->add_option("command", options->command,
                   "Which: find, mask, run ...; none for completion and the program's page")
      ->type_name("COMMAND")
      ->group("Input");
  command->add_help_row("Options");
  add_choice(*command, "--as", options->as, "A Stimela cab, a CWL tool, a manual page, or completion for a shell")
      ->brief("cab, cwl, man, bash, zsh or fish")
      ->group("Output");
  command->footer(
      "Examples:\n"
      "  reber describe find > reber-find.yml\n"
      "  reber describe mask --as cwl > reber-mask.cwl\n"
      "  reber describe --as bash > ~/.local/share/bash-completion/completions/reber");
  command->callback([options, &root, &action] {
    action = [options, &root](Terminal& terminal) { return execute(*options, root, terminal); };
  });
}

}  // namespace reber::app
