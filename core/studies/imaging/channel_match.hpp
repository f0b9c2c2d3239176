// SPDX-License-Identifier: BSD-3-Clause
// Whether the planes of two cubes are of the same channels.
#pragma once

#include <string>

#include "core/run/cube/cube_source.hpp"

namespace reber {

/// Why plane i of one cube is not of the channel and the Stokes parameter of plane i of the other, for all i; empty
/// where it is. Frequencies may differ by a hundredth of a channel, places on axes without a frequency by a hundredth
/// of a pixel. One that states no frame of velocities (SPECSYS) may be of any.
///   throws as CubeSource::header
[[nodiscard]] std::string why_other_channels(const CubeSource& one, const CubeSource& other);

}  // namespace reber
