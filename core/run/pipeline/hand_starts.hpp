// SPDX-License-Identifier: BSD-3-Clause
// Where fits by hand begin: one Gaussian in place of several, several in place of one.
#pragma once

#include <cstdint>
#include <vector>

#include "core/seam/compute/gaussian_fit.hpp"

namespace reber {

/// One Gaussian with the flux, the centre and the second moments of all.   all: at least one, with positive fluxes
[[nodiscard]] GaussianComponent together(const std::vector<GaussianComponent>& all);

/// Beams along the longest direction of a Gaussian, as far apart as its second moment says, and at least half a beam.
///   parts: 2 and up;   beam: FWHM^2 on the grid
[[nodiscard]] std::vector<GaussianComponent> apart(const GaussianComponent& whole, std::int64_t parts,
                                                   const Covariance& beam);

}  // namespace reber
