// SPDX-License-Identifier: BSD-3-Clause
// Distances on the sphere.
#include "core/sky/model/sky_geometry.hpp"

#include <cmath>
#include <numbers>

namespace reber {
namespace {

constexpr double kDegrees = 180 / std::numbers::pi;

}  // namespace

double sky_distance_deg(double lon1, double lat1, double lon2, double lat2) {
  const double dl = (lon2 - lon1) / kDegrees, c1 = std::cos(lat1 / kDegrees), s1 = std::sin(lat1 / kDegrees);
  const double c2 = std::cos(lat2 / kDegrees), s2 = std::sin(lat2 / kDegrees);
  const double across = c2 * std::sin(dl), along = c1 * s2 - s1 * c2 * std::cos(dl);
  return std::atan2(std::hypot(across, along), s1 * s2 + c1 * c2 * std::cos(dl)) * kDegrees;
}

}  // namespace reber
