// SPDX-License-Identifier: BSD-3-Clause
// What is fitted where a whole island is not: its parts, one by one and then together, and the cores of sources on
// diffuse emission.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "core/measure/sources/fit_ladder.hpp"
#include "core/seam/compute/gaussian_fit.hpp"

namespace reber {

/// A core to be fitted: its pixels less the level around it, where the fit starts and how far it may go.
struct CoreProblem {
  FitPixels pixels;
  GaussianComponent start;
  double reach_px = 0, most_fwhm_px = 0;
  double flood = 0;  ///< in rms: what a beam's Gaussian has left at the core's rim
};

/// Pixel i of `from` at the end of `to`.
void append_pixel(const FitPixels& from, std::size_t i, FitPixels& to);

[[nodiscard]] std::size_t brightest_pixel(const FitPixels& pixels);
[[nodiscard]] std::size_t nearest_pixel(const FitPixels& pixels, const GaussianComponent& at);

/// Both, which are in raster order each, in that order.
[[nodiscard]] FitPixels in_raster_order(const FitPixels& one, const FitPixels& other);
/// The longer side of the rectangle around pixels in raster order.
[[nodiscard]] double extent_of(const FitPixels& pixels);

/// The core at pixel `top`, to a FWHM of the beam from it. Its level is the median of what lies on to the end of a
/// Gaussian, 0 where the island ends before it; a point source leaves 1 % of its peak there. Empty where the level
/// hides the source, or the rest is below `seed` rms.
[[nodiscard]] std::optional<CoreProblem> core_of(const FitPixels& pixels, std::size_t top, const Covariance& beam,
                                                 double seed);

/// The pixels that a core at this peak and its ring need.
[[nodiscard]] FitPixels pixels_around(const FitPixels& pixels, const GaussianComponent& peak, const Covariance& beam);

/// One set per component: a pixel goes to the one that is brightest there.
[[nodiscard]] std::vector<FitPixels> shares_of(const FitPixels& pixels, const std::vector<GaussianComponent>& among);

/// The ladder for an island of `sources` sources whose parts all gave Gaussians. A part's pixels hold some of its
/// neighbours' flux, so that parts which overlap count it twice; one fit from where they ended shares it out. Empty
/// where nothing was fitted in parts, a source has no Gaussian, or a core stands for one.
///   pixels: of the island, less background;   results: of its ladders;   margin: as FitLadder has it
[[nodiscard]] std::optional<FitLadder> together_of(const FitPixels& pixels, const std::vector<LadderResult>& results,
                                                   std::size_t sources, const LadderSetting& setting,
                                                   FitPixels margin = {});

/// The entry of the island of this label; nothing where `all` has no pixel of it.
[[nodiscard]] std::optional<std::size_t> entry_of(const IslandPixels& all, std::int64_t label);
/// The pixels of one island, less background, positive for what is looked for.   which: entry of `all`
[[nodiscard]] FitPixels pixels_of(const IslandPixels& all, std::size_t which, bool negative);
/// The same of the island of this label; none where `all` has none for it.
[[nodiscard]] FitPixels pixels_of_label(const IslandPixels& all, std::int64_t label, bool negative);

}  // namespace reber
