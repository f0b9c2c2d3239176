// SPDX-License-Identifier: BSD-3-Clause
// What the numbers of a simulation may be.
#pragma once

#include "core/studies/simulation.hpp"

namespace reber {

/// Every number has bounds, so that none makes an endless work or an image that no machine holds.
///   throws InputError
void check_bounds(const SimulationOptions& options);

}  // namespace reber
