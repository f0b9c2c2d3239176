// SPDX-License-Identifier: BSD-3-Clause
// Which weights serve fits best in the noise that was measured.
#pragma once

#include "core/seam/compute/backend.hpp"

namespace reber {

/// Whether a point is fitted clearly better by ordinary weights than by those for noise correlated as `weights` says:
/// the errors of its total and its place, of both fits, under the noise `measured`. So it is in noise that the beam has
/// not shaped: weights made for the beam take differences of neighbours there, which noise without correlation fills.
///   beam: FWHM^2 on the grid.   throws DeviceError, Cancelled
[[nodiscard]] bool ordinary_weights_are_better(Backend& backend, const Covariance& beam,
                                               const NoiseCorrelation& weights, const NoiseCorrelation& measured,
                                               const Job& job);

}  // namespace reber
