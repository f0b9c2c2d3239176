// SPDX-License-Identifier: BSD-3-Clause
// Checks and rewrites header cards before WCSLIB parses them.
#include "core/sky/model/wcs_cards.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string>

namespace reber {

namespace {

/// Whether a keyword is of the plate solution of a Digitized Sky Survey.
bool of_plate_solution(const std::string& keyword) {
  static const std::set<std::string> kKeywords = {"CNPIX1",   "CNPIX2",  "PPO3",    "PPO6",    "XPIXELSZ",
                                                  "YPIXELSZ", "PLTRAH",  "PLTRAM",  "PLTRAS",  "PLTDECSN",
                                                  "PLTDECD",  "PLTDECM", "PLTDECS", "PLTSCALE"};
  return kKeywords.contains(keyword) || keyword.starts_with("AMDX") || keyword.starts_with("AMDY");
}

}  // namespace

std::string cards_for_wcslib(const fits::CardTable& table) {
  std::string out;
  const bool described = table.has("CTYPE1") || table.has("CTYPE2");
  for (std::int64_t i = 0; i < table.count(); ++i) {
    const std::string keyword = fits::keyword_of(table.card(i));
    const bool plain = !keyword.empty() && std::all_of(keyword.begin(), keyword.end(), [](char c) {
      return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    });
    const std::string value = fits::value_of(table.card(i));
    if (!plain || value.empty() || keyword == "END" || (described && of_plate_solution(keyword))) continue;
    if (value.front() == '\'') {
      if (const auto text = fits::quoted_text(value)) out += fits::make_text_card(keyword, *text);
    } else if (const auto number = fits::parse_number(value); number && std::isfinite(*number)) {
      std::string card = fmt::format("{:<8}= {:>20}", keyword, value);
      card.resize(fits::kCardBytes, ' ');
      out += card;
    }
  }
  std::string end = "END";
  end.resize(fits::kCardBytes, ' ');
  return out + end;
}

std::string wrong_card(const fits::CardTable& table, const std::array<int, 2>& axes) {
  const auto bad_number = [&](const std::string& keyword) {
    return table.has(keyword) &&
           !std::isfinite(table.number(keyword).value_or(std::numeric_limits<double>::quiet_NaN()));
  };
  for (const int axis : axes) {
    for (const char* stem : {"CRVAL", "CRPIX", "CDELT", "CROTA"}) {
      const std::string keyword = fmt::format("{}{}", stem, axis);
      if (bad_number(keyword)) return keyword;
    }
    for (const int other : axes) {
      for (const char* stem : {"CD", "PC"}) {
        const std::string keyword = fmt::format("{}{}_{}", stem, axis, other);
        if (bad_number(keyword)) return keyword;
      }
    }
    for (const char* stem : {"CTYPE", "CUNIT"}) {
      const std::string keyword = fmt::format("{}{}", stem, axis);
      if (table.has(keyword) && !table.string(keyword)) return keyword;
    }
  }
  for (const char* keyword : {"LONPOLE", "LATPOLE"}) {
    if (bad_number(keyword)) return keyword;
  }
  if (table.integer("WCSAXES").value_or(1) > kMaxWcsAxes) return "WCSAXES";
  return {};
}

}  // namespace reber
