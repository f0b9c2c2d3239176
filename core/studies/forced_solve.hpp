// SPDX-License-Identifier: BSD-3-Clause
// Amplitudes of known shapes by generalised least squares.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "core/compute/gaussian_fit.hpp"

namespace reber {

struct Amplitudes {
  std::vector<double> value, error;  ///< one per component
  double chi2 = 0;                   ///< mean of ((value - model) / rms)^2
};

/// a = (J^T V^-1 J)^-1 J^T V^-1 d, errors under the noise R_errors.
/// J  the components at unit peak, over the rms; their own peaks are not read;   d  the pixels over the rms
/// V  R_weights, plus kNoiseFloor of its largest row sum on the diagonal
///   returns nothing where there are fewer pixels than components or two of them cannot be told apart
[[nodiscard]] std::optional<Amplitudes> solve_amplitudes(const FitPixels& pixels,
                                                         const std::vector<GaussianComponent>& components,
                                                         const NoiseCorrelation& weights,
                                                         const NoiseCorrelation& errors);

}  // namespace reber
