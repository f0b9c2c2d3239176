// SPDX-License-Identifier: BSD-3-Clause
// Text in the languages of troff, bash, zsh and fish. Every option of the parser stands in each.
#include "app/commands/describe_shell.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "app/terminal/program_name.hpp"

namespace reber::app {
namespace {

/// An option as shells see it.
struct Shown {
  std::vector<std::string> names;  ///< with their dashes; none for a positional argument
  std::string value;               ///< name of its value, empty for a flag
  std::string help;
  std::vector<std::string> choices;
};

std::vector<std::string> split(const std::string& text, char by) {
  std::vector<std::string> parts(1);
  for (const char c : text)
    if (c == by)
      parts.emplace_back();
    else
      parts.back() += c;
  return parts;
}

std::string joined(const std::vector<std::string>& words, std::string_view between) {
  return fmt::format("{}", fmt::join(words, between));
}

Shown shown(const Option& option) {
  Shown one;
  for (const std::string& name : option.long_names()) one.names.push_back("--" + name);
  for (const std::string& name : option.short_names()) one.names.push_back("-" + name);
  one.help = option.help();
  std::ranges::replace(one.help, '\n', ' ');
  if (option.is_flag()) return one;
  one.value = option.type_name();
  if (one.value.empty()) one.value = "VALUE";
  if (one.value.find('|') != std::string::npos) one.choices = split(one.value, '|');
  return one;
}

std::vector<Shown> options_of(const Command& command) {
  std::vector<Shown> all;
  for (const auto& option : command.options())
    if (!option->is_hidden() && !option->long_names().empty()) all.push_back(shown(*option));
  return all;
}

std::string command_names(const Command& root, std::string_view between) {
  std::vector<std::string> names;
  for (const auto& command : root.subcommands()) names.push_back(command->name());
  return joined(names, between);
}

/// Text that troff leaves as it is.
std::string roff(const std::string& text) {
  std::string out;
  bool begins = true;
  for (const char c : text) {
    if (begins && (c == '.' || c == '\'')) out += "\\&";
    if (c == '-') out += '\\';
    out += c == '\\' ? "\\e" : std::string(1, c);
    begins = c == '\n';
  }
  return out;
}

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

std::string roff_option(const Option& option) {
  const Shown one = shown(option);
  const std::string name = one.names.empty() ? option.name() : joined(one.names, ", ");
  std::string text = fmt::format(".TP\n\\fB{}\\fR", roff(name));
  if (!one.names.empty() && !one.value.empty()) text += fmt::format(" \\fI{}\\fR", roff(one.value));
  text += "\n" + roff(one.help);
  const std::string initial = option.default_str();
  if (!initial.empty() && !one.value.empty()) text += roff(fmt::format(" (default: {})", initial));
  return text + "\n";
}

/// For a text within single quotes of a shell.
std::string quotable(std::string text, std::string_view escaped) {
  std::string out;
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
      continue;
    }
    if (escaped.find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

std::string zsh_option(const std::string& name, const Shown& one) {
  std::string text = fmt::format("      '*{}[{}]", name, quotable(one.help, "[]\\:"));
  if (!one.value.empty()) {
    text += fmt::format(":{}:", quotable(one.value, "\\:[]()"));
    text += one.choices.empty() ? "_files" : fmt::format("({})", joined(one.choices, " "));
  }
  return text + "' \\\n";
}

std::string fish_option(const std::string& when, const Shown& one) {
  std::string text = fmt::format("complete -c reber -n '{}'", when);
  for (const std::string& name : one.names)
    text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  if (!one.value.empty()) text += " -r";
  if (!one.choices.empty()) text += fmt::format(" -f -a '{}'", joined(one.choices, " "));
  return text + fmt::format(" -d '{}'\n", quotable(one.help, "\\"));
}

}  // namespace

std::string manual_page(const Command& command) {
  const bool whole = command.is_program();
  const std::string name = whole ? "reber" : "reber-" + command.name();
  const std::string what = whole ? "finds and measures the sources of radio-astronomical images" : command.help();
  std::string text = fmt::format(".TH {} 1 \"\" \"{}\" \"Reber\"\n.SH NAME\n{} \\- {}\n", upper(name), program_name(),
                                 roff(name), roff(what));
  text += whole ? ".SH SYNOPSIS\n.B reber\n.I SUB\\-COMMAND\n[options]\n"
                : fmt::format(".SH SYNOPSIS\n.B reber {}\n[arguments] [options]\n", command.name());
  if (whole) {
    text += fmt::format(".SH DESCRIPTION\n{}\n.SH SUB-COMMANDS\n", roff(command.help()));
    for (const auto& one : command.subcommands())
      text += fmt::format(".TP\n\\fBreber\\-{}\\fR(1)\n{}\n", roff(one->name()), roff(one->help()));
  }
  for (const std::string& group : command.groups()) {
    std::string rows;
    for (const auto& option : command.options())
      if (option->group() == group) rows += roff_option(*option);
    if (!group.empty() && !rows.empty()) text += fmt::format(".SH {}\n{}", upper(roff(group)), rows);
  }
  if (!command.footer().empty()) text += fmt::format(".SH NOTES\n.nf\n{}\n.fi\n", roff(command.footer()));
  return text;
}

std::string bash_completion(const Command& root) {
  std::string values, options;
  const auto add = [&](const Command& command, const std::string& name) {
    std::vector<std::string> all;
    for (const Shown& one : options_of(command)) {
      all.insert(all.end(), one.names.begin(), one.names.end());
      for (const std::string& word : one.names)
        if (!one.choices.empty())
          values += fmt::format("    {}:{}) words=\"{}\" ;;\n", name, word, joined(one.choices, " "));
    }
    options += fmt::format("    {}) options=\"{}\" ;;\n", name.empty() ? "''" : name, joined(all, " "));
  };
  add(root, "");
  for (const auto& command : root.subcommands()) add(*command, command->name());
  return fmt::format(
      "# bash completion of reber\n"
      "_reber() {{\n"
      "  local current=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} command= words= options= word\n"
      "  for word in \"${{COMP_WORDS[@]:1:COMP_CWORD-1}}\"; do\n"
      "    case $word in {0}) command=$word; break ;; esac\n"
      "  done\n"
      "  COMPREPLY=()\n"
      "  case $command:$before in\n{1}  esac\n"
      "  case $command in\n{2}  esac\n"
      "  if [ -z \"$words\" ]; then\n"
      "    case $current in\n"
      "      -*) words=$options ;;\n"
      "      *) [ -z \"$command\" ] && words=\"{3}\" ;;\n"
      "    esac\n"
      "  fi\n"
      "  [ -z \"$words\" ] || COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
      "}}\n"
      "complete -o default -F _reber reber\n",
      command_names(root, "|"), values, options, command_names(root, " "));
}

std::string zsh_completion(const Command& root) {
  std::string names, cases;
  for (const auto& command : root.subcommands()) {
    names += fmt::format("    '{}:{}'\n", command->name(), quotable(command->help(), "\\:"));
    std::string rows;
    for (const Shown& one : options_of(*command))
      for (const std::string& name : one.names) rows += zsh_option(name, one);
    cases += fmt::format("    {}) _arguments \\\n{}      '*:file:_files' ;;\n", command->name(), rows);
  }
  std::string own;
  for (const Shown& one : options_of(root))
    for (const std::string& name : one.names) own += zsh_option(name, one);
  return fmt::format(
      "#compdef reber\n"
      "_reber() {{\n"
      "  local -a commands=(\n{}  )\n"
      "  if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then\n"
      "    _describe command commands\n"
      "    return\n"
      "  fi\n"
      "  local command=$words[2]\n"
      "  [[ $command = -* ]] || {{ shift words; (( CURRENT-- )) }}\n"
      "  case $command in\n{}    *) _arguments \\\n{}      '*:file:_files' ;;\n"
      "  esac\n"
      "}}\n"
      "_reber \"$@\"\n",
      names, cases, own);
}

std::string fish_completion(const Command& root) {
  std::string text = "# fish completion of reber\n";
  for (const Shown& one : options_of(root)) text += fish_option("__fish_use_subcommand", one);
  for (const auto& command : root.subcommands()) {
    text += fmt::format("complete -c reber -n '__fish_use_subcommand' -f -a {} -d '{}'\n", command->name(),
                        quotable(command->help(), "\\"));
    for (const Shown& one : options_of(*command))
      text += fish_option("__fish_seen_subcommand_from " + command->name(), one);
  }
  return text;
}

}  // namespace reber::app
