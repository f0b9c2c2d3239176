// SPDX-License-Identifier: BSD-3-Clause
// Splitting of words.
#include "core/run/cube/step_words.hpp"

#include <charconv>
#include <cmath>

namespace reber {

std::pair<std::string, std::string> split_step(const std::string& text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) return {text, ""};
  return {text.substr(0, colon), text.substr(colon + 1)};
}

std::pair<std::optional<double>, std::string> split_unit(const std::string& text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || !std::isfinite(value)) return {std::nullopt, text};
  return {value, std::string(rest, end)};
}

std::vector<std::string> split_commas(const std::string& text) {
  std::vector<std::string> words(1);
  for (const char c : text) {
    if (c == ',') {
      words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  return words;
}

std::optional<double> whole_number(const std::string& text) {
  const auto [value, rest] = split_unit(text);
  return rest.empty() ? value : std::nullopt;
}

}  // namespace reber
