// SPDX-License-Identifier: BSD-3-Clause
// Rows of Gaussians alone share what they lack of the pixels; beside other rows they are multiplied by one number.
#include "core/measure/fitting/shared_heights.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>

#include "core/base/significance.hpp"
#include "core/measure/fitting/grown_sums.hpp"
#include "core/measure/fitting/held_sum.hpp"
#include "core/measure/fitting/pair_sums.hpp"
#include "core/measure/fitting/wide_fits.hpp"
#include "core/measure/sources/fit_parts.hpp"
#include "core/measure/sources/fit_rest.hpp"
#include "core/measure/sources/island_rest.hpp"
#include "core/measure/sources/shape_errors.hpp"

namespace reber {
namespace {

void multiply_height(FittedGaussian& one, double factor) {
  one.component.peak *= factor;
  for (std::size_t k = 0; k < GaussianComponent::kParameters; ++k)
    one.covariance[0][k] *= factor, one.covariance[k][0] *= factor;
}

/// Whether a Gaussian is wider than the beam, by errors of its area and by so much that points in a crowd are not.
bool is_surely_wide(const FittedGaussian& one, const Covariance& beam) {
  const double larger = gaussian_area(one.component.fwhm2) / gaussian_area(beam);
  return larger > 1 + kNotable && std::log(larger) > kClear * log_area_error(one.component.fwhm2, shape_errors_of(one));
}

/// Four rows or more of which most were found in what others left: emission in pieces.
bool are_pieces(std::span<const SourceRow> island) {
  const auto pieces = std::ranges::count_if(
      island, [](const SourceRow& row) { return row.fit.gaussian && (row.fit.flag & (kFlagExtra | kFlagPart)) != 0; });
  return std::ssize(island) >= kManyRows && 2 * pieces > std::ssize(island);
}

/// Totals of the rows of an island.
struct Held {
  double gaussians = 0, moments = 0, plain = 0;
  [[nodiscard]] double all() const { return gaussians + moments + plain; }
};
Held held_by(std::span<const SourceRow> island, const HeldAgainst& in) {
  Held held;
  for (const SourceRow& row : island) {
    const IslandSums& sums = row.sums;
    if (row.fit.gaussian) {
      held.gaussians += gaussian_flux(row.fit.gaussian->component);
    } else if (keeps_plain_sums(row, in.options, in.beam)) {
      held.plain += sums.s;
    } else {
      // What lies below the flood level is added to these.
      const double peak = std::abs(static_cast<double>(sums.peak) - sums.peak_mean);
      held.moments += sums.s / (1 - std::min(in.options.flood * sums.peak_rms / peak, 0.5));
    }
  }
  return held;
}

/// Pixels of an island and of its surroundings, and their sum, if that is enough for its Gaussians to be held to.
struct Measured {
  FitPixels pixels;
  double sum = 0;
};

/// Nothing where the rows hold what the pixels hold.   total: of the rows
std::optional<Measured> held_otherwise(std::span<const SourceRow> rows, double total, const FitPixels& island,
                                       const FitPixels& ring, const HeldAgainst& in) {
  double reach = 1;  // a pixel
  for (const SourceRow& row : rows) reach = std::max(reach, gaussian_reach(row, in.options));
  Measured got{island, 0};
  const std::vector<double> distance = distances_from(island, ring);
  for (std::size_t i = 0; i < distance.size(); ++i)
    if (distance[i] <= reach) append_pixel(ring, i, got.pixels);
  for (const double value : got.pixels.value) got.sum += value;
  const double off = total - got.sum, most = (off > 0 ? kSlight : kNotable) * got.sum;
  if (!(got.sum > 0) || !(std::abs(off) > most) || !(std::abs(off) > kClear * sum_error(got.pixels, in.noise)))
    return std::nullopt;
  return got;
}

/// Errors of the heights so that those of the totals are together no less than the error of the sum that they hold.
void widen_errors(IslandRows island, double error) {
  double flux = 0, square = 0;
  for (const SourceRow& row : island) {
    if (!row.fit.gaussian) continue;
    const double one = gaussian_flux(row.fit.gaussian->component);
    flux += one;
    square += std::pow(one * relative_total_error(row.fit.gaussian->component, row.fit.gaussian->covariance), 2);
  }
  const double more = error * error - square;
  if (!(more > 0 && flux > 0)) return;
  for (SourceRow& row : island)
    if (auto& one = row.fit.gaussian)
      one->covariance[0][0] += std::pow(one->component.peak, 2) * more / (flux * gaussian_flux(one->component));
}

/// Gaussians beside rows of sums or moments that together hold clearly more or less than the pixels: all are multiplied
/// by one number.   island: its pixels;   ring: those around it
void mend_rows(IslandRows rows, const FitPixels& island, const FitPixels& ring, const HeldAgainst& in) {
  const Held held = held_by(rows, in);
  const std::optional<Measured> got = held_otherwise(rows, held.all(), island, ring, in);
  if (!got) return;
  // Plain rows take what the others leave, where that is enough for them.
  if (held.plain > 0 && got->sum - held.gaussians - held.moments > kLeastShare * held.plain) return;
  const double rest = got->sum - held.moments - held.plain;
  if (!(rest > kLeastShare * held.gaussians)) return;
  for (SourceRow& row : rows)
    if (row.fit.gaussian) multiply_height(*row.fit.gaussian, rest / held.gaussians);
  widen_errors(rows, sum_error(got->pixels, in.noise) * std::sqrt(rest / got->sum));
}

/// By how much a Gaussian's total changes with each of its parameters.
std::array<double, GaussianComponent::kParameters> total_by(const GaussianComponent& one) {
  const Covariance& c = one.fwhm2;
  const double flux = one.peak * gaussian_area(c), square = c.xx * c.yy - c.xy * c.xy;
  return {flux / one.peak, 0, 0, 0.5 * flux * c.yy / square, -flux * c.xy / square, 0.5 * flux * c.xx / square};
}

/// How a Gaussian's parameters go with its total: their covariance with it. The variance of the total is its own.
struct GoesWithTotal {
  std::array<double, GaussianComponent::kParameters> change{};
  double variance = 0;
};
GoesWithTotal goes_with_total(const FittedGaussian& one) {
  const auto by = total_by(one.component);
  GoesWithTotal got;
  for (std::size_t a = 0; a < by.size(); ++a) {
    for (std::size_t b = 0; b < by.size(); ++b) got.change[a] += one.covariance[a][b] * by[b];
    got.variance += by[a] * got.change[a];
  }
  return got;
}

/// A Gaussian whose total is larger by this, its parameters with it, if that is one and far from none of them.
std::optional<GaussianComponent> moved(const GaussianComponent& from, const GoesWithTotal& with, double by) {
  const double part = by / with.variance;
  GaussianComponent to = from;
  to.peak += part * with.change[0];
  to.x += part * with.change[1], to.y += part * with.change[2];
  to.fwhm2.xx += part * with.change[3], to.fwhm2.xy += part * with.change[4], to.fwhm2.yy += part * with.change[5];
  const Ellipse before = ellipse_of(from.fwhm2), after = ellipse_of(to.fwhm2);
  const auto near = [&](double one, double other) { return one < 2 * other && other < 2 * one; };
  if (!(to.fwhm2.xx * to.fwhm2.yy > to.fwhm2.xy * to.fwhm2.xy) || !near(after.major, before.major) ||
      !near(after.minor, before.minor) || !near(to.peak, from.peak))
    return std::nullopt;
  return to;
}

/// A Gaussian alone whose pixels say otherwise by more than noise: each of the two may be right.
void doubt_change(const GaussianComponent& before, FittedGaussian& after) {
  const GaussianComponent& to = after.component;
  const std::array<double, GaussianComponent::kParameters> change{to.peak - before.peak,
                                                                  to.x - before.x,
                                                                  to.y - before.y,
                                                                  to.fwhm2.xx - before.fwhm2.xx,
                                                                  to.fwhm2.xy - before.fwhm2.xy,
                                                                  to.fwhm2.yy - before.fwhm2.yy};
  for (std::size_t a = 0; a < change.size(); ++a)
    for (std::size_t b = 0; b < change.size(); ++b) after.covariance[a][b] += change[a] * change[b];
}

/// Rows that are Gaussians: what they lack of the pixels' sum is shared among them as the squares of their errors,
/// which are least where a row is sure.   island, ring: as above
void settle_rows(IslandRows rows, const FitPixels& island, const FitPixels& ring, const HeldAgainst& in) {
  std::vector<FittedGaussian> fitted;
  std::vector<GoesWithTotal> with;
  double flux = 0, variance = 0;
  for (const SourceRow& row : rows) {
    fitted.push_back(*row.fit.gaussian);
    with.push_back(goes_with_total(fitted.back()));
    flux += gaussian_flux(fitted.back().component), variance += with.back().variance;
  }
  const auto held =
      held_sum(fitted, island, ring, std::sqrt(gaussian_area(in.beam)), in.noise, rows.size() == 1 ? kDoubted : 0);
  if (!held) return;
  double after = 0;
  for (std::size_t k = 0; k < fitted.size(); ++k) {
    const auto to = moved(fitted[k].component, with[k], (held->sum - flux) * with[k].variance / variance);
    if (to) fitted[k].component = *to;
    after += gaussian_flux(fitted[k].component);
  }
  const double factor = held->sum / after;
  if (!(factor >= kLeastShare && factor <= 2)) return;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    FittedGaussian& one = *rows[k].fit.gaussian;
    const GaussianComponent before = one.component;
    one.component = fitted[k].component;
    multiply_height(one, factor);
    if (rows.size() == 1) doubt_change(before, one);
  }
  widen_errors(rows, held->error);
}

}  // namespace

bool are_wide_fits(std::span<const SourceRow> island, const Covariance& beam) {
  // By itself a smaller one is its fit's: in a crowd more of what lies around it is of others.
  if (island.size() == 1) return is_wide_fit(island[0], beam) && is_surely_wide(*island[0].fit.gaussian, beam);
  bool wide = are_pieces(island), any = false;
  for (const SourceRow& row : island) {
    if (row.cut || (row.fit.flag & kFlagRest) != 0) return false;
    any = any || row.fit.gaussian;
    if (row.fit.gaussian) {
      wide = wide || gaussian_area(row.fit.gaussian->component.fwhm2) > kCompactAreas * gaussian_area(beam) ||
             is_surely_wide(*row.fit.gaussian, beam);
    } else {
      wide = wide || gaussian_area(shape_of_moments(row.sums)) > kCompactAreas * gaussian_area(beam);
    }
  }
  return wide && any;
}

void share_heights(std::span<const IslandRows> islands, const HeldAgainst& in) {
  in.pool.for_each(static_cast<std::int64_t>(islands.size()), [&](std::int64_t i) {
    const IslandRows rows = islands[static_cast<std::size_t>(i)];
    const std::int64_t label = rows.front().island;
    const FitPixels island = pixels_of_label(in.pixels, label, in.options.negative);
    const FitPixels ring = pixels_of_label(in.around, label, in.options.negative);
    const bool fitted = std::ranges::all_of(rows, [](const SourceRow& row) { return row.fit.gaussian.has_value(); });
    fitted ? settle_rows(rows, island, ring, in) : mend_rows(rows, island, ring, in);
  });
}

}  // namespace reber
