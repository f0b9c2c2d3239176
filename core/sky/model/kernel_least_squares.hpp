// SPDX-License-Identifier: BSD-3-Clause
// Short kernels for beam-limited images: a weighted least-squares fit in the uv plane.
#pragma once

#include "core/sky/model/kernel.hpp"

namespace reber {

/// Point-symmetric size x size kernel of unit sum that minimises sum_f W(f)^2 (Khat(f) - T(f))^2.
/// T  transfer function of the Gaussian `kernel`;   W  that of the image's own beam `source`, at least 1e-7
/// Right to 1e-5 of the peak
/// for images that hold nothing outside their beam's uv coverage, at any kernel size down to none at all.
[[nodiscard]] Kernel least_squares_kernel(const Covariance& kernel, const Covariance& source, int size);

/// The error of such a kernel on an unresolved source: the beam `source` convolved with the weights, against the exact
/// Gaussian of source + gaussian. Largest difference over the peak, for a source on a pixel's centre and for one
/// between four pixels.
[[nodiscard]] double unresolved_source_error(const Kernel& kernel, const Covariance& gaussian,
                                             const Covariance& source);

}  // namespace reber
