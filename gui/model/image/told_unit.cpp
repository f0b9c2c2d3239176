// SPDX-License-Identifier: BSD-3-Clause
// The units offered, and the image's unit told in one of them.
#include "gui/model/image/told_unit.hpp"

#include <algorithm>
#include <array>

#include "core/sky/model/brightness.hpp"

namespace reber::gui {
namespace {

constexpr std::array<ToldUnit, 6> kUnits{{{"Jy/beam", Unit::Kind::jy_per_beam, "", 1},
                                          {"mJy/beam", Unit::Kind::jy_per_beam, "m", 1e3},
                                          {"Jy/pixel", Unit::Kind::jy_per_pixel, "", 1},
                                          {"MJy/sr", Unit::Kind::jy_per_sr, "M", 1e-6},
                                          {"K", Unit::Kind::kelvin, "", 1},
                                          {"mK", Unit::Kind::kelvin, "m", 1e3}}};

}  // namespace

std::span<const ToldUnit> told_units() { return kUnits; }

bool is_told_unit(std::string_view word) { return std::ranges::find(kUnits, word, &ToldUnit::word) != kUnits.end(); }

Told told_in(const ImageHeader& header, const std::optional<Beam>& beam, std::string_view word) {
  const auto row = std::ranges::find(kUnits, word, &ToldUnit::word);
  if (row == kUnits.end()) return {header.unit, {}};
  Unit to;
  to.kind = row->kind;
  to.spectral = header.unit.spectral;
  const BrightnessFactor factor = brightness_factor(header.unit, to, brightness_basis(header, beam));
  if (!factor.times) return {header.unit, factor.why_not};
  Unit told;
  told.factor = *factor.times * row->times;
  told.text = std::string(row->prefix) + to.name();
  return {told, {}};
}

}  // namespace reber::gui
