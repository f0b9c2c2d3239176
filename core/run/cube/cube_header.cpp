// SPDX-License-Identifier: BSD-3-Clause
// Cards of axes, and the beam of many planes.
#include "core/run/cube/cube_header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string>

#include "core/sky/model/fits_cards.hpp"

namespace reber {
namespace {

/// What follows the keyword's stem and axis: empty, or the letter of another description; nothing where it is another
/// keyword.
std::optional<std::string> description_of(const std::string& keyword, const std::string& stem) {
  if (!keyword.starts_with(stem) || keyword.size() > stem.size() + 1) return std::nullopt;
  const std::string rest = keyword.substr(stem.size());
  if (!rest.empty() && std::isupper(static_cast<unsigned char>(rest[0])) == 0) return std::nullopt;
  return rest;
}

/// The keyword is an element of the matrix in this column: CDi_j or PCi_j.
bool in_column(const std::string& keyword, const std::string& column) {
  const std::size_t line = keyword.find('_');
  return (keyword.starts_with("CD") || keyword.starts_with("PC")) && line != std::string::npos &&
         description_of(keyword.substr(line + 1), column).has_value();
}

void set_card(ImageHeader& header, std::size_t at, double value) {
  header.cards[at] = fits::make_card(fits::keyword_of(header.cards[at]), value);
}

}  // namespace

void resample_axis(ImageHeader& header, int axis, std::int64_t count, double offset, double step) {
  const std::string number = std::to_string(axis + 1);
  // A matrix without off-diagonal elements in the column is left to CDELT.
  bool matrix = false, reference = false, scaled = false;
  for (const std::string& card : header.cards) {
    const std::string keyword = fits::keyword_of(card);
    const bool diagonal = keyword.starts_with("PC" + number + "_");
    if (in_column(keyword, number) && !diagonal && fits::parse_number(fits::value_of(card)).value_or(0) != 0)
      matrix = true;
  }
  bool has_diagonal = false;
  for (std::size_t i = 0; i < header.cards.size(); ++i) {
    const std::string keyword = fits::keyword_of(header.cards[i]);
    const auto value = fits::parse_number(fits::value_of(header.cards[i]));
    if (!value) continue;
    if (const auto rest = description_of(keyword, "CRPIX" + number)) {
      set_card(header, i, (*value - 1 - offset) / step + 1);
      reference = reference || rest->empty();
    } else if (!matrix && description_of(keyword, "CDELT" + number)) {
      set_card(header, i, *value * step);
      scaled = true;
    } else if (matrix && in_column(keyword, number)) {
      set_card(header, i, *value * step);
      has_diagonal =
          has_diagonal || keyword.starts_with("PC" + number + "_") || keyword.starts_with("CD" + number + "_");
    }
  }
  if (!reference) header.cards.push_back(fits::make_card("CRPIX" + number, (-1 - offset) / step + 1));
  if (!matrix && !scaled) header.cards.push_back(fits::make_card("CDELT" + number, step));
  if (matrix && !has_diagonal) header.cards.push_back(fits::make_card("PC" + number + "_" + number, step));
  header.planes = header.planes / header.axes[static_cast<std::size_t>(axis)] * count;
  header.axes[static_cast<std::size_t>(axis)] = count;
}

std::optional<Beam> median_beam(const std::vector<std::optional<Beam>>& beams, const LogSink& log) {
  std::vector<Beam> known;
  for (const auto& beam : beams)
    if (beam) known.push_back(*beam);
  if (known.empty()) return std::nullopt;
  std::ranges::stable_sort(known, {}, &Beam::major_deg);
  const Beam &middle = known[known.size() / 2], &least = known.front(), &most = known.back();
  if (known.size() < beams.size() || !(most.major_deg - least.major_deg <= 1e-6 * most.major_deg))
    log.warning(
        fmt::format("beams of the planes differ, {:.4g} to {:.4g} arcsec long: the header states the median "
                    "one; reber smooth --common makes them the same first",
                    least.major_deg * 3600, most.major_deg * 3600));
  return middle;
}

}  // namespace reber
