// SPDX-License-Identifier: BSD-3-Clause
// What requests need, and which rows stand.
#include "core/run/pipeline/hand_rows.hpp"

#include <algorithm>
#include <cmath>

namespace reber {

bool can_be(const HandFit& fit) {
  const auto finite = [](const HandPlace& place) { return std::isfinite(place.x) && std::isfinite(place.y); };
  const bool placed = fit.kind == Origin::added || fit.kind == Origin::moved;
  if (!std::ranges::all_of(fit.replaces, finite) || fit.start.has_value() != placed || (placed && !finite(*fit.start)))
    return false;
  if (fit.kind == Origin::added) return fit.replaces.empty();
  if (fit.kind == Origin::merged) return fit.replaces.size() > 1;
  if (fit.kind == Origin::split) return fit.replaces.size() == 1 && fit.parts >= 2 && fit.parts <= kMostParts;
  return fit.kind == Origin::moved && fit.replaces.size() == 1;
}

std::vector<Source> HandRows::standing() const {
  std::vector<Source> those;
  for (std::size_t k = 0; k < sources.size(); ++k)
    if (replaced[k] == 0) those.push_back(sources[k]);
  return those;
}

double same_row_px(const ImageHeader& header, const std::optional<Beam>& beam) {
  const auto geometry = beam ? header.wcs.centre_geometry(header.shape) : std::nullopt;
  if (!geometry) return 1;
  const double reach =
      0.5 * ellipse_of(to_pixels(sky_covariance(beam->major_deg, beam->minor_deg, beam->pa_deg), *geometry)).minor;
  return reach > 0 ? reach : 1;
}

}  // namespace reber
