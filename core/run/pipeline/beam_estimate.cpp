// SPDX-License-Identifier: BSD-3-Clause
// Points of one image have one shape, which is the beam's.
#include "core/run/pipeline/beam_estimate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/measure/sources/deblend.hpp"
#include "core/measure/sources/fit_sources.hpp"
#include "core/measure/sources/known_pixels.hpp"
#include "core/run/pipeline/background_stage.hpp"

namespace reber {
namespace {

constexpr float kSeed = 15, kFlood = 3;
constexpr std::size_t kFewestSources = 5, kMostSources = 300;
constexpr double kWithin = 0.1;  // of the logarithm of the area

double area2(const Covariance& c) { return c.xx * c.yy - c.xy * c.xy; }

/// Of ascending values: the middle of the shortest half of the shortest half, and so on.
double half_sample_mode(const std::vector<double>& sorted) {
  std::size_t first = 0, count = sorted.size();
  while (count > 2) {
    const std::size_t half = (count + 1) / 2;
    std::size_t best = first;
    for (std::size_t k = first; k + half <= first + count; ++k)
      if (sorted[k + half - 1] - sorted[k] < sorted[best + half - 1] - sorted[best]) best = k;
    first = best, count = half;
  }
  return 0.5 * (sorted[first] + sorted[first + count - 1]);
}

double middle(std::vector<double> values) {
  std::ranges::sort(values);
  return 0.5 * (values[(values.size() - 1) / 2] + values[values.size() / 2]);
}

/// The threshold that at most so many islands exceed.
float seed_for(const std::vector<IslandSums>& islands) {
  std::vector<double> snr;
  for (const IslandSums& one : islands) snr.push_back((static_cast<double>(one.peak) - one.peak_mean) / one.peak_rms);
  if (snr.size() <= kMostSources) return kSeed;
  std::ranges::nth_element(snr, snr.begin() + kMostSources, std::greater{});
  return static_cast<float>(snr[kMostSources]);
}

Beam beam_of(const Covariance& pixels, const Matrix2& sky_per_pixel) {
  const Ellipse axes = ellipse_of(to_sky(pixels, sky_per_pixel));
  return {axes.major, axes.minor, axes.pa_deg};
}

}  // namespace

std::optional<CommonShape> common_shape(std::vector<Covariance> shapes) {
  std::erase_if(shapes, [](const Covariance& one) { return !(area2(one) > 0); });
  if (shapes.size() < kFewestSources) return std::nullopt;
  std::vector<double> area;
  for (const Covariance& one : shapes) area.push_back(0.5 * std::log(area2(one)));
  std::ranges::sort(area);
  const double mode = half_sample_mode(area);
  std::vector<double> xx, xy, yy;
  for (const Covariance& one : shapes) {
    if (std::abs(0.5 * std::log(area2(one)) - mode) > kWithin) continue;
    xx.push_back(one.xx), xy.push_back(one.xy), yy.push_back(one.yy);
  }
  if (xx.size() < kFewestSources) return std::nullopt;
  const Covariance shape{middle(xx), middle(xy), middle(yy)};
  if (!(area2(shape) > 0)) return std::nullopt;
  return CommonShape{shape, xx.size()};
}

std::optional<Covariance> shape_of_noise(const NoiseCorrelation& noise) {
  constexpr double kLeast = 0.4;
  // Least squares for the inverse shape: -ln R / (4 ln 2) = a dx^2 + 2 b dx dy + c dy^2, weights R^2.
  double m[3][4] = {};
  std::int64_t used = 0;
  for (std::int64_t dy = 0; dy <= noise.reach(); ++dy)
    for (std::int64_t dx = dy == 0 ? 1 : -noise.reach(); dx <= noise.reach(); ++dx) {
      const double r = noise.at(dy, dx);
      if (!(r > kLeast && r < 1)) continue;
      const auto x = static_cast<double>(dx), y = static_cast<double>(dy);
      const double row[4] = {x * x, 2 * x * y, y * y, -std::log(r) / (4 * std::numbers::ln2)};
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 4; ++j) m[i][j] += r * r * row[i] * row[j];
      ++used;
    }
  constexpr std::int64_t kFewestOffsets = 4;
  if (used < kFewestOffsets) return std::nullopt;
  for (int k = 0; k < 3; ++k) {
    if (!(std::abs(m[k][k]) > 0)) return std::nullopt;
    for (int i = 0; i < 3; ++i) {
      if (i == k) continue;
      const double part = m[i][k] / m[k][k];
      for (int j = 0; j < 4; ++j) m[i][j] -= part * m[k][j];
    }
  }
  const Covariance inverse{m[0][3] / m[0][0], m[1][3] / m[1][1], m[2][3] / m[2][2]};
  const double determinant = area2(inverse);
  if (!(determinant > 0 && inverse.xx > 0)) return std::nullopt;
  return Covariance{inverse.yy / determinant, -inverse.xy / determinant, inverse.xx / determinant};
}

std::optional<BeamEstimate> estimate_beam(Backend& backend, const Plane& plane, const ImageHeader& header,
                                          const Job& job) {
  const auto centre = header.centre_geometry();
  if (!centre) return std::nullopt;
  const BackgroundModel background = measure_background(backend, plane, {}, std::nullopt, job).model;
  DetectOptions options{kSeed, kFlood, 1, Connectivity::eight, false};
  auto islands = backend.label(plane, background, options, job);
  if (const float seed = seed_for(backend.measure(plane, background, *islands, job)); seed > kSeed) {
    options.seed = seed;
    islands = backend.label(plane, background, options, job);
  }
  const IslandPixels pixels = backend.island_pixels(plane, background, *islands, 1, job);
  const std::vector<SourceRow> sources =
      deblend(backend.measure(plane, background, *islands, job), pixels, options, {}, {}, job.progress());
  SourceFitter fitter({.method = FitRequest::Method::gaussian}, header, {});
  std::vector<Covariance> shapes;
  const auto rows = fitter.fit(backend, sources, pixels, options, known_pixels(backend, plane, job), job);
  for (const SourceRow& row : rows)
    if (const auto& one = row.fit.gaussian; one && !one->at_bound && row.fit.flag == 0)
      shapes.push_back(one->component.fwhm2);
  if (const auto common = common_shape(std::move(shapes)))
    return BeamEstimate{beam_of(common->fwhm2, *centre),
                        fmt::format("the shape of {} of {} bright sources", common->members, rows.size())};
  fitter.measure_noise(backend, plane, background, *islands, job);
  if (const auto shape = shape_of_noise(fitter.errors_noise()))
    return BeamEstimate{beam_of(*shape, *centre), "the correlation of the noise"};
  return std::nullopt;
}

}  // namespace reber
