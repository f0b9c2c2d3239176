// SPDX-License-Identifier: BSD-3-Clause
// A command: its name, its words of help, its options as rows, its sub-commands.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "app/options/option.hpp"

namespace reber::app {

/// The program or one of its sub-commands. Its options stay where they are as long as it lives.
class Command {
 public:
  Command(std::string name, std::string help, const Command* parent = nullptr);

  /// An option whose words become the value, which must live as long as the command. A vector takes many words.
  template <class T>
  Option* add_option(std::string_view names, T& value, const std::string& help = {});
  /// An option whose words are read later, by whoever asks it for them.
  Option* add_unread_option(std::string_view names, std::string help);
  /// An option of one word that is handed over as soon as it is read.
  Option* add_option_function(std::string_view names, std::function<void(const std::string&)> take, std::string help);
  Option* add_flag(std::string_view names, bool& value, std::string help);
  Option* add_flag(std::string_view names, std::string help);
  /// The function is called where the flag is given.
  Option* add_flag_function(std::string_view names, std::function<void()> take, std::string help);
  /// Where the help page shows --help and --help-all, which every command has.
  void add_help_row(const std::string& group);
  Command* add_subcommand(std::string name, std::string help);

  void footer(std::string text) { footer_ = std::move(text); }
  /// What is done once this command has been read.
  void callback(std::function<void()> done) { done_ = std::move(done); }
  /// Words are left as they are, for another program, in rest().
  void takes_the_rest() { takes_rest_ = true; }

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::string& help() const { return help_; }
  [[nodiscard]] const std::string& footer() const { return footer_; }
  /// "reber find"
  [[nodiscard]] std::string full_name() const;
  [[nodiscard]] bool is_program() const { return parent_ == nullptr; }
  [[nodiscard]] const std::vector<std::unique_ptr<Option>>& options() const { return options_; }
  [[nodiscard]] const std::vector<std::unique_ptr<Command>>& subcommands() const { return subcommands_; }
  /// By "--name"; null where it has none.
  [[nodiscard]] Option* find(std::string_view name) const;
  /// By name, an option that there is.
  [[nodiscard]] bool has(std::string_view name) const;
  [[nodiscard]] const std::vector<std::string>& rest() const { return rest_; }
  /// Titles of the help page, in the order of their first options; hidden options apart.
  [[nodiscard]] std::vector<std::string> groups() const;

 private:
  friend class Parser;
  Option* add(std::string_view names, std::string help, int most, Option::Take take);

  std::string name_, help_, footer_;
  const Command* parent_;
  std::vector<std::unique_ptr<Option>> options_;
  std::vector<std::unique_ptr<Command>> subcommands_;
  std::function<void()> done_;
  bool takes_rest_ = false;
  std::vector<std::string> rest_;
};

template <class T>
struct ListOf : std::false_type {};
template <class T>
struct ListOf<std::vector<T>> : std::true_type {};
template <class T>
struct OptionalOf : std::false_type {};
template <class T>
struct OptionalOf<std::optional<T>> : std::true_type {};

template <class T>
Option* Command::add_option(std::string_view names, T& value, const std::string& help) {
  if constexpr (ListOf<T>::value) {
    const auto take = [&value](const std::vector<std::string>& words) {
      value.clear();
      for (const std::string& word : words)
        if (std::string wrong = read(word, value.emplace_back()); !wrong.empty()) return wrong;
      return std::string();
    };
    return add(names, help, Option::kMany, take)->type_name(type_word(typename T::value_type{}));
  } else {
    const auto take = [&value](const std::vector<std::string>& words) { return read(words.back(), value); };
    Option* const option = add(names, help, 1, take);
    if constexpr (OptionalOf<T>::value) {
      option->type_name(type_word(typename T::value_type{}));
    } else {
      option->type_name(type_word(value));
      option->initial_of([&value] { return shown(value); });
    }
    return option;
  }
}

}  // namespace reber::app
