// SPDX-License-Identifier: BSD-3-Clause
// How far two numbers or two convolved planes may be apart.
#pragma once

#include "core/base/shape.hpp"
#include "core/seam/compute/convolution.hpp"

namespace reber {

/// |a - b|; 0 where both are NaN or equal; infinite where one alone is NaN: no bound admits it.
[[nodiscard]] double difference(double a, double b);
/// The difference over |b|.
[[nodiscard]] double relative(double a, double b);

/// Largest error of a convolution, relative to the brightest pixel times the sum of |weights|. FFT: five times what
/// float32 transforms showed up to 4096^2. Chains of n roundings: 4 sqrt(n) u, which rounding exceeds with a
/// probability below 1e-3 (Higham & Mary 2019, theorem 2.4), and never less than the FFT's. A large kernel's rows are
/// summed apart.
[[nodiscard]] double convolution_bound(Algorithm algorithm, Shape kernel);

}  // namespace reber
