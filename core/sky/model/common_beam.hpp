// SPDX-License-Identifier: BSD-3-Clause
// The smallest beam that all of several beams can be smoothed to.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/sky/model/beam.hpp"

namespace reber {

struct CommonBeam {
  Beam beam;
  std::vector<std::size_t> limiting;  ///< which inputs touch it: smaller ones would not hold them
};

/// The Gaussian of least solid angle that every input deconvolves from: minimise det C with C - C_i positive
/// semidefinite for all i, C the matrices of squared FWHMs. At most three inputs determine it; the set is grown by the
/// input that sticks out most until none does. One input: itself. Two: L V diag(max(1, l)) V^T L^T with C_1 = L L^T and
/// L^-1 C_2 L^-T = V diag(l) V^T. Three: a log-barrier Newton iteration in C^-1, where the problem is convex (Boyd &
/// Vandenberghe 2004, section 11), then Newton's method on the three conditions that C - C_i is singular.
/// The answer is right to 1e-12 of the axes and never too small by more than that.
///   throws InputError without beams, or where one has no area
[[nodiscard]] CommonBeam common_beam(std::span<const Beam> beams);

/// Noise after smoothing from beam `source` to beam `target` over noise before, in brightness per beam:
/// sqrt(Omega_target / Omega_source). It holds for noise correlated like white noise smoothed by the source beam.
/// Brightness that is not per beam changes by that over the ratio of the areas.
[[nodiscard]] double noise_factor(const Beam& target, const Beam& source, bool per_beam);

}  // namespace reber
