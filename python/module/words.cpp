// SPDX-License-Identifier: BSD-3-Clause
// One pass over a message: each option of the tables becomes its keyword, with the value that stands behind it.
#include "python/module/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>

#include "core/run/request/bounds.hpp"
#include "core/run/request/parameters.hpp"
#include "python/module/other_words.hpp"

namespace reber::python {
namespace {

/// Options of calls that are no numbers: those have rows in the table of bounds.
struct CallWord {
  std::string_view option, keyword;
  bool flag = false;
};
constexpr CallWord kCallWords[] = {
    {"--image-beam", "beam"},
    {"--beam", "beam"},
    {"--to-beam", "to_beam"},
    {"--unit", "unit"},
    {"--planes", "planes"},
    {"--backend", "backend"},
    {"--columns", "columns"},
    {"--format", "format"},
    {"--patches", "patches"},
    {"--columns-a", "columns_a"},
    {"--how", "how"},
    {"--columns-b", "columns_b"},
    {"--check", "check", true},
    {"--into", "into"},
    {"--per-plane", "per_plane", true},
    {"--dry-run", "dry_run", true},
    {"--scene", "scene"},
    {"--overwrite", "overwrite", true},
    {"--durable", "durable"},
    {"--like", "like"},
    {"--projection", "projection"},
    {"--centre", "centre"},
    {"--frame", "frame"},
    {"--interpolation", "interpolation"},
    {"--use-rms-map", "use_rms_map"},
    {"--write-rms-map", "write_rms_map"},
    {"--write-psf-map", "write_psf_map"},
    {"--write-weight", "write_weight"},
    {"--common", "common", true},
    {"--beam-model", "beam_model"},
    {"--pb-corrected", "pb_corrected", true},
    {"--weights", "weights"},
    {"--shifts", "shifts"},
    {"--scales", "scales"},
    {"--coverage", "coverage"},
};
/// What calls take beside parameters, for the nearest word.
constexpr std::string_view kCallKeywords[] = {"header",  "wcs",           "beam",    "unit",    "mask",
                                              "hdu",     "plane",         "check",   "backend", "device",
                                              "threads", "device_memory", "progress"};

std::string as_identifier(std::string text) {
  text.erase(0, std::min(text.find_first_not_of('-'), text.size()));
  std::ranges::replace(text, '-', '_');
  return text;
}

/// How Python says an option.
struct Said {
  std::string keyword;
  bool flag = false;
  const Parameter* row = nullptr;
};

std::optional<Said> said(std::string_view option) {
  const std::string word = as_identifier(std::string(option));
  for (const Parameter& row : parameters()) {
    const std::vector<Keyword> keywords = keywords_of(row);
    const bool flag = row.access.kind == Access::Kind::flag;
    for (const Keyword& one : keywords)
      if (one.word == word) return Said{word.starts_with("use_") ? keywords.front().word : word, flag, &row};
  }
  for (const CallWord& one : kCallWords)
    if (one.option == option) return Said{std::string(one.keyword), one.flag};
  for (const Bound& row : bounds())
    if (row.option == option && row.name != "call.host_memory")
      return Said{std::string(row.name.substr(row.name.find('.') + 1))};
  return std::nullopt;
}

/// One, or several with commas between.
bool is_number(std::string_view text) {
  if (const std::size_t comma = text.find(','); comma != std::string_view::npos)
    return is_number(text.substr(0, comma)) && is_number(text.substr(comma + 1));
  double value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return !text.empty() && error != std::errc::invalid_argument && stop == text.data() + text.size();
}

/// The value behind an option, from the blank on; empty where what follows is prose.
std::string_view value_behind(const Said& said, std::string_view rest) {
  if (said.flag || rest.size() < 2 || rest[0] != ' ') return {};
  if (rest[1] == '\'') {
    const std::size_t end = rest.find('\'', 2);
    return end == std::string_view::npos ? std::string_view() : rest.substr(0, end + 1);
  }
  std::string_view value = rest.substr(0, rest.find(' ', 1));
  while (value.size() > 1 && std::string_view(".,;:)").find(value.back()) != std::string_view::npos)
    value.remove_suffix(1);
  const std::string_view word = value.substr(1);
  if (is_number(word)) return value;
  const bool is_word = said.row != nullptr && std::ranges::find(said.row->access.words, word, &ChoiceWord::word) !=
                                                  said.row->access.words.end();
  return is_word ? value : std::string_view();
}

std::string with_value(const Said& said, std::string_view value) {
  if (said.flag) return said.keyword + "=True";
  if (value.empty()) return said.keyword;
  value.remove_prefix(1);
  const bool bare = is_number(value) || value.starts_with('\'');
  if (bare && value.find(',') != std::string_view::npos && !value.starts_with('\''))
    return fmt::format("{}=({})", said.keyword, value);
  return fmt::format("{0}={2}{1}{2}", said.keyword, value, bare ? "" : "'");
}

/// How many letters must change.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t corner = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = corner + (a[i - 1] == b[j - 1] ? 0 : 1);
      corner = row[j];
      row[j] = std::min({change, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::vector<Keyword> keywords_of(const Parameter& row) {
  constexpr std::string_view kUse = "use_";
  std::vector<Keyword> words;
  std::string_view rest = row.option;
  while (!rest.empty()) {
    std::string_view one = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), one.size() + 1));
    const bool negated = one.starts_with('!');
    if (negated) one.remove_prefix(1);
    const std::string word = as_identifier(std::string(one));
    if (word.starts_with(kUse))
      words.insert(words.end(), {{word.substr(kUse.size())}, {word.substr(kUse.size()) + "_map"}});
    words.push_back({word, negated});
  }
  const std::string alias = as_identifier(std::string(row.alias));
  if (!alias.empty() && std::ranges::find(words, alias, &Keyword::word) == words.end()) words.push_back({alias, false});
  if (words.empty()) words.push_back({as_identifier(std::string(row.name.substr(row.name.rfind('.') + 1))), false});
  return words;
}

std::string in_pythons_words(std::string_view message) {
  const auto of_an_option = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-'; };
  std::string text;
  while (!message.empty()) {
    const std::size_t at = message.find("--");
    text += message.substr(0, at);
    if (at == std::string_view::npos) break;
    message.remove_prefix(at);
    const auto* const end = std::ranges::find_if_not(message, of_an_option);
    const std::string_view option = message.substr(0, static_cast<std::size_t>(end - message.begin()));
    message.remove_prefix(option.size());
    const bool inside_a_word = !text.empty() && of_an_option(text.back());
    const std::optional<Said> known = inside_a_word ? std::nullopt : said(option);
    if (!known) {
      text += option;
      continue;
    }
    const std::string_view value = value_behind(*known, message);
    message.remove_prefix(value.size());
    text += with_value(*known, value);
  }
  return text;
}

std::string unknown_keyword(const std::string& keyword) {
  const std::string start = fmt::format("unknown keyword '{}'", keyword);
  constexpr const char* kAll = "reber.parameters() lists all";
  if (const std::string_view here = word_here(keyword); !here.empty())
    return fmt::format("{}; here it is {}; {}", start, here, kAll);
  std::string nearest;
  std::size_t least = std::max<std::size_t>(keyword.size() / 3, 1) + 1;
  const auto try_word = [&](const std::string& word) {
    if (const std::size_t away = distance(word, keyword); away < least) {
      least = away;
      nearest = word;
    }
  };
  for (const Parameter& row : parameters())
    for (const Keyword& known : keywords_of(row)) try_word(known.word);
  for (const std::string_view word : kCallKeywords) try_word(std::string(word));
  if (nearest.empty()) return fmt::format("{}; {}", start, kAll);
  return fmt::format("{}; the nearest one is '{}', and {}", start, nearest, kAll);
}

}  // namespace reber::python
