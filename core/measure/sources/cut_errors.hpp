// SPDX-License-Identifier: BSD-3-Clause
// What missing pixels leave unknown of the fluxes of cut sources.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/measure/sources/known_pixels.hpp"
#include "core/measure/sources/source.hpp"
#include "core/seam/compute/gaussian_fit.hpp"

namespace reber {

/// A Gaussian fitted to a source that is cut.
struct CutFit {
  const FittedGaussian& held;
  bool shape_free = false;
  bool noise_alone = false;               ///< it leaves no more than noise, and no other Gaussian takes part
  const FittedGaussian* freed = nullptr;  ///< what its shape became when it was freed, where that was tried
};

/// Part of its flux that the known pixels do not tell, and whether it is extrapolated: whether a pixel of the 3 x 3
/// about its centre is missing.
struct Extrapolation {
  double unsure = 0;
  bool beyond = false;
};

/// m: the part of the Gaussian on missing pixels. Where more than noise is left it is unsure by m^2 / (1 - m): all that
/// is extrapolated, times the part that is missing. Else a free shape is unsure by .15 m^2, which covers most discs;
/// the beam's by what the freed one differs in flux, at least by a third of the error of that, or as above where that
/// is not known.
///   beam: FWHM^2 on the grid. Nothing is unsure of a Gaussian without missing pixels within a beam, or a FWHM of its
///   own where there is none; nor of one of the beam's shape that is not extrapolated
[[nodiscard]] Extrapolation extrapolated(const CutFit& fit, const std::optional<Covariance>& beam,
                                         const KnownPixels& known);

/// Of cut sources without a fit, those whose brightest pixel is beside a missing one, and what extrapolated rows leave
/// of their islands: the centre may lie a FWHM of the
/// beam beyond the pixels, and the source be 16 times as bright as they are. That is their error.
void doubt_unfitted(std::span<SourceRow> rows, const KnownPixels& known);

}  // namespace reber
