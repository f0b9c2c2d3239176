// SPDX-License-Identifier: BSD-3-Clause
// The strongest plane wave in an image without its sources: what a bad baseline or a ripple leaves.
#pragma once

#include <limits>

#include "core/run/pipeline/result.hpp"
#include "core/seam/compute/job.hpp"

namespace reber {

struct StrongestWave {
  static constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  double strength = kNan;       ///< power over the mean of its neighbours and over ln(number of waves); 1: noise
  double amplitude = kNan;      ///< sigma
  double wavelength_px = kNan;  ///< from crest to crest
  double angle_deg = kNan;      ///< of the direction across the crests, from +x to +y
};

/// (pixel - median) / noise, islands and blanks at 0 and the rest within +-3, is averaged over blocks so that a side
/// has at most 1024 of them, tapered (Hann) and transformed. Waves with fewer than three crests along the image are
/// left out. Neighbours of a wave lie 4 to 12 modes from it.
///   result: with a background   NaN where there is nothing to transform
[[nodiscard]] StrongestWave strongest_wave(const Result& result, const Job& job, int threads);

}  // namespace reber
