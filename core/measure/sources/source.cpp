// SPDX-License-Identifier: BSD-3-Clause
// Sources from island sums: moments corrected for the cut at the flood level, errors for correlated noise; or what a
// fit made of them. docs/numerics.md#measure and #fit hold the equations and where they come from.
#include "core/measure/sources/source.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <tuple>
#include <utility>

#include "core/base/large_vectors.hpp"
#include "core/base/significance.hpp"
#include "core/base/thread_pool.hpp"
#include "core/measure/sources/island_rest.hpp"
#include "core/measure/sources/shape_errors.hpp"
#include "core/seam/compute/island_moments.hpp"

namespace reber {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
/// Of an error of the background's level: in the peak of a fit, and in its total for each pixel of the island.
constexpr double kLevelInPeak = 0.5, kLevelInTotal = 0.75;
constexpr double kLn2 = std::numbers::ln2;
/// ln(total / peak) of a point has this bias in units of its squared error and stays, 99 % of the time, below kClear
/// errors above that (docs/science.md#deconvolved-sizes-and-the-resolved-decision).
constexpr double kResolvedBias = 2;

/// What all sources of an image share.
struct Setting {
  const ImageHeader& header;
  const Wcs* wcs;  ///< the header's, or a thread's own copy
  const DetectOptions& options;
  std::optional<Covariance> beam_px;  ///< FWHM^2 of the beam on the grid, at the image's centre
  double beam_area_px = kNan;         ///< solid angle of the beam in pixels
  double pixel_deg2 = kNan;           ///< area of a pixel, square degrees, at the image's centre
  double unit = 1;                    ///< image value x unit = value in the unit without its prefix
  double per_sum = kNan;              ///< sum of pixels x per_sum = flux density
  BeamField beams{};                  ///< where it or the area varies, beam_px and what follows are those of at_place()
};

Setting make_setting(const DetectOptions& options, const ImageHeader& header, const BeamField& beams) {
  const std::optional<Beam>& beam = beams.nominal();
  Setting setting{header, &header.wcs, options, {}, kNan, kNan, header.unit.factor, kNan, beams};
  const auto centre = header.centre_geometry();
  if (centre) setting.pixel_deg2 = std::abs(centre->determinant());
  if (beam && centre) {
    setting.beam_px = to_pixels(sky_covariance(beam->major_deg, beam->minor_deg, beam->pa_deg), *centre);
    setting.beam_area_px = beam->area_deg2() / setting.pixel_deg2;
  }
  setting.per_sum = flux_per_sum(setting.header, setting.beam_area_px, setting.pixel_deg2);
  return setting;
}

/// With the beam and the pixel's area of a place, where they vary.
void at_place(Setting& setting, double x, double y) {
  if (setting.beams.varies()) {
    setting.beam_px = setting.beams.at(x, y).pixels;
    setting.beam_area_px = gaussian_area(*setting.beam_px);
  }
  if (setting.beams.areas_vary()) setting.pixel_deg2 = setting.beams.pixel_deg2(x, y);
  setting.per_sum = flux_per_sum(setting.header, setting.beam_area_px, setting.pixel_deg2);
}

/// Second moments of the island about its centroid, and the pixel shape made of them.
struct Shape2 {
  double dx, dy;         ///< centroid from the island's first pixel
  Covariance fwhm2;      ///< FWHM^2 on the grid, corrected for the cut at `threshold`
  double peak;           ///< corrected for the centroid's place between pixels
  bool assumed = false;  ///< beam shape taken
  bool complex = false;  ///< not a Gaussian: moments and sum as they stand
};

/// plain: the source is no Gaussian
Shape2 shape_of(const IslandSums& sums, double pixel, double threshold, bool plain, const Setting& setting) {
  Shape2 shape{sums.sx / sums.s, sums.sy / sums.s, {}, pixel};
  const double off_x = sums.peak_x - sums.first_x - shape.dx, off_y = sums.peak_y - sums.first_y - shape.dy;
  shape.assumed = !plain && sums.npix < kPixelsForShape && setting.beam_px.has_value();
  if (shape.assumed) {
    shape.fwhm2 = *setting.beam_px;
    shape.peak = corrected_peak(pixel, off_x, off_y, shape.fwhm2);
    return shape;
  }
  const Covariance moments = moments_of(sums, shape.dx, shape.dy);
  // The correction needs the peak and the peak the corrected shape: three rounds settle both to 1e-3.
  for (int round = 0; round < 3; ++round) {
    const double factor = kFwhm2PerVariance / variance_left(threshold / shape.peak);
    shape.fwhm2 = {moments.xx * factor, moments.xy * factor, moments.yy * factor};
    shape.peak = corrected_peak(pixel, off_x, off_y, shape.fwhm2);
  }
  // A brightest pixel below the seed threshold: the noise varies across the island, which is cut at no single level.
  const bool uneven = !(pixel > setting.options.seed * sums.peak_rms);
  shape.complex = plain || uneven || too_few_pixels(shape.fwhm2, shape.peak, threshold, sums.npix);
  if (shape.complex) {
    shape.fwhm2 = {moments.xx * kFwhm2PerVariance, moments.xy * kFwhm2PerVariance, moments.yy * kFwhm2PerVariance};
    shape.peak = pixel;
  }
  return shape;
}

/// Signal to noise of a moment measurement, in Condon's (1997) sense: relative error of an axis = sqrt(2)/rho.
/// Correlated noise: rho^2 = 2 (M m + B b) / (ln2 B b sigma^2) ((P - T) / ln(P/T))^2 with FWHMs: Spreeuw's (2010)
/// eq. 3.62 for a point, and twice the noise in a wide source, over whose area noise of Condon's autocorrelation adds
/// up to that. Without a beam, white noise of one pixel: rho^2 = pi M m P^2 / (8 ln2 sigma^2).
double rho_of(double major, double minor, double peak, double threshold, double rms, const Setting& setting) {
  if (!setting.beam_px) return std::sqrt(std::numbers::pi * major * minor / (8 * kLn2)) * peak / rms;
  const Ellipse beam = ellipse_of(*setting.beam_px);
  const double level = (peak - threshold) / std::log(peak / threshold), points = beam.major * beam.minor;
  return std::sqrt(2 * (major * minor + points) / (kLn2 * points)) * level / rms;
}

/// Error of a sum over `area` pixels in units of the rms: sqrt(a^2 / (1 + a / N)), a^2 where all pixels carry the same
/// noise, a N where the area holds many independent ones. N = 2 beam areas is the integral of the autocorrelation of
/// white noise smoothed by the beam, 1 pixel without a beam.
double sum_error(double area, const Setting& setting) {
  const double together = setting.beam_px ? 2 * setting.beam_area_px : 1;
  return area / std::sqrt(1 + area / together);
}

void set_fluxes(Source& source, const IslandSums& sums, const Shape2& shape, double threshold, const Ellipse& pixels,
                const Setting& setting) {
  const double sign = source.negative ? -1 : 1, per_sum = setting.per_sum;
  const double pixel = std::abs(static_cast<double>(sums.peak) - sums.peak_mean);
  source.peak = sign * shape.peak * setting.unit;
  source.e_peak = shape.peak / pixel * sums.peak_rms * setting.unit;
  const double noise = sums.peak_rms * std::abs(per_sum), npix = static_cast<double>(sums.npix);
  const double own_total = sign * sums.s * per_sum;

  const double gaussian_px = std::numbers::pi / (4 * kLn2) * pixels.major * pixels.minor;
  const double above = 1 - threshold / shape.peak;
  if (shape.assumed) {
    source.total = sign * shape.peak * gaussian_px * per_sum;
    source.e_total = std::abs(source.total * source.e_peak / source.peak);
  } else if (shape.complex) {
    source.total = own_total;
    source.e_total = noise * sum_error(npix, setting);
  } else {
    // Noise that lifts the source moves its edge too: by the pixels that a Gaussian has an e-fold of brightness.
    source.total = own_total / above;
    source.e_total = noise * sum_error(npix + gaussian_px, setting) / above;
  }
  const double flux = shape.assumed ? shape.peak * gaussian_px : shape.complex ? sums.s : sums.s / above;
  source.model = {sign * flux / gaussian_px, source.x, source.y, shape.fwhm2};
}

/// Position, shape and their errors on the sky. position: covariance of x and y; shape: of fwhm2; both in pixels.
void set_sky(Source& source, const Covariance& fwhm2, const Covariance& position, const ShapeErrors& shape,
             const ShapeErrors& limiting, const Setting& setting) {
  const Wcs& wcs = *setting.wcs;
  constexpr std::array kIntrinsic{&Source::dc_major_deg,      &Source::dc_minor_deg,      &Source::dc_pa_deg,
                                  &Source::e_dc_major_deg,    &Source::e_dc_minor_deg,    &Source::e_dc_pa_deg,
                                  &Source::dc_major_most_deg, &Source::likely_major_deg,  &Source::e_likely_major_deg,
                                  &Source::likely_minor_deg,  &Source::e_likely_minor_deg};
  const auto sky = wcs.to_sky(source.x, source.y);
  const auto local = wcs.sky_per_pixel(source.x, source.y);
  if (!sky || !local) {
    source.flag |= kFlagNoSky;
    for (double Source::*one : {&Source::ra, &Source::dec, &Source::e_ra, &Source::e_dec, &Source::ra_peak,
                                &Source::dec_peak, &Source::major_deg, &Source::minor_deg, &Source::pa_deg,
                                &Source::e_major_deg, &Source::e_minor_deg, &Source::e_pa_deg})
      source.*one = kNan;
    for (double Source::*one : kIntrinsic) source.*one = kNan;
    return;
  }
  source.ra = sky->lon_deg;
  source.dec = sky->lat_deg;
  const auto peak = wcs.to_sky(static_cast<double>(source.peak_x), static_cast<double>(source.peak_y));
  source.ra_peak = peak ? peak->lon_deg : kNan;
  source.dec_peak = peak ? peak->lat_deg : kNan;
  const Covariance place = to_sky(position, *local);
  source.e_ra = std::sqrt(place.xx);
  source.e_dec = std::sqrt(place.yy);

  const Covariance on_sky = to_sky(fwhm2, *local);
  const Ellipse ellipse = ellipse_of(on_sky);
  const EllipseErrors errors = ellipse_errors(ellipse, to_sky(shape, *local));
  source.major_deg = ellipse.major, source.e_major_deg = errors.major;
  source.minor_deg = ellipse.minor, source.e_minor_deg = errors.minor;
  source.pa_deg = ellipse.pa_deg, source.e_pa_deg = errors.pa_deg;

  if (!setting.beam_px) {
    for (double Source::*one : kIntrinsic) source.*one = kNan;
    return;
  }
  const IntrinsicShape intrinsic = intrinsic_shape(on_sky, to_sky(*setting.beam_px, *local), to_sky(limiting, *local));
  source.dc_major_deg = intrinsic.axes.major, source.e_dc_major_deg = intrinsic.errors.major;
  source.dc_minor_deg = intrinsic.axes.minor, source.e_dc_minor_deg = intrinsic.errors.minor;
  source.dc_pa_deg = intrinsic.axes.pa_deg, source.e_dc_pa_deg = intrinsic.errors.pa_deg;
  source.dc_major_most_deg = intrinsic.most_major;
  source.likely_major_deg = intrinsic.likely[0], source.e_likely_major_deg = intrinsic.e_likely[0];
  source.likely_minor_deg = intrinsic.likely[1], source.e_likely_minor_deg = intrinsic.e_likely[1];
}

/// Whether total over peak, in units of a point's, is beyond what noise makes of a point.
/// log_error: 1-sigma error of its logarithm
bool is_resolved(double ratio, double log_error) {
  return std::log(ratio) > kResolvedBias * log_error * log_error + kClear * log_error;
}

/// The noise of the errors of place and peak may be less than that of the fit, which the shape's are for: sidelobes at
/// the rim of a bright point change it. In one noise peak and shape make up for some of each other, and the total keeps
/// that.
void set_fit(Source& source, const SourceFit& made, const ShapeErrors& of_moments, const Setting& setting) {
  const FittedGaussian& fit = *made.gaussian;
  const std::array<double, 6> quiet{made.quiet_peak, made.quiet, made.quiet, 1, 1, 1};
  const double sign = source.negative ? -1 : 1;
  const GaussianComponent& g = fit.component;
  source.fitted = true, source.model = g, source.model.peak *= sign;
  auto c = fit.covariance;
  for (std::size_t a = 0; a < 6; ++a)
    for (std::size_t b = 0; b < 6; ++b) c[a][b] *= quiet[a] * quiet[b];
  source.x = g.x, source.e_x = std::sqrt(c[1][1]);
  source.y = g.y, source.e_y = std::sqrt(c[2][2]);
  source.peak = sign * g.peak * setting.unit;
  source.e_peak = std::hypot(std::sqrt(c[0][0]), kLevelInPeak * made.level_error) * setting.unit;
  const double det = g.fwhm2.xx * g.fwhm2.yy - g.fwhm2.xy * g.fwhm2.xy;
  const double total = std::numbers::pi / (4 * kLn2) * std::sqrt(det) * g.peak * setting.per_sum;
  source.total = sign * total;
  const double level = kLevelInTotal * made.level_error * static_cast<double>(source.npix) * setting.per_sum;
  source.e_total =
      std::hypot(total * std::min(relative_total_error(g, c), relative_total_error(g, fit.covariance)), level);
  ShapeErrors shape{};
  for (std::size_t a = 0; a < 3; ++a)
    for (std::size_t b = 0; b < 3; ++b) shape[a][b] = fit.covariance[a + 3][b + 3];
  const bool free = shape[0][0] > 0;
  set_sky(source, g.fwhm2, {c[1][1], c[1][2], c[2][2]}, shape, free ? shape : of_moments, setting);
  if (!free || !setting.beam_px) return;
  const Covariance& beam = *setting.beam_px;
  const double ratio = std::sqrt(det / (beam.xx * beam.yy - beam.xy * beam.xy));
  source.resolved = is_resolved(ratio, log_area_error(g.fwhm2, shape)) ? 1 : 0;
}

/// A source by its moments, and the errors of their shape. Its place on the sky is left open.
struct Measured {
  Source source;
  Covariance fwhm2, position;  ///< position: covariance of x and y
  ShapeErrors errors{};        ///< of the noise alone
  ShapeErrors stated{};        ///< with what moments may lack that end at the flood level
};

/// Moments of pixels that end at the flood level, as they stand: they may lack what a Gaussian's would.
///   cut: the flood level over the peak
void add_cut_error(const Covariance& fwhm2, double cut, ShapeErrors& errors) {
  if (!(cut > 0 && cut < 1)) return;
  const double lacks = 1 / variance_left(cut) - 1;
  const std::array<double, 3> all{fwhm2.xx, fwhm2.xy, fwhm2.yy};
  for (std::size_t a = 0; a < 3; ++a)
    for (std::size_t b = 0; b < 3; ++b) errors[a][b] += lacks * lacks * all[a] * all[b];
}

Measured make_source(const SourceRow& of, const Setting& setting) {
  const std::int64_t flag = of.fit.flag;
  const IslandSums& sums = of.sums;
  Measured measured;
  Source& source = measured.source;
  source.island = of.island;
  source.wave = of.wave;
  source.negative = setting.options.negative;
  source.npix = sums.npix;
  source.x0 = sums.x0, source.x1 = sums.x1 - 1, source.y0 = sums.y0, source.y1 = sums.y1 - 1;
  source.peak_x = sums.peak_x, source.peak_y = sums.peak_y;
  const double pixel = std::abs(static_cast<double>(sums.peak) - sums.peak_mean);
  const double threshold = setting.options.flood * sums.peak_rms;
  source.snr = pixel / sums.peak_rms;
  source.sum_snr = sums.s / sums.peak_rms;
  source.rms = sums.peak_rms * setting.unit;
  source.mean = sums.peak_mean * setting.unit;
  source.peak_pixel = (source.negative ? -1 : 1) * pixel * setting.unit;

  const bool plain =
      (flag & kFlagRest) != 0 || of.errors ||
      ((flag & kFlagNotFitted) != 0 && setting.beam_px && wider_than_point(sums, pixel / threshold, *setting.beam_px));
  const Shape2 shape = shape_of(sums, pixel, threshold, plain, setting);
  const Ellipse pixels = ellipse_of(shape.fwhm2);
  const double rho = rho_of(pixels.major, pixels.minor, shape.peak, threshold, sums.peak_rms, setting);
  // FWHM / (sqrt(2 ln2) rho) along each axis: sqrt 2 above Condon's (1997) value for a fit; moments earn no less.
  const double spread2 = 1 / (2 * kLn2 * rho * rho);
  const Covariance position{shape.fwhm2.xx * spread2, shape.fwhm2.xy * spread2, shape.fwhm2.yy * spread2};
  source.x = sums.first_x + shape.dx, source.y = sums.first_y + shape.dy;
  if (shape.assumed) source.flag |= kFlagSmall;
  if (source.negative) source.flag |= kFlagNegative;
  if (shape.complex) source.flag |= kFlagComplex;
  set_fluxes(source, sums, shape, threshold, pixels, setting);
  if (of.errors) source.e_total = of.errors->s * std::abs(setting.per_sum);
  if (of.errors && of.errors->peak > 0) {
    source.peak = (source.negative ? -1 : 1) * of.errors->peak * setting.unit;
    source.e_peak = of.errors->e_peak * setting.unit;
  }
  const bool whole = of.whole_npix == 0;
  source.isl_total = (source.negative ? -1 : 1) * (whole ? sums.s : of.whole_s) * setting.per_sum;
  source.e_isl_total = sums.peak_rms * std::abs(setting.per_sum) *
                       sum_error(static_cast<double>(whole ? sums.npix : of.whole_npix), setting);
  const bool known = of.errors && of.errors->moments;
  measured.errors = known ? of.errors->shape : shape_errors(shape.fwhm2, std::numbers::sqrt2 / rho);
  measured.stated = measured.errors;
  if (!known && shape.complex && (flag & kFlagNotFitted) != 0)
    add_cut_error(shape.fwhm2, threshold / pixel, measured.stated);
  measured.fwhm2 = shape.fwhm2;
  measured.position = known ? of.errors->place : position;
  source.e_x = std::sqrt(measured.position.xx), source.e_y = std::sqrt(measured.position.yy);
  if (setting.beam_px && !shape.assumed) {
    const double ratio =
        std::abs(source.total / (setting.per_sum * setting.beam_area_px)) * setting.unit / std::abs(source.peak);
    source.resolved = is_resolved(ratio, std::abs(source.e_total / source.total)) ? 1 : 0;
  }
  return measured;
}

Source whole_source(const SourceRow& row, const Setting& setting) {
  const SourceFit& fit = row.fit;
  auto [source, fwhm2, position, errors, stated] = make_source(row, setting);
  source.shared = row.shared;
  if (row.cut) source.flag |= kFlagEdge;
  if (fit.gaussian) {
    source.flag &= ~(kFlagSmall | kFlagComplex);  // said of the moments
    set_fit(source, fit, errors, setting);
  } else {
    set_sky(source, fwhm2, position, stated, errors, setting);
  }
  source.flag |= fit.flag;
  source.e_peak = std::hypot(source.e_peak, fit.unsure * source.peak);
  source.e_total = std::hypot(source.e_total, fit.unsure * source.total);
  return source;
}

void apply(const Calibration& calibration, Source& source) {
  const double scale = 1 + calibration.clean_bias / std::abs(source.peak), part = calibration.flux_error;
  source.peak *= scale;
  source.total *= scale;
  source.e_total *= scale;
  source.e_peak = std::hypot(source.e_peak, part * source.peak);
  source.e_total = std::hypot(source.e_total, part * source.total);
  source.e_isl_total = std::hypot(source.e_isl_total, part * source.isl_total);
  source.e_ra = std::hypot(source.e_ra, calibration.position_error_deg);
  source.e_dec = std::hypot(source.e_dec, calibration.position_error_deg);
}

void sort_by_peak(std::vector<Source>& sources) {
  std::ranges::stable_sort(sources, {}, [](const Source& one) { return std::pair(one.peak_y, one.peak_x); });
}

}  // namespace

void merge_negative(std::vector<Source>& sources, const std::vector<Source>& negative, std::int64_t islands) {
  for (const Source& source : negative) sources.emplace_back(source).island += islands;
  sort_by_peak(sources);
}

std::vector<Source> make_sources(std::span<const SourceRow> rows, const DetectOptions& options,
                                 const ImageHeader& header, const BeamField& beams, const Calibration& calibration,
                                 int threads) {
  constexpr std::int64_t kShare = 256;
  const Setting setting = make_setting(options, header, beams);
  const auto count = static_cast<std::int64_t>(rows.size());
  // In the order of their peaks from the beginning: sources are large, their numbers are not.
  std::vector<std::tuple<std::int64_t, std::int64_t, std::size_t>> order;
  order.reserve(rows.size());
  for (std::size_t k = 0; k < rows.size(); ++k) order.emplace_back(rows[k].sums.peak_y, rows[k].sums.peak_x, k);
  std::ranges::sort(order);
  std::vector<Source> sources;
  reserve_large(sources, rows.size());
  sources.resize(rows.size());
  ThreadPool pool(count > 2 * kShare ? threads : 1);
  // WCSLIB writes into its structures.
  const std::vector<Wcs> own(static_cast<std::size_t>(pool.threads()), header.wcs);
  pool.for_each_worker((count + kShare - 1) / kShare, [&](std::int64_t share, int worker) {
    Setting its = setting;
    its.wcs = &own[static_cast<std::size_t>(worker)];
    for (std::int64_t i = share * kShare; i < std::min(count, (share + 1) * kShare); ++i) {
      const SourceRow& row = rows[std::get<2>(order[static_cast<std::size_t>(i)])];
      Source& source = sources[static_cast<std::size_t>(i)];
      const auto& gaussian = row.fit.gaussian;
      at_place(its, gaussian ? gaussian->component.x : static_cast<double>(row.sums.peak_x),
               gaussian ? gaussian->component.y : static_cast<double>(row.sums.peak_y));
      source = whole_source(row, its);
      source.row = std::get<2>(order[static_cast<std::size_t>(i)]);
      apply(calibration, source);
    }
  });
  if (beams.varies() || beams.areas_vary()) share_island_totals(sources);
  set_rests(sources);
  return sources;
}

}  // namespace reber
