// SPDX-License-Identifier: BSD-3-Clause
// Extended sources as what they are: structures at every scale in one tree, measured from their pixels.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "core/base/words.hpp"
#include "core/run/pipeline/result.hpp"
#include "core/run/request/request.hpp"
#include "core/seam/compute/job.hpp"
#include "core/sky/model/wcs.hpp"

namespace reber {

/// compact: a row of the catalogue inside a structure. multiple: parts hold more than half of it. shell: brighter
/// around than within. filament: much longer than wide. extended: none of these.
enum class SegmentClass { compact, multiple, shell, filament, extended };
template <>
inline constexpr auto words<SegmentClass> = std::to_array<Word<SegmentClass>>({
    {"compact", SegmentClass::compact, "compact"},
    {"multiple", SegmentClass::multiple, "multiple"},
    {"shell", SegmentClass::shell, "shell"},
    {"filament", SegmentClass::filament, "filament"},
    {"extended", SegmentClass::extended, "extended"},
});

/// A structure, or a compact source inside one. NaN where a number cannot be had. Units as in Source.
struct ExtendedSource {
  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  std::int64_t id = 0, parent = 0, root = 0;  ///< ids from 1; parent 0: a root
  std::int64_t row = -1;                      ///< of the catalogue of sources, for a compact one
  std::int64_t parts = 0;                     ///< structures right inside it
  std::int64_t compacts = 0;                  ///< compact sources inside it, at any depth
  SegmentClass kind = SegmentClass::extended;
  double scale_deg = kNone;  ///< FWHM of the smoothing that showed it; 0: the image itself
  double ra = kNone, e_ra = kNone, dec = kNone, e_dec = kNone;
  double x = kNone, e_x = kNone, y = kNone, e_y = kNone;
  double total = kNone, e_total = kNone;           ///< Jy; everything inside, and of a root a beam's width around it
  double diffuse = kNone, e_diffuse = kNone;       ///< Jy, of that without compact sources
  double compact = 0;                              ///< Jy, the totals of these
  double peak = kNone, rms = kNone, mean = kNone;  ///< brightest pixel less background; noise and background there
  double area_deg2 = kNone, extent_deg = kNone;    ///< of its pixels; largest distance between two of its corners
  double major_deg = kNone, minor_deg = kNone, pa_deg = kNone;  ///< FWHM of the Gaussian of its second moments
  double brightness = kNone;                                    ///< total over area, Jy/arcsec^2
  double length_over_width = kNone;                             ///< extent^2 over area
  double hollowness = kNone;                              ///< 1 - mean brightness within over that around; 0 is flat
  std::int64_t npix = 0, x0 = 0, y0 = 0, x1 = 0, y1 = 0;  ///< bounding box, last pixel included
  std::int64_t flag = 0;                                  ///< kFlagEdge
  std::vector<PixelPosition> outline;                     ///< empty for a compact one
};

struct ExtendedSources {
  std::vector<ExtendedSource> sources;  ///< a parent before its children, roots by the row of their first pixel
  std::vector<std::string> notes;       ///< of the levels, for the report and HISTORY
};

/// throws InputError for what does not go with extended sources: a search in scales, of another image or masked
void check_extended_request(const Request& request);

/// Compact sources are those fitted with Gaussians of at most 1.5 beam areas. They are taken out of the image; what is
/// left is smoothed step by step (make_segment_levels), and the islands of all steps become a tree (make_segment_tree).
/// Fluxes are sums of pixels less a background measured outside all of it. Errors take the integral of the noise's
/// autocorrelation and the error of the background.
///   result: of a run that looked for sources, with its backend;   request: the run's
///   throws InputError without a beam, and as check_extended_request; DeviceError, Cancelled
[[nodiscard]] ExtendedSources find_extended(const Result& result, const Request& request, const Job& job = {});

}  // namespace reber
