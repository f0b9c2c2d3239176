// SPDX-License-Identifier: BSD-3-Clause
// What can be told before a pixel is read: words for a value, the least part of a blend.
#include "core/pipeline/pipeline_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace reber {

std::string words_in_unit(double value, const Unit& unit) {
  if (unit.kind == Unit::Kind::unknown) return fmt::format("{:.6g} {}", value, unit.text);
  const double si = value * unit.factor;
  const std::string name = unit.name();
  const double size = std::abs(si);
  if (unit.kind != Unit::Kind::kelvin && size < 1e-3) return fmt::format("{:.4g} u{}", si * 1e6, name);
  if (unit.kind != Unit::Kind::kelvin && size < 1) return fmt::format("{:.4g} m{}", si * 1e3, name);
  return fmt::format("{:.4g} {}", si, name);
}

std::int64_t least_blend(const ImageHeader& header, const std::optional<Beam>& beam) {
  constexpr std::int64_t kLeast = 7;
  const auto geometry = header.wcs.sky_per_pixel(0.5 * static_cast<double>(header.shape.nx - 1),
                                                 0.5 * static_cast<double>(header.shape.ny - 1));
  if (!beam || !geometry) return kLeast;
  return std::max(kLeast, static_cast<std::int64_t>(0.75 * beam->area_deg2() / std::abs(geometry->determinant())));
}

}  // namespace reber
