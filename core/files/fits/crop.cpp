// SPDX-License-Identifier: BSD-3-Clause
// Cards that count pixels, counted from elsewhere.
#include "core/files/fits/crop.hpp"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/printable.hpp"
#include "core/files/fits/pixel_sources.hpp"
#include "core/sky/model/fits_cards.hpp"

namespace reber {
namespace {

/// The keyword is of this stem and axis (from 1), of any description.
bool is_of(const std::string& keyword, const std::string& stem, int axis) {
  const std::string head = stem + std::to_string(axis);
  if (!keyword.starts_with(head)) return false;
  const std::string rest = keyword.substr(head.size());
  return rest.empty() || (rest.size() == 1 && std::isupper(static_cast<unsigned char>(rest[0])) != 0);
}

void refuse_tables(const ImageHeader& header) {
  for (const std::string& card : header.cards) {
    const std::string keyword = fits::keyword_of(card);
    for (const char* stem : {"CPDIS", "CQDIS", "D2IMDIS"})
      if (keyword.starts_with(stem))
        throw InputError(
            fmt::format("{}: no part of it can be cut out: its distortions are in tables of other HDUs ({})",
                        printable(header.path), printable(keyword)));
  }
}

/// Moves one axis's pixels by -first.
void move_axis(std::vector<std::string>& cards, int axis, std::int64_t first, bool first_axes) {
  const auto by = static_cast<double>(first);
  bool reference = false, physical = false;
  for (std::string& card : cards) {
    const std::string keyword = fits::keyword_of(card);
    const auto value = fits::parse_number(fits::value_of(card));
    if (!value) continue;
    const bool plate = is_of(keyword, "CNPIX", axis);  // pixels of the plate before the first
    if (!plate && !is_of(keyword, "CRPIX", axis) && keyword != fmt::format("LTV{}", axis)) continue;
    card = fits::make_card(keyword, plate ? *value + by : *value - by);
    reference = reference || keyword == fmt::format("CRPIX{}", axis);
    physical = physical || keyword.starts_with("LTV");
  }
  if (!reference) cards.push_back(fits::make_card(fmt::format("CRPIX{}", axis), -by));  // 0 where it is not stated
  // LTV keeps its axis in what is written: it is not stated anew where x and y are not the first.
  if (!physical && first_axes)
    cards.push_back(fits::make_card(fmt::format("LTV{}", axis), -by, "pixel = LTM physical + LTV"));
}

}  // namespace

ImageHeader cropped(const ImageHeader& header, const Rect& where) {
  const Shape& shape = header.shape;
  if (where.ny < 1 || where.nx < 1 || where.y0 < 0 || where.x0 < 0 || where.y0 + where.ny > shape.ny ||
      where.x0 + where.nx > shape.nx)
    throw InputError(fmt::format("{}: the part to be cut out does not lie in the image", printable(header.path)));
  refuse_tables(header);
  ImageHeader out = header;
  const bool first_axes = header.x_axis == 0 && header.y_axis == 1;
  move_axis(out.cards, header.x_axis + 1, where.x0, first_axes);
  move_axis(out.cards, header.y_axis + 1, where.y0, first_axes);
  out.shape = {where.ny, where.nx};
  if (!out.axes.empty()) {
    out.axes[static_cast<std::size_t>(header.x_axis)] = where.nx;
    out.axes[static_cast<std::size_t>(header.y_axis)] = where.ny;
  }
  std::string all;
  for (const std::string& card : out.cards) all += card;
  all += std::string("END").append(77, ' ');
  std::vector<double> fixed;
  for (const std::int64_t at : fits::plane_position(out.axes, out.x_axis, out.y_axis, out.plane))
    fixed.push_back(static_cast<double>(at + 1));
  out.wcs = Wcs::parse(all, out.x_axis, out.y_axis, fixed, static_cast<int>(out.axes.size()),
                       static_cast<double>(where.nx), static_cast<double>(where.ny));
  return out;
}

}  // namespace reber
