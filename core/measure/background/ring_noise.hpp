// SPDX-License-Identifier: BSD-3-Clause
// Noise around bright sources: what imperfect calibration and cleaning leave of their sidelobes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/measure/background/background_pixels.hpp"
#include "core/seam/compute/background.hpp"

namespace reber {

/// The noise about a bright source over that of the mesh, by the distance from it.
struct RingNoise {
  double y = 0, x = 0;
  double step = 1;             ///< pixels; factor[k] stands at (k + 1/2) step
  std::vector<double> factor;  ///< at least 1 each; empty where no sidelobe is seen

  /// Linear between the rings, 1 beyond the last.
  [[nodiscard]] double at(double distance) const;
};

/// Measured from the S/N of a rectangle: on rings two and a half beams wide, the rms of the pixels below the ring's
/// centre. Sidelobes are as often negative as positive and sources are not, so that neither the source itself nor its
/// neighbours enter; a ring with hardly any such pixel takes the value of the next one outward. The centre is the
/// median where that is negative, else 0: a bowl around extended emission is none of the noise. A ring counts where it
/// exceeds 1 by 3 errors, and rings end where four beams in a row do not.
///   snr: rows without gaps, NaN where unknown;   beam_px: FWHM;   reach_px: how far to look
[[nodiscard]] RingNoise ring_noise(std::span<const float> snr, const Rect& where, double y, double x, double beam_px,
                                   double reach_px);

/// The model on nodes near enough for the rings, its rms times the largest of their factors at each. `raised` has an
/// entry for each ring's source: what the noise is there by the other rings alone.
[[nodiscard]] BackgroundModel with_rings(const BackgroundModel& model, const std::vector<RingNoise>& rings,
                                         double beam_px);

/// The rings of the brightest thousand of these sources, looked for to 8 beams and from there, where they reach as far,
/// to 24.   returns those that have any
[[nodiscard]] std::vector<RingNoise> measure_rings(const BackgroundPixels& pixels, const BackgroundModel& model,
                                                   std::vector<BrightSource> sources, double beam_px);

}  // namespace reber
