// SPDX-License-Identifier: BSD-3-Clause
// What Gaussians leave of the pixels that they were fitted to.
#pragma once

#include <limits>
#include <optional>
#include <vector>

#include "core/measure/sources/known_pixels.hpp"
#include "core/seam/compute/gaussian_fit.hpp"

namespace reber {

/// Sum of the Gaussians at (x, y), pixels.
[[nodiscard]] double value_of(const std::vector<FittedGaussian>& fitted, double x, double y);

/// What a fit leaves.
struct FitRest {
  double sigma2 = 0;    ///< mean square over rms^2
  double part = 0;      ///< of the sum of squares that there was
  double crowding = 0;  ///< pixels above the threshold that the Gaussians would cover, over those of the island
  double rise = std::numeric_limits<double>::infinity();  ///< lowest peak over the threshold
  double flux = 0;     ///< of the Gaussians above the threshold, over the sum of the pixels
  bool inside = true;  ///< every centre is on the island or next to it
};

/// flood: threshold in rms, above which a pixel belongs to the island. known: of a cut island, null for others; what
/// lies off the island then counts for nothing, and centres may lie on missing pixels, up to a FWHM from the island.
[[nodiscard]] FitRest fit_rest(const std::vector<FittedGaussian>& fitted, const FitPixels& pixels, double flood,
                               const KnownPixels* known = nullptr);

/// Whether that is no more than noise. Few beams fit into a small island: the mean square of its noise scatters.
///   beam: FWHM^2 on the grid, if it is known
[[nodiscard]] bool noise_alone(const FitRest& rest, const FitPixels& pixels, const std::optional<Covariance>& beam);

/// The errors of a fit are those of noise. Where it leaves more they grow with that: chi^2 per pixel scales the
/// covariance.
void widen_errors(std::vector<FittedGaussian>& fitted, const FitRest& rest);

/// Flux that Gaussians of more than five times the beam's area hold off these pixels, over the pixels' sum: it is the
/// model's alone, and emission that is no Gaussian has none of it.
[[nodiscard]] double flux_beyond(const std::vector<FittedGaussian>& fitted, const FitPixels& pixels,
                                 const Covariance& beam);

/// Whether there is a pixel at the Gaussian's centre.
[[nodiscard]] bool known_at(const GaussianComponent& one, const KnownPixels& known);

/// Squared distance from a centre in FWHMs of this shape.
[[nodiscard]] double fwhms2(const Covariance& fwhm2, double dx, double dy);

/// Sum of all its values: on an endless grid.
[[nodiscard]] double gaussian_flux(const GaussianComponent& one);

/// Part of that where pixels are missing.
[[nodiscard]] double part_missing(const GaussianComponent& one, const KnownPixels& known);

/// Whether the Gaussian's position is known to better than its own size (FWHM): a fit that is all but singular settles
/// anywhere, and its flux says nothing.   NaN: false
[[nodiscard]] bool has_place(const FittedGaussian& fit);

}  // namespace reber
