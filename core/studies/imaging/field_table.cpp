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

std::vector<std::vector<double>> read_field_table(const std::string& path, const std::vector<std::string>& files,
                                                  int count, double otherwise) {
  constexpr std::int64_t kMostBytes = std::int64_t{64} << 20;
  std::vector<std::vector<double>> all(files.size());
  std::istringstream text(fits::read_text(path, kMostBytes));
  int number = 0;
  for (std::string line; std::getline(text, line);) {
    ++number;
    std::istringstream words(line.substr(0, line.find('#')));
    std::string name, word;
    if (!(words >> name)) continue;
    const auto wrong = [&](const std::string& why) {
      throw InputError(fmt::format("{}, line {}: {}", printable(path), number, why));
    };
    std::vector<double> values;
    while (words >> word) {
      const std::optional<double> value = fits::parse_number(word);
      if (!value || !std::isfinite(*value)) wrong("'" + printable(word) + "' is not a number");
      values.push_back(*value);
    }
    if (values.size() != static_cast<std::size_t>(count))
      wrong(fmt::format("a name and {} numbers were expected", count));
    bool known = false;
    for (std::size_t i = 0; i < files.size(); ++i) {
      if (name != files[i] && name != std::filesystem::path(files[i]).filename() && name != stem_of(files[i])) continue;
      if (!all[i].empty()) wrong("'" + printable(name) + "' stands there twice");
      all[i] = values;
      known = true;
    }
    if (!known) wrong("'" + printable(name) + "' is none of the images");
  }
  for (std::vector<double>& values : all) values.resize(static_cast<std::size_t>(count), otherwise);
  return all;
}

}  // namespace reber
