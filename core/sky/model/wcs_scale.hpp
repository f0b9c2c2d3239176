// SPDX-License-Identifier: BSD-3-Clause
// How far a step of a pixel leads on the sky.
#pragma once

#include <optional>
#include <vector>

#include "core/sky/model/beam.hpp"

struct wcsprm;

namespace reber {

/// d(east, north)/d(x, y) in degrees a pixel, right to 1e-10 of itself for pixels of any size; empty off the sky.
/// The header's matrix, or a difference over a pixel where it has distortions, leads to the plane of projection, and
/// differences there, as wide as the projection and not the pixel asks for, to the sky.
///   pixel   1-based, an entry for each axis
///   x, y    which of them are x and y
///   throws  what call_wcslib() throws
[[nodiscard]] std::optional<Matrix2> sky_per_pixel(wcsprm& prm, const std::vector<double>& pixel, int x, int y);

}  // namespace reber
