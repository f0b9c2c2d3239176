// SPDX-License-Identifier: BSD-3-Clause
// Words become values; what is wrong with them is said in one short sentence.
#include "app/options/option.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <system_error>
#include <utility>

#include "core/run/request/bounds.hpp"

namespace reber::app {
namespace {

template <class T>
bool read_number(std::string_view word, T& value) {
  if (word.starts_with('+')) word.remove_prefix(1);
  const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  return error == std::errc() && stop == word.data() + word.size();
}

template <class T>
std::string read_whole(const std::string& word, T& value) {
  return read_number(word, value) ? "" : fmt::format("'{}' is not a whole number", word);
}

}  // namespace

Check one_of(std::vector<std::string> words) {
  return [words = std::move(words)](const std::string& word) {
    if (std::ranges::find(words, word) != words.end()) return std::string();
    return fmt::format("{} not in {{{}}}", word, fmt::join(words, ","));
  };
}

Check in_range(std::int64_t low, std::int64_t high) {
  return [low, high](const std::string& word) {
    std::int64_t value = 0;
    if (read_number(word, value) && value >= low && value <= high) return std::string();
    return fmt::format("'{}' is not a whole number from {} to {}", word, low, high);
  };
}

Check within(std::string_view name) {
  return [&row = bound(name)](const std::string& word) {
    double value = 0;
    if (!read_number(word, value)) return fmt::format("'{}' is not a {}number", word, row.whole ? "whole " : "");
    const std::string why = why_not(row, value);
    return why.empty() ? why : fmt::format("'{}': {}", word, why);
  };
}

Check not_negative() {
  return [](const std::string& word) {
    double value = 0;
    if (!read_number(word, value) || std::isnan(value)) return fmt::format("'{}' is not a number", word);
    return value >= 0 ? std::string() : word + " is below 0";
  };
}

Check existing_file() {
  return [](const std::string& word) {
    std::error_code error;
    if (std::filesystem::is_directory(word, error)) return "it is a folder: " + word;
    return std::filesystem::exists(word, error) ? std::string() : "there is no file " + word;
  };
}

std::string read(const std::string& word, std::string& value) {
  value = word;
  return {};
}

std::string read(const std::string& word, double& value) {
  return read_number(word, value) ? "" : fmt::format("'{}' is not a number", word);
}

std::string read(const std::string& word, int& value) { return read_whole(word, value); }
std::string read(const std::string& word, std::int64_t& value) { return read_whole(word, value); }
std::string read(const std::string& word, std::uint64_t& value) { return read_whole(word, value); }

std::string shown(const std::string& value) { return value; }
std::string shown(double value) { return fmt::format("{:g}", value); }
std::string shown(std::int64_t value) { return fmt::format("{}", value); }
std::string shown(std::uint64_t value) { return fmt::format("{}", value); }

Option::Option(std::string_view names, std::string help, int most, Take take)
    : help_(std::move(help)), least_(std::min(most, 1)), most_(most), take_(std::move(take)) {
  for (std::size_t begin = 0; begin <= names.size();) {
    const std::size_t end = std::min(names.find(',', begin), names.size());
    const std::string_view name = names.substr(begin, end - begin);
    if (name.starts_with("--"))
      long_.emplace_back(name.substr(2));
    else if (name.starts_with('-'))
      short_.emplace_back(name.substr(1));
    else
      argument_ = name;
    begin = end + 1;
  }
}

Option* Option::group(std::string title) {
  group_ = std::move(title);
  return this;
}

Option* Option::type_name(std::string word) {
  type_ = std::move(word);
  return this;
}

Option* Option::brief(std::string words) {
  brief_ = std::move(words);
  return this;
}

Option* Option::default_str(std::string text) {
  initial_ = std::move(text);
  return this;
}

Option* Option::capture_default_str() {
  if (initial_of_) initial_ = initial_of_();
  return this;
}

Option* Option::required() {
  required_ = true;
  return this;
}

Option* Option::check(Check check) {
  checks_.push_back(std::move(check));
  return this;
}

Option* Option::expected(int least, int most) {
  least_ = least;
  most_ = most;
  return this;
}

Option* Option::one_at_a_time() {
  one_at_a_time_ = true;
  return this;
}

Option* Option::delimiter(char between) {
  delimiter_ = between;
  return this;
}

Option* Option::not_configurable() {
  configurable_ = false;
  return this;
}

Option* Option::old_name_of(Option& now) {
  now_ = &now;
  group_.clear();
  return this;
}

bool Option::has_name(std::string_view long_name) const { return std::ranges::find(long_, long_name) != long_.end(); }

std::string Option::name() const {
  if (!long_.empty()) return "--" + long_.front();
  return short_.empty() ? argument_ : "-" + short_.front();
}

std::string Option::all_names() const {
  std::string text = argument_;
  for (const std::string& one : short_) text += (text.empty() ? "-" : ",-") + one;
  for (const std::string& one : long_) text += (text.empty() ? "--" : ",--") + one;
  return text;
}

}  // namespace reber::app
