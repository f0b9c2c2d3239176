// SPDX-License-Identifier: BSD-3-Clause
// The noise's autocorrelation in an image whose beam varies.
#pragma once

#include <cstdint>

#include "core/measure/sources/measured_noise.hpp"
#include "core/sky/model/beam_field.hpp"

namespace reber {

/// Offsets up to which, and pixels around sources beyond which, noise is measured where the beam has this FWHM.
struct NoiseReach {
  std::int64_t reach = 0, grow = 0;
};
/// Empty where no patch holds enough: beyond 57 pixels.   width: of the major axis, pixels; 0 without a beam
[[nodiscard]] std::optional<NoiseReach> noise_reach(double width);

struct NoiseByPlace {
  MeasuredCorrelation as_it_is;   ///< of all patches together, for noise that does not follow the beam
  MeasuredCorrelation at_middle;  ///< each patch's offsets stretched from its own beam to the middle's
};

/// Patches of like beams are summed together, each with the reach of their beam.
///   middle: FWHM^2 on the grid;   limit: as NoiseQuestion;   throws as Backend::render
[[nodiscard]] NoiseByPlace measure_noise_by_place(const NoiseOf& of, const BeamField& beams, const Covariance& middle,
                                                  float limit, ThreadPool& pool, const Job& job);

}  // namespace reber
