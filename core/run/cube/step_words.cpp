// SPDX-License-Identifier: BSD-3-Clause
// Splitting of words.
#include "core/run/cube/step_words.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "core/base/error.hpp"
#include "core/base/printable.hpp"
#include "core/run/request/bounds.hpp"

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

Beam beam_of_words(const std::string& text, const std::string& what) {
  std::vector<double> values;
  for (const std::string& word : split_commas(text)) {
    const auto value = whole_number(word);
    if (!value) throw InputError(fmt::format("{}: '{}' is not a number", what, printable(word)));
    values.push_back(*value);
  }
  if (values.size() == 1) values = {values[0], values[0], 0};
  if (values.size() != 3)
    throw InputError(fmt::format("{} '{}': expected MAJ,MIN,PA (FWHM in arcsec, degrees north through east)", what,
                                 printable(text)));
  const Beam beam{values[0] / 3600, values[1] / 3600, values[2]};
  if (const std::string why = why_no_beam(beam); !why.empty())
    throw InputError(fmt::format("{} '{}': {}", what, printable(text), why));
  return beam;
}

}  // namespace reber
