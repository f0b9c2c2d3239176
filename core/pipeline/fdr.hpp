// SPDX-License-Identifier: BSD-3-Clause
// The seed threshold at which a stated part of the detected pixels is false.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/compute/backend.hpp"
#include "core/compute/job.hpp"

namespace reber {

/// P(x > sigma) of a unit Gaussian: 1/2 erfc(sigma / sqrt 2).
[[nodiscard]] double gaussian_tail(double sigma);
/// Its inverse for 0 < p < 1, to the last bits of a double.
[[nodiscard]] double gaussian_tail_inverse(double p);

struct FdrThreshold {
  double sigma = 0;           ///< S/N of the faintest pixel that is detected; where none is, no pixel reaches it
  std::int64_t detected = 0;  ///< pixels at or above it
  std::int64_t pixels = 0;    ///< that have an S/N
  double correction = 1;      ///< c = sum 1/i over the pixels of a beam
};

/// The false discovery rate procedure (Benjamini & Hochberg 1995; Miller et al. 2001, AJ 122 3492; Hopkins et al. 2002,
/// AJ 123 1086). With the p-values of all N pixels ascending, k is the largest with p_k <= (alpha / c) k / N; the first
/// k pixels are detected. tail: the S/N of every pixel of at least fdr_floor(alpha, c), in any order.
[[nodiscard]] FdrThreshold fdr_threshold(std::vector<float> tail, std::int64_t pixels, double alpha, double correction);

/// No pixel below this S/N can be detected: its p-value is above alpha / c.
[[nodiscard]] double fdr_floor(double alpha, double correction);

/// The same for a plane. beam_area_px: pixels over which noise is correlated (Hopkins et al. 2002, eq. 2), whole and at
/// least one; empty: pixels are taken as independent. The p-values are exact, so all backends agree to the bit.
///   throws InputError where alpha is not in (0, 1)
[[nodiscard]] FdrThreshold measure_fdr(Backend& backend, const Plane& plane, const BackgroundModel& background,
                                       double alpha, std::optional<double> beam_area_px, const Job& job);

}  // namespace reber
