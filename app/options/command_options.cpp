// SPDX-License-Identifier: BSD-3-Clause
// Options are kept in the order in which they are declared, which is that of the help page.
#include "app/options/command_options.hpp"

#include <algorithm>

namespace reber::app {

Command::Command(std::string name, std::string help, const Command* parent)
    : name_(std::move(name)), help_(std::move(help)), parent_(parent) {}

Option* Command::add(std::string_view names, std::string help, int most, Option::Take take) {
  return options_.emplace_back(std::make_unique<Option>(names, std::move(help), most, std::move(take))).get();
}

Option* Command::add_unread_option(std::string_view names, std::string help) {
  return add(names, std::move(help), 1, [](const std::vector<std::string>&) { return std::string(); });
}

Option* Command::add_option_function(std::string_view names, std::function<void(const std::string&)> take,
                                     std::string help) {
  return add(names, std::move(help), 1, [take = std::move(take)](const std::vector<std::string>& words) {
    take(words.back());
    return std::string();
  });
}

Option* Command::add_flag(std::string_view names, bool& value, std::string help) {
  return add(names, std::move(help), 0, [&value](const std::vector<std::string>& words) {
    value = words.back() == "true";
    return std::string();
  });
}

Option* Command::add_flag(std::string_view names, std::string help) {
  return add(names, std::move(help), 0, [](const std::vector<std::string>&) { return std::string(); });
}

Option* Command::add_flag_function(std::string_view names, std::function<void()> take, std::string help) {
  return add(names, std::move(help), 0, [take = std::move(take)](const std::vector<std::string>& words) {
    if (words.back() == "true") take();
    return std::string();
  });
}

void Command::add_help_row(const std::string& group) {
  add_flag("-h,--help", "Print the first page of help")->group(group);
  add_flag("--help-all", "Print every option, in full")->group(group)->brief("Print every option, in full");
}

Command* Command::add_subcommand(std::string name, std::string help) {
  return subcommands_.emplace_back(std::make_unique<Command>(std::move(name), std::move(help), this)).get();
}

std::string Command::full_name() const { return parent_ == nullptr ? name_ : parent_->full_name() + " " + name_; }

Option* Command::find(std::string_view name) const {
  for (const auto& option : options_)
    if (name.starts_with("--") && option->has_name(name.substr(2))) return option.get();
  return nullptr;
}

bool Command::has(std::string_view name) const { return find(name) != nullptr; }

std::vector<std::string> Command::groups() const {
  std::vector<std::string> titles;
  for (const auto& option : options_)
    if (!option->is_hidden() && std::ranges::find(titles, option->group()) == titles.end())
      titles.push_back(option->group());
  return titles;
}

}  // namespace reber::app
