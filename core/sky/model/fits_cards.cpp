// SPDX-License-Identifier: BSD-3-Clause
// Parsing and making of 80-character FITS cards.
#include "core/sky/model/fits_cards.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace reber::fits {
namespace {

std::string_view trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

bool repeats(const std::string& keyword) {
  return keyword.empty() || keyword == "HISTORY" || keyword == "COMMENT" || keyword == "CONTINUE" ||
         keyword == "HIERARCH";
}

std::string padded(std::string card) {
  card.resize(kCardBytes, ' ');
  return card;
}

std::string value_card(const std::string& keyword, const std::string& value, const std::string& comment) {
  std::string card = fmt::format("{:<8}= {:>20}", keyword, value);
  if (!comment.empty()) card += " / " + comment;
  return padded(restrict_to_ascii(card));
}

}  // namespace

std::optional<std::string> quoted_text(std::string_view field) {
  if (field.empty() || field.front() != '\'') return std::nullopt;
  std::string out;
  for (std::size_t i = 1; i < field.size(); ++i) {
    if (field[i] == '\'') {
      if (i + 1 >= field.size() || field[i + 1] != '\'') {
        while (!out.empty() && out.back() == ' ') out.pop_back();
        return out;
      }
      ++i;
    }
    out += field[i];
  }
  return std::nullopt;
}

std::string keyword_of(std::string_view card) { return std::string(trim(card.substr(0, 8))); }

std::string value_of(std::string_view card) {
  if (card.size() < 10 || card[8] != '=') return {};
  const std::string_view field = trim(card.substr(9));
  if (!field.empty() && field.front() == '\'') {
    std::size_t i = 1;
    for (; i < field.size(); ++i) {
      if (field[i] != '\'') continue;
      if (i + 1 < field.size() && field[i + 1] == '\'') {
        ++i;
      } else {
        break;
      }
    }
    return std::string(field.substr(0, std::min(i + 1, field.size())));
  }
  return std::string(trim(field.substr(0, field.find('/'))));
}

std::optional<double> parse_number(std::string_view text) {
  std::string digits(trim(text));
  for (char& c : digits) {
    if (c == 'D' || c == 'd') c = 'E';
    const bool allowed = (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.' || c == 'E' || c == 'e';
    if (!allowed) return std::nullopt;
  }
  const bool plus = !digits.empty() && digits.front() == '+';
  const char* const begin = digits.data() + (plus ? 1 : 0);
  const char* const end = digits.data() + digits.size();
  if (plus && begin != end && *begin == '-') return std::nullopt;
  double value = 0;
  const auto [stop, error] = std::from_chars(begin, end, value);
  if (stop != end || begin == end) return std::nullopt;
  if (error == std::errc::result_out_of_range) {
    // Too small or too large: the sign of the exponent tells.
    const auto e = digits.find_first_of("eE");
    const bool tiny = e != std::string::npos && e + 1 < digits.size() && digits[e + 1] == '-';
    return tiny ? 0.0 : std::numeric_limits<double>::infinity();
  }
  if (error != std::errc()) return std::nullopt;
  return value;
}

std::pair<std::string, int> split_number(const std::string& keyword) {
  std::size_t digits = 0;
  while (digits < keyword.size() && keyword[keyword.size() - 1 - digits] >= '0' &&
         keyword[keyword.size() - 1 - digits] <= '9') {
    ++digits;
  }
  if (digits == 0 || digits > 4) return {keyword, 0};
  const std::size_t at = keyword.size() - digits;
  return {keyword.substr(0, at), std::stoi(keyword.substr(at))};
}

CardTable::CardTable(std::string cards) : cards_(std::move(cards)) {
  for (std::int64_t i = 0; i < count(); ++i) {
    const std::string keyword = keyword_of(card(i));
    if (repeats(keyword)) continue;
    const auto [place, fresh] = last_.try_emplace(keyword, i);
    if (fresh) continue;
    if (value_of(card(place->second)) != value_of(card(i)) &&
        std::find(duplicates_.begin(), duplicates_.end(), keyword) == duplicates_.end()) {
      duplicates_.push_back(keyword);
    }
    place->second = i;
  }
}

std::string CardTable::raw(const std::string& keyword) const {
  const auto place = last_.find(keyword);
  return place == last_.end() ? std::string() : value_of(card(place->second));
}

std::optional<std::string> CardTable::string(const std::string& keyword) const {
  const auto place = last_.find(keyword);
  if (place == last_.end()) return std::nullopt;
  std::optional<std::string> value = quoted_text(value_of(card(place->second)));
  for (std::int64_t i = place->second + 1; value && !value->empty() && value->back() == '&' && i < count(); ++i) {
    if (keyword_of(card(i)) != "CONTINUE") break;
    const auto more = quoted_text(trim(card(i).substr(8)));
    if (!more) break;
    value->pop_back();
    *value += *more;
  }
  return value;
}

std::optional<double> CardTable::number(const std::string& keyword) const {
  return has(keyword) ? parse_number(raw(keyword)) : std::nullopt;
}

std::optional<std::int64_t> CardTable::integer(const std::string& keyword) const {
  const std::string text = raw(keyword);
  const char* begin = text.data();
  const char* const end = begin + text.size();
  if (begin != end && *begin == '+') ++begin;
  std::int64_t value = 0;
  const auto [stop, error] = std::from_chars(begin, end, value);
  if (begin == end || stop != end || error != std::errc()) return std::nullopt;
  return value;
}

std::string restrict_to_ascii(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c < 32 || c > 126) c = '?';
  }
  return out;
}

std::string make_card(const std::string& keyword, std::int64_t value, const std::string& comment) {
  return value_card(keyword, fmt::format("{}", value), comment);
}

std::string make_card(const std::string& keyword, double value, const std::string& comment) {
  std::string text = fmt::format("{}", value);
  std::transform(text.begin(), text.end(), text.begin(), [](char c) { return c == 'e' ? 'E' : c; });
  if (text.find_first_of(".E") == std::string::npos) text += ".0";
  return value_card(keyword, text, comment);
}

std::string make_logical_card(const std::string& keyword, bool value, const std::string& comment) {
  return value_card(keyword, value ? "T" : "F", comment);
}

std::string make_text_card(const std::string& keyword, const std::string& value, const std::string& comment) {
  std::string escaped;
  // 68 characters fit between the quotes; a doubled quote must not be split.
  for (const char c : restrict_to_ascii(value)) {
    const std::size_t more = c == '\'' ? 2 : 1;
    if (escaped.size() + more > 68) break;
    escaped.append(more, c);
  }
  std::string card = fmt::format("{:<8}= '{:<8}'", keyword, escaped);
  if (!comment.empty()) card = fmt::format("{:<30} / {}", card, restrict_to_ascii(comment));
  return padded(card);
}

std::vector<std::string> fold_cards(const std::string& keyword, const std::string& text) {
  constexpr std::size_t kWidth = 72;
  const std::string clean = restrict_to_ascii(text);
  std::vector<std::string> cards;
  std::size_t at = 0;
  do {
    std::size_t length = std::min(kWidth, clean.size() - at);
    if (at + length < clean.size()) {
      const std::size_t blank = clean.rfind(' ', at + length);
      if (blank != std::string::npos && blank > at + kWidth / 2) length = blank - at;
    }
    cards.push_back(padded(fmt::format("{:<8}{}", keyword, clean.substr(at, length))));
    at += length;
    while (at < clean.size() && clean[at] == ' ') ++at;
  } while (at < clean.size());
  return cards;
}

}  // namespace reber::fits
