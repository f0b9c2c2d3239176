// SPDX-License-Identifier: BSD-3-Clause
// Two pages of each command: one to begin with, one with everything.
#include "app/options/help_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "app/terminal/folded.hpp"

namespace reber::app {
namespace {

constexpr std::size_t kTextColumn = 30;
constexpr std::size_t kLeastWidth = 80, kMostWidth = 120;
constexpr std::size_t kLines = 40, kMostExamples = 3;
/// Longer lists of words stand in the full page alone.
constexpr std::size_t kShownWords = 12;

/// Words of the text from kTextColumn on; the first line follows `head`. A "|" by itself breaks the line.
std::string wrapped(const std::string& head, const std::string& text, std::size_t width) {
  std::string result = fmt::format("{:<{}}", head, kTextColumn);
  std::size_t column = result.size();
  const auto new_line = [&] {
    result += "\n" + std::string(kTextColumn, ' ');
    column = kTextColumn;
  };
  if (head.size() + 2 > kTextColumn) new_line();
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (word == "|") {
      new_line();
      continue;
    }
    if (column > kTextColumn && column + 1 + word.size() > width) new_line();
    const bool first = column == kTextColumn;
    result += first ? word : " " + word;
    column += word.size() + (first ? 0 : 1);
  }
  return result + "\n";
}

/// The unit or the choices; nothing for a flag.
std::string value_of(const Option& option) { return option.is_flag() ? std::string() : option.type_name(); }

std::string usage(const Command& command) {
  std::string text = "\nUsage: " + command.full_name();
  if (!command.subcommands().empty()) text += " SUB-COMMAND";
  text += " [options]";
  for (const auto& option : command.options())
    if (option->is_argument()) text += " " + value_of(*option) + (option->is_list() ? "..." : "");
  return text + "\n\n";
}

/// "-o, --output FILE...", which reads better than "-o,--output".
std::string head_of(const Option& option, const std::string& value) {
  std::string head = "  " + (option.is_argument() ? std::string() : option.all_names());
  if (const std::size_t comma = head.find(','); comma != std::string::npos) head.insert(comma + 1, " ");
  if (!value.empty()) head += (option.is_argument() ? "" : " ") + value;
  return option.is_list() ? head + "..." : head;
}

std::string brief_row(const Option& option) {
  std::string value = value_of(option);
  if (value.find('|') != std::string::npos && value.size() > kShownWords) value = "WORD";
  std::string text = option.brief().empty() ? option.help() : option.brief();
  if (option.is_required() && !option.is_argument()) text += " (required)";
  if (!option.default_str().empty()) text += fmt::format(" [{}]", option.default_str());
  return wrapped(head_of(option, value), text, kLeastWidth);
}

/// Choices that are wider than the page stand in several lines.
std::string full_row(const Option& option, std::size_t width) {
  std::string text = option.help(), value = value_of(option), head = head_of(option, value);
  if (head.size() > width) {
    for (std::size_t at = 0; (at = value.find('|', at)) != std::string::npos; at += 2) value.insert(at + 1, " ");
    text = "One of " + value + ". " + text;
    head = head_of(option, "WORD");
  }
  if (option.is_required() && !option.is_argument()) text += " (required)";
  if (!option.default_str().empty()) text += fmt::format(" [{}]", option.default_str());
  return wrapped(head, text, width);
}

/// The rows of a group under its title; nothing where it has none.
std::string group_of(const std::string& title, const Command& command, auto shown, auto row) {
  std::string text;
  for (const auto& option : command.options())
    if (shown(*option)) text += row(*option);
  return text.empty() ? text : title + ":\n" + text;
}

std::string commands(const Command& program) {
  std::string text;
  for (const auto& command : program.subcommands())
    text += fmt::format("  {:<12}{}\n", command->name(), command->help());
  return text.empty() ? text : "Sub-commands:\n" + text;
}

/// An example with what it does, which stands farther to the right on a wide page.
std::string closer(const std::string& line) {
  const std::size_t words = std::min(line.find_first_not_of(' '), line.size()), end = line.find("   ", words);
  if (end == std::string::npos) return line;
  return line.substr(0, end) + "  " + line.substr(line.find_first_not_of(' ', end));
}

/// Sentences are set anew to the width; lines that begin with blanks or end in a colon stay lines.
std::string notes(const std::string& text, std::size_t width) {
  std::istringstream lines(text);
  std::string result, prose;
  const auto end_prose = [&] {
    if (!prose.empty()) result += folded_prose(prose, width) + "\n";
    prose.clear();
  };
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && line.front() != ' ' && line.back() != ':') {
      prose += (prose.empty() ? "" : " ") + line;
      continue;
    }
    end_prose();
    result += folded(line.size() > width ? closer(line) : line, width) + "\n";
  }
  end_prose();
  return result;
}

std::size_t lines_of(const std::string& text) { return static_cast<std::size_t>(std::ranges::count(text, '\n')); }

/// The examples that lines are left for, at the end of the page.
std::string with_examples(std::string page, const std::string& footer) {
  const std::size_t begin = footer.find("Example");
  if (begin == std::string::npos) return page;
  std::istringstream rows(footer.substr(begin));
  std::string text, row;
  for (std::size_t i = 0; i <= kMostExamples && std::getline(rows, row) && !row.empty(); ++i) {
    const std::string more = text + notes(row, kLeastWidth);
    if (lines_of(page + more) > kLines) break;
    text = more;
  }
  return page + text;
}

}  // namespace

std::string first_page(const Command& command) {
  const auto argument = [](const Option& option) { return option.is_argument(); };
  std::string text = notes(command.help(), kLeastWidth) + usage(command);
  text += group_of("Files", command, argument, brief_row);
  for (const std::string& group : command.groups())
    text += group_of(
        group, command,
        [&](const Option& option) {
          return option.group() == group && !option.is_argument() && (!option.brief().empty() || option.is_required());
        },
        brief_row);
  return with_examples(text + commands(command), command.footer());
}

std::string full_page(const Command& command, std::size_t columns) {
  const std::size_t width = std::clamp(columns, kLeastWidth, kMostWidth);
  const auto row = [width](const Option& option) { return full_row(option, width); };
  std::string text = notes(command.help(), width) + usage(command);
  const auto add = [&](const std::string& group) { text += group.empty() ? group : group + "\n"; };
  add(group_of(
      "Files", command, [](const Option& option) { return option.is_argument(); }, row));
  for (const std::string& group : command.groups())
    add(group_of(
        group, command, [&](const Option& option) { return option.group() == group && !option.is_argument(); }, row));
  add(commands(command));
  return text + notes(command.footer(), width);
}

}  // namespace reber::app
