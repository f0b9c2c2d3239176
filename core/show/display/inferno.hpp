// SPDX-License-Identifier: BSD-3-Clause
// The colour map inferno.
#pragma once

#include <array>
#include <cstdint>

namespace reber {

/// Inferno in 256 steps from black to light yellow, each 0xRRGGBB: its lightness grows evenly, to colour-blind eyes as
/// well.
extern const std::array<std::uint32_t, 256> kInferno;

}  // namespace reber
