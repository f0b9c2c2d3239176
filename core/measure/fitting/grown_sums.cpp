// SPDX-License-Identifier: BSD-3-Clause
// Which rows are grown, what is added to them, and the error of that.
#include "core/measure/fitting/grown_sums.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <span>
#include <utility>

#include "core/base/significance.hpp"
#include "core/measure/fitting/held_sum.hpp"
#include "core/measure/fitting/level_errors.hpp"
#include "core/measure/fitting/pair_sums.hpp"
#include "core/measure/fitting/shared_heights.hpp"
#include "core/measure/fitting/wide_fits.hpp"
#include "core/measure/fitting/wing_flux.hpp"
#include "core/measure/sources/fit_parts.hpp"
#include "core/measure/sources/fit_rest.hpp"
#include "core/measure/sources/island_rest.hpp"

namespace reber {
namespace {

double above_flood(const SourceRow& row, const DetectOptions& options) {
  return std::abs(static_cast<double>(row.sums.peak) - row.sums.peak_mean) / (options.flood * row.sums.peak_rms);
}

/// Of the radius of an island: a Gaussian of `ratio` times the flood level that fills it has a fiftieth of its flux
/// beyond.
double growth(double ratio) {
  if (!(ratio > 1)) return 2;  // found on a smoothed image
  return std::clamp(std::sqrt(std::log(1 / kSlight) / std::log(ratio)) - 1, kLeastShare, 2.0);
}

double sum_of(const FitPixels& pixels) { return std::accumulate(pixels.value.begin(), pixels.value.end(), 0.0); }

void append(const FitPixels& from, FitPixels& to) {
  for (std::size_t i = 0; i < from.value.size(); ++i) append_pixel(from, i, to);
}

/// The pixels around an island to a distance, and on while a ring of pixels holds more than noise would; and the rest.
struct Grown {
  FitPixels grown, beyond;
};
Grown grown_to(const FitPixels& island, const FitPixels& around, double reach, double step,
               const NoiseCorrelation& noise) {
  const std::vector<double> distance = distances_from(island, around);
  const auto between = [&](double low, double high) {
    FitPixels some;
    for (std::size_t i = 0; i < distance.size(); ++i)
      if (distance[i] > low && distance[i] <= high) append_pixel(around, i, some);
    return some;
  };
  FitPixels grown = between(0, reach);
  for (double low = reach;; low += step) {
    const FitPixels more = between(low, low + step);
    if (more.value.empty() || !(sum_of(more) > kDoubted * sum_error(more, noise)))
      return {std::move(grown), between(low, std::numeric_limits<double>::infinity())};
    append(more, grown);
  }
}

/// With the error of the background's level under the pixels.   error: of the noise
double with_level(const FitPixels& pixels, double error, const BackgroundModel& background) {
  return std::hypot(error, static_cast<double>(pixels.value.size()) * mesh_level_error(pixels, error, background));
}

/// Rows keep their places and shapes.   left: all pixels less the Gaussians;
///   others: sum of the rows that neither are plain nor have Gaussians
void grow_several(std::span<SourceRow> rows, const std::vector<bool>& plain, const FitPixels& left, double others,
                  const NoiseCorrelation& noise, const BackgroundModel& background) {
  double before = 0;
  for (std::size_t k = 0; k < rows.size(); ++k) before += plain[k] ? rows[k].sums.s : 0;
  const double factor = (sum_of(left) - others) / before, error = with_level(left, sum_error(left, noise), background);
  if (!(factor > kLeastShare)) return;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    if (!plain[k]) continue;
    IslandSums& sums = rows[k].sums;
    const double part = sums.s / before;
    multiply_sums(sums, factor);
    rows[k].errors = SumErrors{error * std::sqrt(part), {}, {}, false};
  }
}

/// A row that is its island: what surrounds it is its own, and what its profile has beyond, if all of that
/// has a size.
void grow_alone(SourceRow& row, const FitPixels& all, const FitPixels& beyond, const HeldAgainst& in,
                const BackgroundModel& background) {
  SourceRow grown = row;
  const bool outlined = row.errors && row.errors->moments;  // by a fit
  if (grown.whole_npix == 0) grown.whole_npix = row.sums.npix, grown.whole_s = row.sums.s;
  IslandSums& sums = grown.sums;
  if (outlined)
    multiply_sums(sums, sum_of(all) / sums.s);
  else
    sum_moments(all, all.value, sums);
  const double dx = sums.sx / sums.s, dy = sums.sy / sums.s;
  const double xx = sums.sxx / sums.s - dx * dx, yy = sums.syy / sums.s - dy * dy, xy = sums.sxy / sums.s - dx * dy;
  if (!(sums.s > 0 && xx > 0 && xx * yy > xy * xy)) {
    // The pixels around say what it holds, but not its shape.
    grow_several({&row, 1}, {true}, all, 0, in.noise, background);
    return;
  }
  if (outlined)
    grown.errors->s = sum_error(all, in.noise);
  else
    grown.errors = sum_errors(all, sums, in.noise);
  const WingFlux wings =
      !lies_evenly(all, background) ? WingFlux() : wing_flux(all, beyond, std::sqrt(gaussian_area(in.beam)), in.noise);
  multiply_sums(sums, 1 + wings.sum / sums.s);
  grown.errors->s = std::hypot(with_level(all, grown.errors->s, background), wings.error);
  // A Gaussian describes the pixels as well: which of the two the source is nothing tells.
  if (grown.errors->flux > 0) grown.errors->s = std::hypot(grown.errors->s, sums.s - grown.errors->flux);
  row = grown;
}

/// The rows of one island.   all: its pixels;   ring: those around it
void grow_rows(IslandRows rows, FitPixels all, FitPixels ring, const HeldAgainst& in,
               const BackgroundModel& background) {
  if (ring.value.empty()) return;
  std::vector<FittedGaussian> fitted;
  std::vector<bool> plain;
  double reach = 0, step = 1, others = 0;
  for (const SourceRow& row : rows) {
    plain.push_back(keeps_plain_sums(row, in.options, in.beam));
    if (row.fit.gaussian) {
      fitted.push_back(*row.fit.gaussian);
    } else if (plain.back()) {
      reach = std::max(reach, gaussian_reach(row, in.options)), step = std::max(step, kRing * radius_of(row));
    } else {
      others += row.sums.s;
    }
  }
  if (std::ranges::find(plain, true) == plain.end()) return;
  // What Gaussians have on the pixels of a row of sums would count twice.
  for (FitPixels* pixels : {&all, &ring})
    for (std::size_t i = 0; i < pixels->value.size(); ++i)
      pixels->value[i] -= value_of(fitted, pixels->x[i], pixels->y[i]);
  auto [grown, beyond] = grown_to(all, ring, reach, step, in.noise);
  append(grown, all);
  if (rows.size() == 1) return grow_alone(rows.front(), all, beyond, in, background);
  grow_several(rows, plain, all, others, in.noise, background);
}

}  // namespace

bool keeps_plain_sums(const SourceRow& row, const DetectOptions& options, const Covariance& beam) {
  if (row.fit.gaussian || !(row.sums.s > 0)) return false;
  return (row.fit.flag & kFlagRest) != 0 ||
         ((row.fit.flag & kFlagNotFitted) != 0 && wider_than_point(row.sums, above_flood(row, options), beam));
}

double radius_of(const SourceRow& row) { return std::sqrt(static_cast<double>(row.sums.npix) / std::numbers::pi); }

double gaussian_reach(const SourceRow& row, const DetectOptions& options) {
  return growth(above_flood(row, options)) * radius_of(row);
}

std::vector<Surrounding> islands_to_grow(std::span<const IslandRows> islands, const IslandPixels& pixels,
                                         const DetectOptions& options, const Covariance& beam) {
  constexpr double kMore = 1.5;  // of the radius, for sources with wider wings than a Gaussian
  std::vector<Surrounding> wanted;
  for (const IslandRows& rows : islands) {
    const auto at = entry_of(pixels, rows.front().island);
    if (!at) continue;
    const bool held = are_wide_fits(rows, beam);
    double reach = held ? held_reach(std::sqrt(gaussian_area(beam))) : 0;
    for (const SourceRow& row : rows)
      if ((held && rows.size() > 1) || keeps_plain_sums(row, options, beam) || is_wide_fit(row, beam))
        reach = std::max(reach, gaussian_reach(row, options) + kMore * radius_of(row));
    if (reach >= 1) wanted.push_back({*at, reach});
  }
  return wanted;
}

void grow_plain_rows(std::span<const IslandRows> islands, const HeldAgainst& in, const BackgroundModel& background) {
  in.pool.for_each(static_cast<std::int64_t>(islands.size()), [&](std::int64_t i) {
    const IslandRows rows = islands[static_cast<std::size_t>(i)];
    const std::int64_t label = rows.front().island;
    grow_rows(rows, pixels_of_label(in.pixels, label, in.options.negative),
              pixels_of_label(in.around, label, in.options.negative), in, background);
  });
}

}  // namespace reber
