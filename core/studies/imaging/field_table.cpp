// SPDX-License-Identifier: BSD-3-Clause
// Lines by white space.
#include "core/studies/imaging/field_table.hpp"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <optional>
#include <sstream>

#include "core/base/error.hpp"
#include "core/base/printable.hpp"
#include "core/files/io/byte_source.hpp"
#include "core/files/io/file_stem.hpp"
#include "core/sky/model/fits_cards.hpp"

namespace reber {

std::vector<std::vector<std::string>> read_field_words(
    const std::string& path, const std::vector<std::string>& files,
    const std::function<std::string(const std::vector<std::string>&)>& check) {
  constexpr std::int64_t kMostBytes = std::int64_t{64} << 20;
  std::vector<std::vector<std::string>> all(files.size());
  std::istringstream text(fits::read_text(path, kMostBytes));
  int number = 0;
  for (std::string line; std::getline(text, line);) {
    ++number;
    std::istringstream in(line.substr(0, line.find('#')));
    std::string name;
    if (!(in >> name)) continue;
    const auto wrong = [&](const std::string& why) {
      throw InputError(fmt::format("{}, line {}: {}", printable(path), number, why));
    };
    std::vector<std::string> words;
    for (std::string word; in >> word;) words.push_back(word);
    if (const std::string why = check(words); !why.empty()) wrong(why);
    bool known = false;
    for (std::size_t i = 0; i < files.size(); ++i) {
      if (name != files[i] && name != std::filesystem::path(files[i]).filename() && name != stem_of(files[i])) continue;
      if (!all[i].empty()) wrong("'" + printable(name) + "' stands there twice");
      all[i] = words;
      known = true;
    }
    if (!known) wrong("'" + printable(name) + "' is none of the images");
  }
  return all;
}

std::vector<std::vector<double>> read_field_table(const std::string& path, const std::vector<std::string>& files,
                                                  int count, double otherwise) {
  const auto value_of = [](const std::string& word) {
    const std::optional<double> value = fits::parse_number(word);
    return value && std::isfinite(*value) ? value : std::nullopt;
  };
  const auto rows = read_field_words(path, files, [&](const std::vector<std::string>& words) -> std::string {
    for (const std::string& word : words)
      if (!value_of(word)) return "'" + printable(word) + "' is not a number";
    if (words.size() != static_cast<std::size_t>(count))
      return fmt::format("a name and {} numbers were expected", count);
    return "";
  });
  std::vector<std::vector<double>> all;
  for (const auto& words : rows) {
    std::vector<double>& values = all.emplace_back();
    for (const std::string& word : words) values.push_back(*value_of(word));
    values.resize(static_cast<std::size_t>(count), otherwise);
  }
  return all;
}

std::string name_of_pattern(const std::string& pattern, const std::string& field) {
  const std::size_t at = pattern.find('%');
  if (at == std::string::npos) return pattern;
  const std::filesystem::path stem = std::filesystem::path(field).parent_path() / stem_of(field);
  return pattern.substr(0, at) + stem.string() + pattern.substr(at + 1);
}

}  // namespace reber
