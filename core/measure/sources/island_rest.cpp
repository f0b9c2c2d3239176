// SPDX-License-Identifier: BSD-3-Clause
// Sums over the pixels of an island less the models of its rows.
#include "core/measure/sources/island_rest.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <vector>

#include "core/base/significance.hpp"
#include "core/measure/sources/fit_rest.hpp"
#include "core/seam/compute/island_moments.hpp"

namespace reber {
namespace {

/// Sums over an island's pixels of the values that its rows leave, times `scale`; the brightest of them is the peak.
SourceRow sums_of_rest(const SourceRow& island, const FitPixels& pixels, std::vector<double> values, double scale) {
  SourceRow rest = island;
  rest.fit = {{}, kFlagNotFitted | kFlagRest};
  IslandSums& sums = rest.sums;
  const std::size_t top = static_cast<std::size_t>(std::ranges::max_element(values) - values.begin());
  const double sign = island.sums.peak < island.sums.peak_mean ? -1 : 1;
  sums.npix = static_cast<std::int64_t>(values.size());
  sums.first_y = sums.y0 = pixels.y.front(), sums.y1 = pixels.y.back() + 1;
  const auto [left, right] = std::ranges::minmax(pixels.x);
  sums.x0 = left, sums.x1 = right + 1, sums.first_x = pixels.x.front();
  sums.peak_y = pixels.y[top], sums.peak_x = pixels.x[top];
  sums.peak_rms = static_cast<float>(pixels.rms[top]);
  sums.peak = static_cast<float>(sums.peak_mean + sign * values[top]);
  double plain = 0;
  for (double& value : values) {
    plain += value;
    value = std::max(value, 0.0);  // what lies below the models would only pull the moments about
  }
  sum_moments(pixels, values, sums);
  multiply_sums(sums, scale * plain / sums.s);
  rest.shared = true;
  return rest;
}

}  // namespace

void sum_moments(const FitPixels& pixels, std::span<const double> values, IslandSums& sums) {
  sums.s = sums.sx = sums.sy = sums.sxx = sums.sxy = sums.syy = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double value = values[i], dx = pixels.x[i] - sums.first_x, dy = pixels.y[i] - sums.first_y;
    sums.s += value, sums.sx += value * dx, sums.sy += value * dy;
    sums.sxx += value * dx * dx, sums.sxy += value * dx * dy, sums.syy += value * dy * dy;
  }
}

void multiply_sums(IslandSums& sums, double factor) {
  for (double* sum : {&sums.s, &sums.sx, &sums.sy, &sums.sxx, &sums.sxy, &sums.syy}) *sum *= factor;
}

Covariance shape_of_moments(const IslandSums& sums) {
  const Covariance moments = moments_of(sums, sums.sx / sums.s, sums.sy / sums.s);
  return {kFwhm2PerVariance * moments.xx, kFwhm2PerVariance * moments.xy, kFwhm2PerVariance * moments.yy};
}

std::optional<SourceRow> rest_of(std::span<const SourceRow> rows, const FitPixels& pixels, double area,
                                 double least_sigma, const FitPixels& around) {
  constexpr double kSeen = 0.25;  // rms
  std::vector<FittedGaussian> gaussians;
  double by_moments = 0;
  for (const SourceRow& row : rows) {
    if (row.fit.gaussian)
      gaussians.push_back(*row.fit.gaussian);
    else
      by_moments += row.sums.s;
  }
  double all = 0, left = 0, rms = 0;
  std::vector<double> values(pixels.value.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = pixels.value[i] - value_of(gaussians, pixels.x[i], pixels.y[i]);
    all += pixels.value[i], left += values[i], rms = std::max(rms, pixels.rms[i]);
  }
  double rest = left - by_moments;
  auto seen = static_cast<std::int64_t>(values.size());
  // Wings of Gaussians that the pixels do not have: a flat source's fit is too low inside by what it has too much
  // there.
  for (std::size_t i = 0; i < around.value.size(); ++i) {
    const double model = value_of(gaussians, around.x[i], around.y[i]);
    if (model > kSeen * around.rms[i]) all += around.value[i], rest += around.value[i] - model, ++seen;
  }
  const double error = error_of_sum(seen, rms, area);
  if (!(left > 0 && rest > kNotable * all && rest > least_sigma * error)) return std::nullopt;
  return sums_of_rest(rows[0], pixels, values, rest / left);
}

double error_of_sum(std::int64_t pixels, double rms, double area) {
  const auto n = static_cast<double>(pixels);
  return rms * n / std::sqrt(1 + n / (2 * area));
}

bool wider_than_point(const IslandSums& sums, double ratio, const Covariance& beam) {
  const double point =
      std::numbers::pi / 4 * std::sqrt(beam.xx * beam.yy - beam.xy * beam.xy) * std::max(1.0, std::log2(ratio));
  return static_cast<double>(sums.npix) > 2 * point;
}

void set_rests(std::vector<Source>& sources) {
  if (sources.empty()) return;
  const auto [least, most] = std::ranges::minmax_element(sources, {}, &Source::island);
  // Labels count islands: of a table hardly larger than the rows.
  std::vector<double> held(static_cast<std::size_t>(most->island - least->island + 1));
  const auto of = [&, first = least->island](const Source& one) -> double& {
    return held[static_cast<std::size_t>(one.island - first)];
  };
  for (const Source& source : sources) of(source) += source.total;
  for (Source& source : sources) source.isl_rest = source.isl_total - of(source);
}

std::optional<SourceRow> without_core(const SourceRow& source, const GaussianComponent& core, double seed) {
  const Covariance& c = core.fwhm2;
  const double flux = gaussian_flux(core);
  SourceRow rest = source;
  IslandSums& sums = rest.sums;
  if (sums.s < 0 || sums.s - flux < kLeastShare * sums.s) return std::nullopt;
  const double dx = core.x - sums.first_x, dy = core.y - sums.first_y;
  sums.s -= flux;
  sums.sx -= flux * dx, sums.sy -= flux * dy;
  sums.sxx -= flux * (dx * dx + c.xx / kFwhm2PerVariance), sums.syy -= flux * (dy * dy + c.yy / kFwhm2PerVariance);
  sums.sxy -= flux * (dx * dy + c.xy / kFwhm2PerVariance);
  const double sign = sums.peak < sums.peak_mean ? -1 : 1;
  const double level = sign * (static_cast<double>(sums.peak) - sums.peak_mean) - core.peak;
  if (!(level > seed * sums.peak_rms)) return std::nullopt;
  sums.peak = static_cast<float>(sums.peak_mean + sign * level);
  rest.shared = true;
  return rest;
}

void share_island_totals(std::vector<Source>& sources) {
  std::map<std::int64_t, const Source*> brightest;
  for (const Source& one : sources) {
    const Source*& its = brightest[one.island];
    if (its == nullptr || std::abs(one.peak_pixel) > std::abs(its->peak_pixel)) its = &one;
  }
  for (Source& one : sources) {
    const Source& from = *brightest[one.island];
    one.isl_total = from.isl_total, one.e_isl_total = from.e_isl_total;
  }
}

}  // namespace reber
