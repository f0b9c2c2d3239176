// SPDX-License-Identifier: BSD-3-Clause
// Which cards make up the celestial grid.
#include "core/files/fits/grid_cards.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <map>
#include <numbers>
#include <set>

#include "core/base/error.hpp"
#include "core/base/printable.hpp"
#include "core/files/fits/output_cards.hpp"
#include "core/sky/model/fits_cards.hpp"

namespace reber {
namespace {

using fits::CardTable;
using fits::keyword_of;

std::string joined(const std::vector<std::string>& cards) {
  std::string all;
  for (const std::string& card : cards) all += card;
  return all;
}

/// Terms of SIP: A_ORDER, B_2_0, AP_1_1 ...
bool is_distortion(const std::string& keyword) {
  const std::size_t line = keyword.find('_');
  const std::string head = keyword.substr(0, line);
  if (line == std::string::npos || (head != "A" && head != "B" && head != "AP" && head != "BP")) return false;
  const std::string rest = keyword.substr(line + 1);
  return rest == "ORDER" || rest == "DMAX" || (!rest.empty() && std::isdigit(static_cast<unsigned char>(rest[0])) != 0);
}

/// Keywords of the celestial axes together.
bool is_shared(const std::string& keyword) {
  static const std::set<std::string> kKeywords = {"LONPOLE", "LATPOLE", "RADESYS", "RADECSYS", "EQUINOX", "EPOCH"};
  return kKeywords.contains(keyword) || is_distortion(keyword);
}

/// What says where pixels lie, in one of the ways that matrices are written.
bool is_matrix(const std::string& keyword) {
  return keyword.starts_with("CDELT") || keyword.starts_with("CROTA") || keyword.starts_with("PC") ||
         (keyword.starts_with("CD") && keyword.find('_') != std::string::npos);
}

bool is_alternative(const std::string& keyword) {
  return keyword.size() > 1 && std::isupper(static_cast<unsigned char>(keyword.back())) != 0 &&
         std::isdigit(static_cast<unsigned char>(keyword[keyword.size() - 2])) != 0;
}

/// Steps of axes i and j of a header, and the matrix between.
struct Steps {
  double cdelt[2] = {1, 1};
  double pc[2][2] = {{1, 0}, {0, 1}};
};

bool is_longitude(const CardTable& table, int axis) {
  const std::string type = table.string(fmt::format("CTYPE{}", axis)).value_or("");
  return type.starts_with("RA") || type.find("LON") != std::string::npos;
}

Steps steps_of(const CardTable& table, const std::array<int, 2>& axes) {
  const auto matrix = [&](const char* name, std::size_t i, std::size_t j) {
    const auto value = table.number(fmt::format("{}{}_{}", name, axes[i], axes[j]));
    return value ? value : table.number(fmt::format("{}{:03}{:03}", name, axes[i], axes[j]));
  };
  Steps steps;
  bool cd = false, pc = false;
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t j = 0; j < 2; ++j) cd = cd || matrix("CD", i, j), pc = pc || matrix("PC", i, j);
  for (std::size_t i = 0; i < 2; ++i) {
    if (!cd) steps.cdelt[i] = table.number(fmt::format("CDELT{}", axes[i])).value_or(1);
    for (std::size_t j = 0; j < 2; ++j)
      steps.pc[i][j] = cd ? matrix("CD", i, j).value_or(0) : matrix("PC", i, j).value_or(i == j ? 1 : 0);
  }
  const std::size_t lat = is_longitude(table, axes[0]) ? 1 : 0, lon = 1 - lat;
  const double angle = table.number(fmt::format("CROTA{}", axes[lat])).value_or(0) * std::numbers::pi / 180;
  if (cd || pc || angle == 0) return steps;
  const double ratio = steps.cdelt[lat] / steps.cdelt[lon];
  steps.pc[lon][lon] = steps.pc[lat][lat] = std::cos(angle);
  steps.pc[lon][lat] = -std::sin(angle) * ratio;
  steps.pc[lat][lon] = std::sin(angle) / ratio;
  return steps;
}

/// Axes 1 and 2 of a grid's keyword as axes x and y.
std::string numbered(const std::string& keyword, const std::array<int, 2>& axes) {
  const std::size_t digit = keyword.find_first_of("12");
  if (is_shared(keyword) || digit == std::string::npos) return keyword;
  const auto axis = [&](char number) { return std::to_string(axes[number == '1' ? 0 : 1]); };
  std::string out = keyword.substr(0, digit) + axis(keyword[digit]) + keyword.substr(digit + 1);
  if (keyword.starts_with("PC")) out = fmt::format("PC{}_{}", axis(keyword[2]), axis(keyword[4]));
  return out;
}

std::string renamed(const std::string& keyword, const std::string& card) {
  return fmt::format("{:<8}", keyword) + card.substr(8);
}

Wcs parse(const std::vector<std::string>& cards, Shape shape) {
  return Wcs::parse(joined(cards), 0, 1, {1, 1}, 2, static_cast<double>(shape.nx), static_cast<double>(shape.ny));
}

}  // namespace

SkyGrid sky_grid(Shape shape, std::vector<std::string> cards) {
  SkyGrid grid{shape, std::move(cards), {}};
  grid.wcs = parse(grid.cards, shape);
  if (!grid.wcs.celestial()) throw InputError("the grid cannot be used: " + grid.wcs.why_not());
  return grid;
}

SkyGrid SkyGrid::moved(double dx, double dy, Shape new_shape) const {
  std::vector<std::string> with = cards;
  for (std::string& card : with) {
    const std::string keyword = keyword_of(card);
    if (keyword != "CRPIX1" && keyword != "CRPIX2") continue;
    const double value = fits::parse_number(fits::value_of(card)).value_or(0);
    card = fits::make_card(keyword, value + (keyword == "CRPIX1" ? dx : dy));
  }
  return sky_grid(new_shape, std::move(with));
}

SkyGrid sky_grid(const ImageHeader& header) {
  if (!header.wcs.celestial())
    throw InputError(fmt::format("{}: it has no sky coordinates ({})", printable(header.path), header.wcs.why_not()));
  const std::array<int, 2> axes{header.x_axis + 1, header.y_axis + 1};
  const CardTable table(joined(header.cards));
  std::map<std::string, std::string> last;
  std::vector<std::string> order;
  const auto keep = [&](const std::string& keyword, const std::string& card) {
    if (!last.contains(keyword)) order.push_back(keyword);
    last[keyword] = renamed(keyword, card);
  };
  // A reference pixel or value that is not stated is 0.
  for (const char* keyword : {"CRPIX1", "CRPIX2"}) keep(keyword, fits::make_card(keyword, 0.0));
  for (const std::string& card : header.cards) {
    const std::string keyword = keyword_of(card);
    if (is_shared(keyword)) {
      keep(keyword, card);
      continue;
    }
    const auto changed = fits::of_two_axes(keyword, axes[0], axes[1]);
    if (changed && !changed->empty() && !is_matrix(*changed) && !is_alternative(*changed)) keep(*changed, card);
  }
  std::vector<std::string> cards;
  for (const std::string& keyword : order) cards.push_back(last[keyword]);
  const Steps steps = steps_of(table, axes);
  for (int i = 0; i < 2; ++i) {
    cards.push_back(fits::make_card(fmt::format("CDELT{}", i + 1), steps.cdelt[i]));
    for (int j = 0; j < 2; ++j)
      if (steps.pc[i][j] != (i == j ? 1 : 0))
        cards.push_back(fits::make_card(fmt::format("PC{}_{}", i + 1, j + 1), steps.pc[i][j]));
  }
  return sky_grid(header.shape, std::move(cards));
}

ImageHeader on_grid(const ImageHeader& header, const SkyGrid& grid) {
  const std::array<int, 2> axes{header.x_axis + 1, header.y_axis + 1};
  const CardTable table(joined(header.cards));
  ImageHeader out = header;
  out.cards.clear();
  const auto other = [&](int axis) { return axis != axes[0] && axis != axes[1]; };
  for (const std::string& card : header.cards) {
    const std::string keyword = keyword_of(card);
    if (is_shared(keyword) || keyword.starts_with("LTM") || keyword.starts_with("LTV")) continue;
    const auto changed = fits::of_two_axes(keyword, axes[0], axes[1]);
    if (changed && !changed->empty()) continue;
    const auto [stem, axis] = fits::split_number(keyword);
    // The grid's matrix is PC, which no CD may stand beside: CD of another axis becomes its CDELT.
    if (stem == "CDELT" && table.has(fmt::format("CD{0}_{0}", axis))) continue;
    if (!changed || keyword.find('_') == std::string::npos) {
      if (!changed || !is_matrix(keyword) || stem == "CDELT") out.cards.push_back(card);
      continue;
    }
    for (int one = 1; one <= static_cast<int>(header.axes.size()); ++one) {
      if (!other(one)) continue;
      if (keyword == fmt::format("CD{0}_{0}", one)) out.cards.push_back(renamed(fmt::format("CDELT{}", one), card));
      if (keyword.starts_with(fmt::format("PV{}_", one)) || keyword.starts_with(fmt::format("PS{}_", one)))
        out.cards.push_back(card);
      for (int two = 1; two <= static_cast<int>(header.axes.size()); ++two)
        if (other(two) && keyword == fmt::format("PC{}_{}", one, two)) out.cards.push_back(card);
    }
  }
  for (const std::string& card : grid.cards) out.cards.push_back(renamed(numbered(keyword_of(card), axes), card));
  out.shape = grid.shape;
  if (!out.axes.empty()) {
    out.axes[static_cast<std::size_t>(header.x_axis)] = grid.shape.nx;
    out.axes[static_cast<std::size_t>(header.y_axis)] = grid.shape.ny;
  }
  out.wcs = grid.wcs;
  return out;
}

}  // namespace reber
