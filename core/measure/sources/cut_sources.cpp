// SPDX-License-Identifier: BSD-3-Clause
// With the beam's shape given, the logarithm of a Gaussian is a plane plus what is known: its slope is the centre.
#include "core/measure/sources/cut_sources.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <utility>

#include "core/base/gaussian.hpp"
#include "core/base/significance.hpp"
#include "core/measure/sources/fit_rest.hpp"

namespace reber {
namespace {

/// FWHMs around the brightest pixel, of missing pixels that cut the core.
constexpr double kCoreRadius = 0.6;
/// FWHMs between starts or fits of one source; twice as far from its centre a peak may be, beside missing pixels.
constexpr double kSame = 0.4;

bool core_cut(const Covariance& beam, const KnownPixels& known, std::int64_t y, std::int64_t x) {
  const auto reach_y = static_cast<std::int64_t>(kCoreRadius * std::sqrt(beam.yy));
  const auto reach_x = static_cast<std::int64_t>(kCoreRadius * std::sqrt(beam.xx));
  for (std::int64_t dy = -reach_y; dy <= reach_y; ++dy)
    for (std::int64_t dx = -reach_x; dx <= reach_x; ++dx)
      if (fwhms2(beam, static_cast<double>(dx), static_cast<double>(dy)) <= kCoreRadius * kCoreRadius &&
          !known.at(y + dy, x + dx))
        return true;
  return false;
}

/// Solves a symmetric system of three by Cramer's rule.   returns false where it has no one solution
bool solve(const std::array<double, 6>& a, const std::array<double, 3>& b, std::array<double, 3>& out) {
  const auto [a00, a01, a02, a11, a12, a22] = a;
  const double c0 = a11 * a22 - a12 * a12, c1 = a02 * a12 - a01 * a22, c2 = a01 * a12 - a02 * a11;
  const double det = a00 * c0 + a01 * c1 + a02 * c2;
  if (!(std::abs(det) > 1e-12 * std::abs(a00 * a11 * a22))) return false;
  out[0] = (b[0] * c0 + b[1] * c1 + b[2] * c2) / det;
  out[1] = (b[0] * c1 + b[1] * (a00 * a22 - a02 * a02) + b[2] * (a01 * a02 - a00 * a12)) / det;
  out[2] = (b[0] * c2 + b[1] * (a01 * a02 - a00 * a12) + b[2] * (a00 * a11 - a01 * a01)) / det;
  return true;
}

/// Whether a peak is no source without what a Gaussian has there.
bool is_wing_of(const FittedGaussian& fit, const IslandSums& part, double seed) {
  std::array<double, GaussianComponent::kParameters> unused{};
  const double peak = std::abs(static_cast<double>(part.peak) - part.peak_mean);
  const double its = fit.component.evaluate(static_cast<double>(part.peak_x), static_cast<double>(part.peak_y), unused);
  return its > kLeastShare * peak && peak - its < seed * part.peak_rms;
}

}  // namespace

void mark_cut(std::span<SourceRow> rows, const LabelRuns& islands, const KnownPixels& known) {
  const Shape shape = known.shape();
  std::vector<CutPixel> cut = known.whole() ? std::vector<CutPixel>() : cut_pixels(islands, known);
  std::ranges::stable_sort(cut, {}, &CutPixel::label);
  const auto label = [](const CutPixel& one) { return static_cast<std::int64_t>(one.label); };
  for (SourceRow& source : rows) {
    const IslandSums& of = source.sums;
    const auto first = std::ranges::lower_bound(cut, source.island, {}, label);
    const auto end = std::ranges::upper_bound(cut, source.island, {}, label);
    source.cut = of.x0 == 0 || of.y0 == 0 || of.x1 == shape.nx || of.y1 == shape.ny ||
                 std::any_of(first, end, [&](const CutPixel& one) {
                   return one.x >= of.x0 && one.x < of.x1 && one.y >= of.y0 && one.y < of.y1;
                 });
  }
}

void start_of_cut(const FitPixels& pixels, const Covariance& beam, const KnownPixels& known, Candidate& one) {
  // The brightest pixel near the start: a centroid leans away from the cut.
  std::size_t top = 0;
  double most = -1;
  for (std::size_t i = 0; i < pixels.value.size(); ++i)
    if (std::hypot(pixels.x[i] - one.start.x, pixels.y[i] - one.start.y) <= std::max(1.5, one.bounds.reach) &&
        pixels.value[i] > most)
      most = pixels.value[i], top = i;
  const double x0 = pixels.x[top], y0 = pixels.y[top];
  if (!(most > 0) || !core_cut(beam, known, pixels.y[top], pixels.x[top])) return;
  std::array<double, 6> a{};
  std::array<double, 3> b{}, plane{};
  for (std::size_t i = 0; i < pixels.value.size(); ++i) {
    const double dx = pixels.x[i] - x0, dy = pixels.y[i] - y0, far2 = fwhms2(beam, dx, dy), value = pixels.value[i];
    if (!(value > 0) || far2 > 1) continue;
    const double weight = value * value, level = std::log(value) + kLn16 * far2;
    a[0] += weight, a[1] += weight * dx, a[2] += weight * dy;
    a[3] += weight * dx * dx, a[4] += weight * dx * dy, a[5] += weight * dy * dy;
    b[0] += weight * level, b[1] += weight * level * dx, b[2] += weight * level * dy;
  }
  one.bounds.shape_free = false;
  one.start = {most, x0, y0, beam};
  const double reach = ellipse_of(beam).major;
  if (solve(a, b, plane)) {
    // The slope is 8 ln 2 C^-1 of the centre's offset.
    double dx = (beam.xx * plane[1] + beam.xy * plane[2]) / (2 * kLn16);
    double dy = (beam.xy * plane[1] + beam.yy * plane[2]) / (2 * kLn16);
    const double far = std::hypot(dx, dy), shrink = far > reach ? reach / far : 1;
    dx *= shrink, dy *= shrink;
    one.start.x += dx, one.start.y += dy;
    one.start.peak = most * std::exp(kLn16 * std::min(fwhms2(beam, dx, dy), 1.0));
  }
  one.bounds.reach = reach;
}

void merge_cut(const Covariance& beam, std::vector<Candidate>& candidates) {
  for (std::size_t k = 0; k < candidates.size(); ++k)
    for (std::size_t j = k + 1; j < candidates.size();) {
      const Candidate &a = candidates[k], &b = candidates[j];
      const bool one = a.cut && b.cut && !a.bounds.shape_free && !b.bounds.shape_free &&
                       fwhms2(beam, a.start.x - b.start.x, a.start.y - b.start.y) <= kSame * kSame;
      if (!one) {
        ++j;
        continue;
      }
      if (b.start.peak > a.start.peak) candidates[k] = b;
      candidates.erase(candidates.begin() + static_cast<std::ptrdiff_t>(j));
    }
}

void leave_out_repeated(const Covariance& beam, double seed, std::vector<SourceRow>& rows) {
  std::vector<std::size_t> cut;
  for (std::size_t k = 0; k < rows.size(); ++k)
    if (rows[k].cut) cut.push_back(k);
  std::vector<char> drop(rows.size());
  const auto shared_by = [&](std::size_t k, std::size_t by) {
    const GaussianComponent& at = rows[by].fit.gaussian->component;
    // A part that no fit describes is known by its peak, which lies beside the centre.
    if (!rows[k].fit.gaussian)
      return fwhms2(beam, rows[k].sums.peak_x - at.x, rows[k].sums.peak_y - at.y) <= 4 * kSame * kSame;
    const GaussianComponent& its = rows[k].fit.gaussian->component;
    return fwhms2(beam, its.x - at.x, its.y - at.y) <= kSame * kSame &&
           (rows[by].sums.s > rows[k].sums.s || (rows[by].sums.s == rows[k].sums.s && by < k));
  };
  for (const std::size_t by : cut) {
    if (!rows[by].fit.gaussian || (rows[by].fit.flag & kFlagBeamShape) == 0) continue;
    for (const std::size_t k : cut)
      if (k != by && (rows[k].fit.flag & kFlagExtra) == 0 && shared_by(k, by)) drop[k] = 1;
  }
  for (const std::size_t k : cut) {
    if (rows[k].fit.gaussian && (rows[k].fit.flag & kFlagBeamShape) == 0) continue;
    for (const std::size_t by : cut)
      if (rows[by].fit.gaussian && (rows[by].fit.flag & kFlagBeamShape) == 0 && rows[by].island != rows[k].island &&
          is_wing_of(*rows[by].fit.gaussian, rows[k].sums, seed))
        drop[k] = 1;
  }
  std::size_t kept = 0;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    if (drop[k] != 0) continue;
    if (kept != k) rows[kept] = std::move(rows[k]);
    ++kept;
  }
  rows.resize(kept);
}

}  // namespace reber
