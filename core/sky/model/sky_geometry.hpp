// SPDX-License-Identifier: BSD-3-Clause
// Distances on the sphere.
#pragma once

namespace reber {

/// Great-circle distance in degrees, by the formula that holds at all distances (Vincenty 1975).
[[nodiscard]] double sky_distance_deg(double lon1, double lat1, double lon2, double lat2);

}  // namespace reber
