// SPDX-License-Identifier: BSD-3-Clause
// Help pages 100 columns wide.
#include "app/options/help_formatter.hpp"

#include <fmt/format.h>

#include <sstream>

namespace reber::app {
namespace {

constexpr std::size_t kTextColumn = 32;
constexpr std::size_t kWidth = 100;

/// Words of the text from kTextColumn on; the first line follows `head`. A "|" by itself breaks the line.
std::string wrapped(const std::string& head, const std::string& text) {
  std::string result = fmt::format("{:<{}}", head, kTextColumn);
  std::size_t column = result.size();
  const auto new_line = [&] {
    result += "\n" + std::string(kTextColumn, ' ');
    column = kTextColumn;
  };
  if (column > kTextColumn) new_line();
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (word == "|") {
      new_line();
      continue;
    }
    if (column > kTextColumn && column + 1 + word.size() > kWidth) new_line();
    const bool first = column == kTextColumn;
    result += first ? word : " " + word;
    column += word.size() + (first ? 0 : 1);
  }
  return result + "\n";
}

/// The unit or the choices. CLI11 appends the names of the checks after a colon.
std::string value_name(const CLI::Option& option) {
  if (option.get_items_expected_max() == 0) return {};
  const std::string type = option.get_type_name();
  return type.substr(0, type.find(':'));
}

}  // namespace

std::string HelpFormatter::make_usage(const CLI::App* app, std::string name) const {
  std::string text = "\nUsage: " + (name.empty() ? app->get_name() : name);
  const auto positionals = app->get_options([](const CLI::Option* option) { return option->get_positional(); });
  if (!app->get_subcommands([](const CLI::App*) { return true; }).empty()) text += " SUB-COMMAND";
  text += " [options]";
  for (const CLI::Option* option : positionals) {
    text += " " + value_name(*option) + (option->get_expected_max() > 1 ? "..." : "");
  }
  return text + "\n\n";
}

std::string HelpFormatter::make_group(std::string group, bool is_positional,
                                      std::vector<const CLI::Option*> opts) const {
  std::string text = (is_positional ? "Files" : group) + ":\n";
  for (const CLI::Option* option : opts) text += make_option(option, is_positional);
  return text + (is_positional ? "\n" : "");
}

std::string HelpFormatter::make_option(const CLI::Option* option, bool is_positional) const {
  std::string head = "  " + (is_positional ? std::string() : option->get_name(false, true));
  // "-o,--output" reads better as "-o, --output".
  if (const std::size_t comma = head.find(','); comma != std::string::npos) head.insert(comma + 1, " ");
  const std::string value = value_name(*option);
  if (!value.empty()) head += (is_positional ? "" : " ") + value;
  if (option->get_expected_max() > 1) head += "...";
  std::string text = option->get_description();
  if (option->get_required() && !is_positional) text += " (required)";
  if (!option->get_default_str().empty()) text += fmt::format(" [{}]", option->get_default_str());
  return wrapped(head, text);
}

std::string HelpFormatter::make_footer(const CLI::App* app) const {
  const std::string footer = app->get_footer();
  return footer.empty() ? "" : "\n" + footer + "\n";
}

}  // namespace reber::app
