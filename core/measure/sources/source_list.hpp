// SPDX-License-Identifier: BSD-3-Clause
// Sources made of the catalogue's Gaussians, and the islands that they lie in.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/measure/sources/group_options.hpp"
#include "core/measure/sources/source.hpp"
#include "core/seam/compute/detection.hpp"
#include "core/sky/model/image_header.hpp"

namespace reber {

/// What an island's pixels say, in the unit of the sources' peaks. NaN of an island without pixels.
struct IslandValues {
  std::int64_t label = 0;
  bool negative = false;
  std::int64_t npix = 0, x0 = 0, y0 = 0, x1 = 0, y1 = 0;  ///< bounding box, last pixel included
  double total = 0, e_total = 0;                          ///< Jy: sum less background; mean rms x sqrt(beams covered)
  double rms = 0, mean = 0;                               ///< means of the two maps over the pixels
  /// Of the image less background and less the island's own Gaussians; spread is the standard deviation.
  double residual_mean = 0, residual_spread = 0, residual_least = 0, residual_most = 0;
  double residual_rms = 0;  ///< root of the mean square
  double chi2 = 0;          ///< sum over the pixels of the same over the noise there, squared
  double peak = 0;          ///< brightest pixel less background
  std::int64_t peak_x = 0, peak_y = 0;
  double x_mean = 0, y_mean = 0, x_centre = 0, y_centre = 0;  ///< plain means of places, and weighted by brightness
  /// Longest distance between pixels, and the angle of that line from +x towards +y, degrees.
  double length_px = 0, length_angle = 0;
  Covariance moments;                      ///< FWHM^2 of the brightness, pixels
  std::int64_t first = 0, components = 0;  ///< its Gaussians, places in SourceList::gaussians
};

/// One Gaussian alone, or several as one: then positions and axes are the moments of their sum over the island's
/// pixels, the total is their sum, and the peak is that of their sum.
struct GroupedSource {
  Source values;  ///< island, fluxes, place, shape; ra_peak and dec_peak are those of the maximum
  double e_ra_peak = 0, e_dec_peak = 0;
  char code = 'S';                        ///< S: alone in its island; C: one Gaussian, others beside it; M: several
  std::int64_t island = 0;                ///< place in SourceList::islands
  std::vector<std::int64_t> gaussians{};  ///< places in SourceList::gaussians
};

/// Islands by label, Gaussians by island, sources by their first Gaussian.
struct SourceList {
  std::vector<Source> gaussians;
  std::vector<std::int64_t> source_of;  ///< of each Gaussian, place in `sources`
  std::vector<GroupedSource> sources;
  std::vector<IslandValues> islands;
};

struct SourceListInputs {
  std::span<const Source> sources;  ///< rows of the catalogue
  const ImageHeader& header;
  BeamField beams;
  double flood = 3;                        ///< sigma
  const IslandPixels& pixels;              ///< of every island of the image
  const IslandPixels* negative = nullptr;  ///< of every island of the negative image, whose labels follow the others
  std::int64_t islands = 0;                ///< of the image
};
/// Groups by options; all threads that this process may use work, and the answer is the same for any number.
[[nodiscard]] SourceList make_source_list(const SourceListInputs& in, const GroupOptions& options);

}  // namespace reber
