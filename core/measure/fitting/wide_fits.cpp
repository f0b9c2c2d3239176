// SPDX-License-Identifier: BSD-3-Clause
// One problem per wide source, in one batch.
#include "core/measure/fitting/wide_fits.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/base/significance.hpp"
#include "core/measure/fitting/grown_sums.hpp"
#include "core/measure/fitting/level_errors.hpp"
#include "core/measure/fitting/pair_sums.hpp"
#include "core/measure/fitting/wing_flux.hpp"
#include "core/measure/sources/fit_ladder.hpp"
#include "core/measure/sources/fit_parts.hpp"
#include "core/measure/sources/fit_rest.hpp"
#include "core/measure/sources/island_rest.hpp"
#include "core/measure/sources/shape_errors.hpp"

namespace reber {
namespace {

FitBounds bounds_of(const GaussianComponent& start, const FitPixels& pixels, const Covariance& beam) {
  return {0.5 * ellipse_of(start.fwhm2).major, 0.8 * ellipse_of(beam).minor, std::numbers::sqrt2 * extent_of(pixels),
          true};
}

/// Sum of pixels, and of what a Gaussian leaves of them.
struct Left {
  double sum = 0, left = 0;
};
Left left_by(const FittedGaussian& fit, const FitPixels& pixels) {
  Left all;
  for (std::size_t i = 0; i < pixels.value.size(); ++i) {
    all.sum += pixels.value[i];
    all.left += pixels.value[i] - value_of({fit}, pixels.x[i], pixels.y[i]);
  }
  return all;
}

/// Pixels that a fit sees, and those beyond.
struct Seen {
  FitPixels fitted, beyond;
};

/// To `reach` from the island, and some more.
Seen seen_by(const FitPixels& own, const FitPixels& ring, double reach, double more) {
  const std::vector<double> distance = distances_from(own, ring);
  FitPixels near;
  Seen seen;
  for (std::size_t i = 0; i < distance.size(); ++i)
    if (distance[i] <= reach + more) append_pixel(ring, i, distance[i] <= reach ? near : seen.beyond);
  seen.fitted = in_raster_order(own, near);
  return seen;
}

/// Whether the Gaussian holds what the pixels hold, and leaves nothing beyond those that it was fitted to.
bool holds_pixels(const FittedGaussian& fit, const Seen& seen, const NoiseCorrelation& noise) {
  const Left inside = left_by(fit, seen.fitted), outside = left_by(fit, seen.beyond);
  const auto little = [&](double left, double part, const FitPixels& pixels) {
    return std::abs(left) <= std::max(kClear * sum_error(pixels, noise), part * std::abs(inside.sum));
  };
  return little(inside.left, kNotable, seen.fitted) &&
         (seen.beyond.value.empty() || little(outside.left, kSlight, seen.beyond));
}

Covariance beam_at(const WideFitInputs& in, const GaussianComponent& place) {
  return in.beams.varies() ? in.beams.at(place.x, place.y).pixels : in.beam;
}

struct Wide {
  SourceRow* row;
  bool again;  ///< it is fitted once more
  Seen seen;
  std::size_t answer;  ///< its problem's entry
};

/// Where a row's fit begins: where it ended, or at the moments of the pixels.
GaussianComponent start_of(const SourceRow& row) {
  if (row.fit.gaussian) return row.fit.gaussian->component;
  const IslandSums& sums = row.sums;
  return {std::abs(static_cast<double>(sums.peak) - sums.peak_mean), sums.first_x + sums.sx / sums.s,
          sums.first_y + sums.sy / sums.s, shape_of_moments(sums)};
}

bool leaves_noise(const FittedGaussian& fit, const FitPixels& pixels, const WideFitInputs& in) {
  return noise_alone(fit_rest({fit}, pixels, in.options.flood), pixels, beam_at(in, fit.component));
}

/// A row that keeps its sum takes place, shape and height of a Gaussian.
void set_outline(const FittedGaussian& fit, SourceRow& row) {
  const GaussianComponent& g = fit.component;
  IslandSums& sums = row.sums;
  const double dx = g.x - sums.first_x, dy = g.y - sums.first_y;
  sums.sx = sums.s * dx, sums.sy = sums.s * dy;
  sums.sxx = sums.s * (dx * dx + g.fwhm2.xx / kFwhm2PerVariance);
  sums.sxy = sums.s * (dx * dy + g.fwhm2.xy / kFwhm2PerVariance);
  sums.syy = sums.s * (dy * dy + g.fwhm2.yy / kFwhm2PerVariance);
  const auto& c = fit.covariance;
  SumErrors errors{std::sqrt(c[0][0]), {c[1][1], c[1][2], c[2][2]}, shape_errors_of(fit), true};
  errors.peak = g.peak, errors.e_peak = std::sqrt(c[0][0]), errors.flux = gaussian_flux(g);
  row.errors = errors;
}

/// What the fit of a row sees, and whether that says more than its own pixels.
void look_around(Wide& one, const WideFitInputs& in) {
  const SourceRow& row = *one.row;
  const double radius = radius_of(row), reach = gaussian_reach(row, in.options);
  one.seen = seen_by(pixels_of_label(in.pixels, row.island, in.options.negative),
                     pixels_of_label(in.around, row.island, in.options.negative), std::max(1.0, reach), radius / 2);
  const auto n = static_cast<double>(one.seen.fitted.value.size());
  // Of a source that reaches less far its own pixels say more, with weights for their noise.
  one.again = reach > kLeastShare * radius && n * n * GaussianComponent::kParameters <= kMostWork;
}

}  // namespace

bool is_wide_fit(const SourceRow& row, const Covariance& beam) {
  constexpr double kWide = 3;
  return row.fit.gaussian && !row.shared && !row.cut && (row.fit.flag & ~(kFlagPlainWeights | kFlagBound)) == 0 &&
         gaussian_area(row.fit.gaussian->component.fwhm2) > kWide * gaussian_area(beam);
}

bool has_wide_fit(std::span<const SourceRow> island, const WideFitInputs& in) {
  const SourceRow& row = island.front();
  const bool wide = row.fit.gaussian ? is_wide_fit(row, beam_at(in, row.fit.gaussian->component))
                                     : !row.shared && !row.cut && keeps_plain_sums(row, in.options, in.beam);
  return wide && entry_of(in.pixels, row.island) && entry_of(in.around, row.island);
}

void fit_with_surroundings(Backend& backend, std::span<const IslandRows> islands, const WideFitInputs& in,
                           const Job& job) {
  std::vector<Wide> wide;
  for (const IslandRows& island : islands) wide.push_back({&island.front(), false, {}, 0});
  const auto for_each = [&](const auto& body) {
    in.pool.for_each(static_cast<std::int64_t>(wide.size()),
                     [&](std::int64_t i) { body(wide[static_cast<std::size_t>(i)]); });
  };
  for_each([&](Wide& one) { look_around(one, in); });
  FitBatch batch;
  batch.weights = in.weights, batch.errors = in.errors;
  for (Wide& one : wide)
    if (one.again) {
      const GaussianComponent start = start_of(*one.row);
      one.answer = batch.problems.size();
      batch.add(one.seen.fitted, {start}, {bounds_of(start, one.seen.fitted, beam_at(in, start))}, false);
    }
  const FitResults got = batch.problems.empty() ? FitResults() : backend.fits().fit(batch, job);
  for_each([&](const Wide& one) {
    SourceFit& fit = one.row->fit;
    const bool fitted = fit.gaussian.has_value();
    if (one.again) {
      const FittedGaussian& made = got.components[one.answer];
      if (got.problems[one.answer].status != FitStatus::settled || made.at_bound || !has_place(made)) return;
      if (!fitted && !leaves_noise(made, one.seen.fitted, in)) return;
      fit.gaussian = made, fit.flag = (fit.flag | kFlagPlainWeights) & ~(kFlagBound | kFlagNotFitted);
    } else if (!fitted) {
      return;
    }
    const double beam_px = std::sqrt(gaussian_area(beam_at(in, fit.gaussian->component)));
    const Wings wings = lies_evenly(one.seen.fitted, in.background)
                            ? wings_of(one.seen.fitted, one.seen.beyond, beam_px, in.errors)
                            : Wings::unknown;
    const bool holds = holds_pixels(*fit.gaussian, one.seen, in.errors);
    if (holds && (wings == Wings::gaussian || (fitted && wings == Wings::unknown))) {
      fit.level_error = std::hypot(
          fit.level_error, mesh_level_error(one.seen.fitted, sum_error(one.seen.fitted, in.errors), in.background));
      return;
    }
    if (leaves_noise(*fit.gaussian, one.seen.fitted, in)) set_outline(*fit.gaussian, *one.row);
    fit = {{}, kFlagNotFitted};
  });
}

}  // namespace reber
