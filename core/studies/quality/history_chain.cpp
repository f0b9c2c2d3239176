// SPDX-License-Identifier: BSD-3-Clause
// Steps are told apart by the words that lines begin with.
#include "core/studies/quality/history_chain.hpp"

#include <cctype>

#include "core/base/printable.hpp"

namespace reber {
namespace {

std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(' '), end = text.find_last_not_of(' ');
  return begin == std::string::npos ? "" : text.substr(begin, end - begin + 1);
}

/// What a line begins with, up to a blank or a mark; empty where that is no word.
std::string first_word(const std::string& line) {
  std::size_t end = 0;
  while (end < line.size() && (std::isalnum(static_cast<unsigned char>(line[end])) != 0 || line[end] == '_')) ++end;
  return line.substr(0, end);
}

void append(std::vector<HistoryStep>& steps, const std::string& title, const std::string& line) {
  if (title.empty() || steps.empty() || steps.back().title != title) steps.push_back({title, {}});
  steps.back().lines.push_back(line);
}

}  // namespace

std::vector<HistoryStep> history_chain(const std::vector<std::string>& cards) {
  constexpr std::size_t kText = 8, kFull = 72;
  std::vector<HistoryStep> steps;
  bool full = false;  // the line before filled its card, so that this one may be its rest
  for (const std::string& card : cards) {
    if (!card.starts_with("HISTORY")) continue;
    const std::string text = card.size() > kText ? card.substr(kText) : "";
    const std::string line = printable(trimmed(text));
    if (line.empty()) continue;
    if (full && !steps.empty() && !steps.back().lines.empty())
      steps.back().lines.back() += line;
    else
      append(steps, first_word(line), line);
    full = text.size() >= kFull && text[kFull - 1] != ' ';
  }
  return steps;
}

std::vector<HistoryStep> search_chain(const std::vector<std::string>& lines) {
  std::vector<HistoryStep> steps;
  for (const std::string& line : lines) {
    const std::size_t colon = line.find(": ");
    const bool staged = colon != std::string::npos && line.substr(0, colon).find(' ') == std::string::npos;
    append(steps, staged ? line.substr(0, colon) : "", printable(staged ? line.substr(colon + 2) : line));
  }
  return steps;
}

}  // namespace reber
