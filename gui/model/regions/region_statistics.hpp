// SPDX-License-Identifier: BSD-3-Clause
// Statistics and flux of the pixels in a region.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "core/show/display/pixel_ranks.hpp"
#include "core/sky/model/image_header.hpp"
#include "core/sky/regions/regions.hpp"
#include "gui/model/image/pyramid.hpp"

namespace reber::gui {

/// From median - 10 sigma to median + 40 sigma, as far as there are values: over all of them the noise is one bar.
///   sigma 0: all of them
[[nodiscard]] std::pair<double, double> histogram_range(double least, double most, double median, double sigma);

/// What is inside, of the pixels whose centres are.
struct RegionStatistics {
  PixelSummary pixels;
  double std = std::numeric_limits<double>::quiet_NaN(), median = std, sigma = std;  ///< sigma: 1.4826 MAD
  Histogram histogram;     ///< of the finite pixels, by histogram_range(); the root of their count as bins, 8 to 512
  double area_deg2 = std;  ///< of the finite pixels
  std::optional<double> flux_jy;  ///< Unit::total_name(): sum over the beam's area; of K by the frequency
  std::optional<double> beams;    ///< area in beams
  std::string no_flux;            ///< why there is no flux
  /// The ring around it: pixels between the region kRingFrom and kRingTo times as large that are not inside.
  double ring_median = std, ring_sigma = std;
  std::int64_t ring_pixels = 0;
  std::optional<double> flux_error_jy;  ///< sigma of the ring over the pixels inside, correlated within a beam
  std::optional<double> flux_above_jy;  ///< flux less the ring's median
};
inline constexpr double kRingFrom = 1.3, kRingTo = 2;

/// A pixel counts by its own area; of an interferometer's image per beam, whose beam is constant in pixels, by that in
/// the middle of the image. So does the finder: both fluxes mean the same.
/// wcs: a copy of its own where called from a job.   throws Cancelled; InputError for a region without area
[[nodiscard]] RegionStatistics region_statistics(const Region& region, const Pyramid& pixels, const Unit& unit,
                                                 const std::optional<Beam>& beam, const Wcs& wcs,
                                                 const Progress& progress = {});

}  // namespace reber::gui
