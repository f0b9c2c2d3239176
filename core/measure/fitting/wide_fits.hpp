// SPDX-License-Identifier: BSD-3-Clause
// Gaussians much wider than the beam, fitted again with the pixels around their islands.
#pragma once

#include <span>

#include "core/measure/fitting/surroundings.hpp"
#include "core/measure/sources/island_rows.hpp"
#include "core/sky/model/beam_field.hpp"

namespace reber {

/// Whether a row is the only one of its island and a whole fit of more than three times the beam's area: what such a
/// source has below the flood level decides its size, and its own island says little of it. Cut sources are none.
///   beam: FWHM^2 on the grid
[[nodiscard]] bool is_wide_fit(const SourceRow& row, const Covariance& beam);

/// What fits with surroundings see and how they are weighed.
struct WideFitInputs {
  const IslandPixels& pixels;  ///< of every island
  const IslandPixels& around;  ///< surroundings of islands, as island_pixels() gives them
  const DetectOptions& options;
  const Covariance& beam;                    ///< FWHM^2 on the grid
  const BeamField& beams;                    ///< where it varies, what the beam is at a source
  const NoiseCorrelation &weights, &errors;  ///< as FitBatch has them
  const BackgroundModel& background;
  ThreadPool& pool;
};

/// Whether an island is such a row, or a single one that keeps a plain sum and is not cut, of which pixels and
/// surroundings are known.
[[nodiscard]] bool has_wide_fit(std::span<const SourceRow> island, const WideFitInputs& in);

/// Fits such islands once more, with ordinary weights to all pixels (Flag 128), where much of them is below the flood
/// level; where that does not settle, the fit stays. Where a Gaussian holds more or less than these pixels, by more
/// than 3 errors of their sum and a twentieth, or leaves more than 3 errors and a fiftieth in half a radius around
/// them, or a profile with wider wings serves better, the row keeps its moments. One that has kept a sum becomes such a
/// Gaussian where that leaves only noise and has surer wings than wider ones. Else the sum takes its place and shape,
/// as long as it leaves only noise and holds these pixels.   throws as Backend::fits
void fit_with_surroundings(Backend& backend, std::span<const IslandRows> islands, const WideFitInputs& in,
                           const Job& job);

}  // namespace reber
