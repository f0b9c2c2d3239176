// SPDX-License-Identifier: BSD-3-Clause
// One option of a command, as a row: its names, its words of help, what it takes. Knows nothing of who parses it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace reber::app {

/// What is wrong with a word, in words; empty: nothing.
using Check = std::function<std::string(const std::string& word)>;

[[nodiscard]] Check one_of(std::vector<std::string> words);
/// A whole number; both ends are included.
[[nodiscard]] Check in_range(std::int64_t low, std::int64_t high);
/// A number of the table of bounds (core/run/request/bounds.hpp), by its name.
[[nodiscard]] Check within(std::string_view bound);
/// A number from 0 up.
[[nodiscard]] Check not_negative();
[[nodiscard]] Check existing_file();

/// From a word to a value.   returns what is wrong with the word; empty: nothing
[[nodiscard]] std::string read(const std::string& word, std::string& value);
[[nodiscard]] std::string read(const std::string& word, double& value);
[[nodiscard]] std::string read(const std::string& word, int& value);
[[nodiscard]] std::string read(const std::string& word, std::int64_t& value);
[[nodiscard]] std::string read(const std::string& word, std::uint64_t& value);
template <class T>
[[nodiscard]] std::string read(const std::string& word, std::optional<T>& value) {
  return read(word, value.emplace());
}

/// A value as the help page and configuration files show it.
[[nodiscard]] std::string shown(const std::string& value);
[[nodiscard]] std::string shown(double value);
[[nodiscard]] std::string shown(std::int64_t value);
[[nodiscard]] std::string shown(std::uint64_t value);
[[nodiscard]] inline std::string shown(int value) { return shown(std::int64_t{value}); }

/// What a help page calls a value of this type.
[[nodiscard]] constexpr const char* type_word(const std::string&) { return "TEXT"; }
[[nodiscard]] constexpr const char* type_word(double) { return "FLOAT"; }
[[nodiscard]] constexpr const char* type_word(std::int64_t) { return "INT"; }
[[nodiscard]] constexpr const char* type_word(std::uint64_t) { return "UINT"; }
[[nodiscard]] constexpr const char* type_word(int) { return "INT"; }

/// An option or, where its name begins with no dash, an argument. Whoever declares it says what it takes by a chain of
/// calls; whoever parses the line hands it the words. Lives as long as its command.
class Option {
 public:
  /// What is done with the words, once they are all there.   returns what is wrong with them
  using Take = std::function<std::string(const std::vector<std::string>& words)>;
  static constexpr int kMany = 1 << 29;

  /// names: "-o,--output", or "input" of an argument
  Option(std::string_view names, std::string help, int most, Take take);

  // How it is declared: each returns the option itself.
  Option* group(std::string title);  ///< on the help page; empty: hidden
  Option* type_name(std::string word);
  Option* brief(std::string words);  ///< on the first page of help, in these few words
  Option* default_str(std::string text);
  Option* capture_default_str();  ///< shows the value that the variable has at this moment
  Option* required();
  Option* check(Check check);  ///< of each word
  Option* expected(int least, int most);
  Option* one_at_a_time();  ///< may be given several times, one word each
  Option* delimiter(char between);
  Option* not_configurable();        ///< no key of a configuration file
  Option* old_name_of(Option& now);  ///< hidden; hands its word to the other one
  void initial_of(std::function<std::string()> text) { initial_of_ = std::move(text); }

  [[nodiscard]] const std::string& help() const { return help_; }
  [[nodiscard]] const std::string& brief() const { return brief_; }
  [[nodiscard]] const std::string& group() const { return group_; }
  [[nodiscard]] const std::string& type_name() const { return type_; }
  [[nodiscard]] const std::string& default_str() const { return initial_; }
  [[nodiscard]] const std::vector<std::string>& long_names() const { return long_; }    ///< without dashes
  [[nodiscard]] const std::vector<std::string>& short_names() const { return short_; }  ///< without dashes
  [[nodiscard]] bool is_argument() const { return !argument_.empty(); }
  [[nodiscard]] bool is_flag() const { return most_ == 0; }
  [[nodiscard]] bool is_list() const { return most_ > 1; }
  [[nodiscard]] bool is_required() const { return required_; }
  [[nodiscard]] bool is_hidden() const { return group_.empty(); }
  [[nodiscard]] bool has_name(std::string_view long_name) const;
  /// "--output", "-o" where there is no long one, or the argument's name.
  [[nodiscard]] std::string name() const;
  /// "-o,--output"; the name of an argument.
  [[nodiscard]] std::string all_names() const;

  // What the command line or the configuration file gave.
  [[nodiscard]] bool given() const { return !words_.empty(); }
  [[nodiscard]] const std::vector<std::string>& words() const { return words_; }
  /// Where this is an old name: the option of the new one.
  [[nodiscard]] const Option* now() const { return now_; }
  /// Of a flag.
  [[nodiscard]] bool on() const { return on_; }

 private:
  friend class Parser;
  std::vector<std::string> long_, short_;
  std::string argument_, help_, brief_, group_ = "Options", type_, initial_;
  std::function<std::string()> initial_of_;
  int least_ = 1, most_ = 1;
  bool required_ = false, one_at_a_time_ = false, configurable_ = true, on_ = false;
  char delimiter_ = 0;
  std::vector<Check> checks_;
  Option* now_ = nullptr;
  Take take_;
  std::vector<std::string> words_;
};

}  // namespace reber::app
