// SPDX-License-Identifier: BSD-3-Clause
// Distances on the sphere, and the galactic frame.
#pragma once

namespace reber {

/// Great-circle distance in degrees, by the formula that holds at all distances (Vincenty 1975).
[[nodiscard]] double sky_distance_deg(double lon1, double lat1, double lon2, double lat2);

/// Galactic longitude and latitude to ICRS (Hipparcos catalogue 1997, vol. 1, eq. 1.5.11).
void galactic_to_icrs(double& lon_deg, double& lat_deg);
void icrs_to_galactic(double& lon_deg, double& lat_deg);

}  // namespace reber
