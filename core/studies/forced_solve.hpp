// SPDX-License-Identifier: BSD-3-Clause
// Amplitudes of known shapes by generalised least squares.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "core/seam/compute/gaussian_fit.hpp"

namespace reber {

struct Amplitudes {
  std::vector<double> value, error;  ///< one per component; NaN of one that is nothing on all pixels
  std::vector<std::size_t> shares;   ///< components that this one cannot be told apart from, with it; 0 where NaN
  double chi2 = 0;                   ///< mean of ((value - model) / rms)^2
};

/// a = (J^T V^-1 J)^-1 J^T V^-1 d, errors under the noise R_errors; where that gives no variance, V's.
/// J  the components at unit peak, over the rms; their own peaks are not read;   d  the pixels over the rms
/// V  R_weights, plus kNoiseFloor of its largest row sum on the diagonal
/// Components that cannot be told apart have one amplitude together, of which each has an equal part, as of its error.
///   returns nothing without a pixel or a component, or where V is singular
[[nodiscard]] std::optional<Amplitudes> solve_amplitudes(const FitPixels& pixels,
                                                         const std::vector<GaussianComponent>& components,
                                                         const NoiseCorrelation& weights,
                                                         const NoiseCorrelation& errors);

}  // namespace reber
