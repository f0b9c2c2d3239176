// SPDX-License-Identifier: BSD-3-Clause
// Rewrites the linear part of every world coordinate description in a header (FITS standard 4.0, section 8).
#include "core/files/fits/mesh_cards.hpp"

#include <fmt/format.h>

#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

#include "core/sky/model/fits_cards.hpp"

namespace reber::fits {
namespace {

/// CRPIX2A: stem "CRPIX", axis 2, alternative 'A'. CD1_2A: stem "CD", row 1, axis 2.
struct Term {
  std::string stem;
  int row = 0;   ///< of a matrix
  int axis = 0;  ///< the pixel axis, 1 or 2
  std::string alternative;
};

std::optional<int> axis_of(std::string_view text) {
  int axis = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), axis);
  if (error != std::errc() || stop != text.data() + text.size() || axis < 1 || axis > 2) return std::nullopt;
  return axis;
}

std::optional<Term> term_of(std::string keyword) {
  Term term;
  const auto is_letter = [](char c) { return std::isupper(static_cast<unsigned char>(c)) != 0; };
  if (keyword.size() > 3 && is_letter(keyword.back())) {
    term.alternative = keyword.back();
    keyword.pop_back();
  }
  for (const char* stem : {"CRPIX", "CDELT", "CTYPE"}) {
    if (!keyword.starts_with(stem)) continue;
    const auto axis = axis_of(std::string_view(keyword).substr(5));
    if (!axis) return std::nullopt;
    term.stem = stem;
    term.axis = *axis;
    return term;
  }
  for (const char* stem : {"CD", "PC"}) {
    const std::size_t line = keyword.find('_');
    if (!keyword.starts_with(stem)) continue;
    const bool old = keyword.size() == 8 && line == std::string::npos;  // PC001002 of the first drafts
    if (!old && line == std::string::npos) return std::nullopt;
    const std::size_t cut = old ? 5 : line;
    const auto row = axis_of(std::string_view(keyword).substr(2, cut - 2));
    const auto axis = axis_of(std::string_view(keyword).substr(old ? cut : cut + 1));
    if (!row || !axis) return std::nullopt;
    term.stem = stem;
    term.row = *row;
    term.axis = *axis;
    return term;
  }
  return std::nullopt;
}

/// The factor of a SIP coefficient (Shupe et al. 2005), A_p_q u^p v^q with u, v in pixels from CRPIX; empty for others.
std::optional<double> sip_factor(const std::string& keyword, const std::array<CoarseAxis, 2>& axes) {
  const std::size_t first = keyword.find('_'), second = keyword.find('_', first + 1);
  if (second == std::string::npos || second + 2 != keyword.size() || second != first + 2) return std::nullopt;
  const std::string stem = keyword.substr(0, first);
  const bool x = stem == "A" || stem == "AP", y = stem == "B" || stem == "BP";
  const char p = keyword[first + 1], q = keyword[second + 1];
  if ((!x && !y) || std::isdigit(static_cast<unsigned char>(p)) == 0 ||
      std::isdigit(static_cast<unsigned char>(q)) == 0)
    return std::nullopt;
  return std::pow(axes[0].step, p - '0') * std::pow(axes[1].step, q - '0') / axes[x ? 0 : 1].step;
}

/// The keyword of a matrix element, as the header writes it where it does.
std::string matrix_keyword(const CardTable& table, const char* stem, int row, int axis, const std::string& letter) {
  const std::string old = fmt::format("{}{:03d}{:03d}{}", stem, row, axis, letter);
  return table.has(old) ? old : fmt::format("{}{}_{}{}", stem, row, axis, letter);
}

/// How the axes of one description are scaled: by its matrix CD, else PC, else by CDELT.
const char* scaled_by(const CardTable& table, const std::string& letter) {
  for (const char* stem : {"CD", "PC"})
    for (const int row : {1, 2})
      for (const int axis : {1, 2})
        if (table.has(matrix_keyword(table, stem, row, axis, letter))) return stem;
  return "CDELT";
}

/// A scale that stands in no card because it is 1.
std::string unsaid_scale(const CardTable& table, const Term& type, double step) {
  const std::string by = scaled_by(table, type.alternative);
  if (by == "CD") return {};  // an element that is missing is 0
  const std::string keyword = by == "PC" ? matrix_keyword(table, "PC", type.axis, type.axis, type.alternative)
                                         : fmt::format("CDELT{}{}", type.axis, type.alternative);
  return table.has(keyword) ? std::string() : make_card(keyword, step);
}

}  // namespace

std::string coarse_cards(const std::string& cards, const std::array<CoarseAxis, 2>& axes) {
  const CardTable table(cards);
  std::string out;
  for (std::int64_t i = 0; i < table.count(); ++i) {
    const std::string_view card = table.card(i);
    const std::string keyword = keyword_of(card);
    const auto number = parse_number(value_of(card));
    const auto term = term_of(keyword);
    const auto sip = sip_factor(keyword, axes);
    if (sip && number) {
      out += make_card(keyword, *number * *sip);
    } else if (!term || (!number && term->stem != "CTYPE")) {
      out += card;
    } else {
      const CoarseAxis& axis = axes[static_cast<std::size_t>(term->axis - 1)];
      if (term->stem == "CTYPE")
        out += std::string(card) + unsaid_scale(table, *term, axis.step);
      else if (term->stem == "CRPIX")
        out += make_card(keyword, 1 + (*number - axis.first) / axis.step);
      else if (term->stem == scaled_by(table, term->alternative))
        out += make_card(keyword, *number * axis.step);
      else
        out += card;
    }
  }
  return out;
}

}  // namespace reber::fits
