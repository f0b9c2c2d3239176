// SPDX-License-Identifier: BSD-3-Clause
// Distances on the sphere, and the galactic frame.
#include "core/model/sky_geometry.hpp"

#include <cmath>
#include <numbers>

namespace reber {
namespace {

constexpr double kDegrees = 180 / std::numbers::pi;

/// Equatorial to galactic, rows as in the Hipparcos catalogue.
constexpr double kGalactic[3][3] = {{-0.0548755604162154, -0.8734370902348850, -0.4838350155487132},
                                    {+0.4941094278755837, -0.4448296299600112, +0.7469822444972189},
                                    {-0.8676661490190047, -0.1980763734312015, +0.4559837761750669}};

void turn(double& lon_deg, double& lat_deg, bool transposed) {
  const double cb = std::cos(lat_deg / kDegrees);
  const double v[3] = {cb * std::cos(lon_deg / kDegrees), cb * std::sin(lon_deg / kDegrees),
                       std::sin(lat_deg / kDegrees)};
  double w[3] = {};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) w[i] += (transposed ? kGalactic[j][i] : kGalactic[i][j]) * v[j];
  lon_deg = std::atan2(w[1], w[0]) * kDegrees;
  if (lon_deg < 0) lon_deg += 360;
  lat_deg = std::atan2(w[2], std::hypot(w[0], w[1])) * kDegrees;
}

}  // namespace

void galactic_to_icrs(double& lon_deg, double& lat_deg) { turn(lon_deg, lat_deg, true); }
void icrs_to_galactic(double& lon_deg, double& lat_deg) { turn(lon_deg, lat_deg, false); }

double sky_distance_deg(double lon1, double lat1, double lon2, double lat2) {
  const double dl = (lon2 - lon1) / kDegrees, c1 = std::cos(lat1 / kDegrees), s1 = std::sin(lat1 / kDegrees);
  const double c2 = std::cos(lat2 / kDegrees), s2 = std::sin(lat2 / kDegrees);
  const double across = c2 * std::sin(dl), along = c1 * s2 - s1 * c2 * std::cos(dl);
  return std::atan2(std::hypot(across, along), s1 * s2 + c1 * c2 * std::cos(dl)) * kDegrees;
}

}  // namespace reber
