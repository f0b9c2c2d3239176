// SPDX-License-Identifier: BSD-3-Clause
// Which Gaussians of an island are one source.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/measure/sources/group_options.hpp"
#include "core/seam/compute/gaussian_fit.hpp"

namespace reber {

/// The group of each Gaussian of one island, numbered from 0 by the first of each. Two Gaussians are one source where
/// (A and B) or C holds of the sum of all; links are transitive (PyBDSF, gaul2srl):
///   A  the least value on the pixel line between the peak pixels is no more than tolerance x floor below the lower of
///      the two peaks
///   B  the centres are closer than tolerance x half the sum of the two FWHMs along the line that joins them
///   C  no dip between: the least and the largest value of that line stand at its ends
/// gaussians: peaks above 0   floor: flood threshold in image units, the island's noise times sigma
[[nodiscard]] std::vector<std::int64_t> group_gaussians(std::span<const GaussianComponent> gaussians, double floor,
                                                        const GroupOptions& options);

}  // namespace reber
