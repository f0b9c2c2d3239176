// SPDX-License-Identifier: BSD-3-Clause
// Prefixes by size.
#include "core/sky/model/value_words.hpp"

#include <fmt/format.h>

#include <cmath>

namespace reber {

std::string words_in_unit(double value, const Unit& unit) {
  if (unit.kind == Unit::Kind::unknown)
    return unit.text.empty() ? fmt::format("{:.6g}", value) : fmt::format("{:.6g} {}", value, unit.text);
  const double si = value * unit.factor;
  const std::string name = unit.name();
  const double size = std::abs(si);
  if (unit.kind != Unit::Kind::kelvin && size < 1e-3) return fmt::format("{:.4g} u{}", si * 1e6, name);
  if (unit.kind != Unit::Kind::kelvin && size < 1) return fmt::format("{:.4g} m{}", si * 1e3, name);
  return fmt::format("{:.4g} {}", si, name);
}

}  // namespace reber
