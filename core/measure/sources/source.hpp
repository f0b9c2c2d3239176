// SPDX-License-Identifier: BSD-3-Clause
// From the sums of an island to the numbers of a source, with their errors.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "core/measure/sources/row_story.hpp"
#include "core/measure/sources/shape_errors.hpp"
#include "core/seam/compute/detection.hpp"
#include "core/seam/compute/flux_scale.hpp"
#include "core/seam/compute/gaussian_fit.hpp"
#include "core/sky/model/beam_field.hpp"
#include "core/sky/model/catalogue.hpp"
#include "core/sky/model/image_header.hpp"

namespace reber {

/// One source, measured by moments or by a fit. NaN where a number cannot be had (no beam, no sky position, too few
/// pixels). Angles in degrees; fluxes in the image's unit without its prefix (Jy, Jy/beam) where BUNIT is known.
struct Source {
  std::int64_t island = 0;  ///< label; negative detections carry on after the positive ones
  bool negative = false;
  double ra = 0, e_ra = 0, dec = 0, e_dec = 0;  ///< e_ra in degrees on the sky
  double ra_peak = 0, dec_peak = 0;
  double x = 0, e_x = 0, y = 0, e_y = 0;  ///< 0-based pixels
  double total = 0, e_total = 0;          ///< Jy, corrected for the flux below the flood level
  double peak = 0, e_peak = 0;            ///< Jy/beam, corrected for the peak's place between pixels
  double peak_pixel = 0;                  ///< Jy/beam, the brightest pixel less background
  std::int64_t peak_x = 0, peak_y = 0;
  double isl_total = 0, e_isl_total = 0;  ///< Jy, sum of the island's pixels
  double isl_rest = 0;                    ///< Jy, of that sum, what the totals of the island's rows leave
  double major_deg = 0, e_major_deg = 0, minor_deg = 0, e_minor_deg = 0, pa_deg = 0,
         e_pa_deg = 0;                                       ///< FWHM and PA, on the sky
  double dc_major_deg = 0, dc_minor_deg = 0, dc_pa_deg = 0;  ///< deconvolved from the beam; 0 for a point
  double e_dc_major_deg = 0, e_dc_minor_deg = 0, e_dc_pa_deg = 0;
  double dc_major_most_deg = 0;  ///< 2-sigma upper limit of dc_major_deg
  /// Best estimates of the deconvolved axes: where noise hides them, between 0 and what it lets them be.
  double likely_major_deg = 0, e_likely_major_deg = 0, likely_minor_deg = 0, e_likely_minor_deg = 0;
  std::int64_t resolved = 0;  ///< 1 where total over peak is beyond what noise makes of a point
  /// What the model map draws, image value on the grid: the fit, or the moments' shape with the peak that gives the
  /// source's total flux. For a source that is no Gaussian that peak is below the brightest pixel.
  GaussianComponent model;
  bool fitted = false;  ///< by a Gaussian fit, not by moments
  double rms = 0, mean = 0, snr = 0;
  double sum_snr = 0;  ///< sum of its pixels less background, over the rms at its peak
  double reliability = std::numeric_limits<double>::quiet_NaN();  ///< 0 to 1; NaN where it was not asked for
  std::int64_t npix = 0, x0 = 0, y0 = 0, x1 = 0, y1 = 0;          ///< bounding box, last pixel included
  bool shared = false;                                            ///< one of several in its island
  std::int64_t wave = 0;                                          ///< wavelet plane that found it; 0: the image
  std::int64_t flag = 0;                                          ///< kFlag... bits
  std::size_t row = 0;                                            ///< entry of the rows that it was made of
};

inline constexpr std::int64_t kFlagEdge = 1;        ///< cut by the image's edge or by blank pixels
inline constexpr std::int64_t kFlagSmall = 2;       ///< too few pixels for a shape: beam shape assumed
inline constexpr std::int64_t kFlagNoSky = 4;       ///< no sky position
inline constexpr std::int64_t kFlagNegative = 8;    ///< negative detection
inline constexpr std::int64_t kFlagComplex = 16;    ///< no Gaussian: plain moments and the plain sum are given
inline constexpr std::int64_t kFlagBeamShape = 32;  ///< fitted with the beam's shape: a free shape did not settle
inline constexpr std::int64_t kFlagNotFitted =
    64;  ///< no fit settled, described the pixels or could be afforded: moments
inline constexpr std::int64_t kFlagPlainWeights = 128;  ///< island too large for correlated weights: ordinary ones
inline constexpr std::int64_t kFlagBound = 256;         ///< a fitted centre or size is at its bound
inline constexpr std::int64_t kFlagExtra = 512;         ///< found in what a fit left: no peak of its own
inline constexpr std::int64_t kFlagPart = 1024;         ///< fitted to its own part of the island alone
inline constexpr std::int64_t kFlagCore =
    2048;  ///< a core fitted above the emission around it; with kFlagNotFitted: that emission
inline constexpr std::int64_t kFlagRest = 8192;  ///< emission around the other rows of its island: what they leave
/// Its centre, or the brightest pixel of one that was not fitted, is where pixels are missing: its flux is
/// extrapolated.
inline constexpr std::int64_t kFlagBeyond = 16384;
inline constexpr std::int64_t kFlagNoise = 4096;  ///< no more than a peak of the noise is expected to be

/// Errors of sums over pixels, where they are known better than by the number of these.
struct SumErrors {
  double s = 0;          ///< of the sum
  Covariance place;      ///< covariance of the centroid's x and y, pixels
  ShapeErrors shape{};   ///< of FWHM^2 made of the second moments
  bool moments = false;  ///< place and shape are known as well
  /// Of a Gaussian that describes the pixels as well as their sum does: its height with its error, in the image's unit
  /// above background, and its flux as a sum of pixels. 0: there is none.
  double peak = 0, e_peak = 0, flux = 0;
};

/// What a fit made of one source; no Gaussian where it keeps its moments.
struct SourceFit {
  std::optional<FittedGaussian> gaussian;
  std::int64_t flag = 0;  ///< kFlag... bits of the fit
  /// Noise that its errors of place, and of peak, are for, over that of the fit: below 1 where its own sidelobes raised
  /// the latter.
  double quiet = 1, quiet_peak = 1;
  double level_error = 0;  ///< of the background's level under it, in the image's unit
  double unsure = 0;       ///< part of its flux that the known pixels do not tell, added to the errors in quadrature
};

/// One row of a catalogue on its way: the sums of its pixels, those of a whole island or of the part of it that
/// deblending gave to one peak; what a fit made of it; and how both came about.
struct SourceRow {
  IslandSums sums;
  std::int64_t island = 0;  ///< label
  bool shared = false;      ///< the island holds other sources as well
  bool cut = false;         ///< pixels of it have neighbours beyond the image or blank
  /// Of the whole island: its pixels and their sum, less background. No pixels: `sums` are the island's.
  std::int64_t whole_npix = 0;
  double whole_s = 0;
  std::int64_t wave = 0;  ///< wavelet plane that found it; 0: the image
  /// Set where `sums` hold pixels around the island as well; they stay plain then: nothing is added for a cut at the
  /// flood level.
  std::optional<SumErrors> errors{};
  SourceFit fit{};   ///< without a Gaussian where the row keeps its moments
  RowStory story{};  ///< what `reber find --why` tells
};

/// What an observer knows of the image beyond its pixels.
struct Calibration {
  double clean_bias = 0;          ///< added to every peak, Jy/beam; totals are scaled alike (Condon et al. 1998)
  double flux_error = 0;          ///< part of each flux that is added to its error in quadrature
  double position_error_deg = 0;  ///< on the sky, added to E_RA and E_DEC in quadrature
  bool operator==(const Calibration&) const = default;
};

/// Truncation-corrected moments and errors for correlated noise; docs/numerics.md#measure gives the equations. Where a
/// row has a Gaussian, position, shape, fluxes and their errors are its. Fluxes and sizes of islands, rms and S/N stay
/// those of the pixels. A beam that varies is that of each source's place. Order: by the peak's y, then x. threads: 0
/// means all that this process may use; the answer is the same for any number.
[[nodiscard]] std::vector<Source> make_sources(std::span<const SourceRow> rows, const DetectOptions& options,
                                               const ImageHeader& header, const BeamField& beams,
                                               const Calibration& calibration = {}, int threads = 1);

/// Puts negative detections among the others, in the same order; their labels carry on after `islands`.
void merge_negative(std::vector<Source>& sources, const std::vector<Source>& negative, std::int64_t islands);

}  // namespace reber
