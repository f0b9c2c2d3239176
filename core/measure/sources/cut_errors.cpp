// SPDX-License-Identifier: BSD-3-Clause
// The part of a Gaussian on missing pixels measures how much of its flux is the shape's word.
#include "core/measure/sources/cut_errors.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>

#include "core/measure/sources/fit_ladder.hpp"
#include "core/measure/sources/fit_rest.hpp"
#include "core/measure/sources/shape_errors.hpp"

namespace reber {
namespace {

/// Of m^2: by as much do discs differ from the Gaussians that are fitted to what is seen of them.
constexpr double kOtherShape = 0.15;

bool beside_missing(std::int64_t y, std::int64_t x, const KnownPixels& known) {
  for (std::int64_t row = y - 1; row <= y + 1; ++row)
    if (!known.covers(row, x - 1, x + 2)) return true;
  return false;
}

/// Whether a pixel is missing within a FWHM of a place.
bool missing_within(const Covariance& fwhm2, double x, double y, const KnownPixels& known) {
  const double tall = std::sqrt(fwhm2.yy), wide = std::sqrt(fwhm2.xx);
  for (auto row = std::llround(y - tall); row <= std::llround(y + tall); ++row)
    for (auto column = std::llround(x - wide); column <= std::llround(x + wide); ++column)
      if (fwhms2(fwhm2, static_cast<double>(column) - x, static_cast<double>(row) - y) <= 1 && !known.at(row, column))
        return true;
  return false;
}

}  // namespace

Extrapolation extrapolated(const CutFit& fit, const std::optional<Covariance>& beam, const KnownPixels& known) {
  const GaussianComponent& one = fit.held.component;
  const bool beyond = beside_missing(std::llround(one.y), std::llround(one.x), known);
  const bool near = beyond || missing_within(beam ? *beam : one.fwhm2, one.x, one.y, known);
  if (!near || (!beyond && !fit.shape_free)) return {};
  const double missing = part_missing(one, known), guessed = missing * missing / (1 - missing);
  if (!fit.noise_alone) return {guessed, beyond};
  if (fit.shape_free) return {kOtherShape * missing * missing, beyond};
  if (fit.freed == nullptr) return {guessed, beyond};
  const double ratio = gaussian_flux(fit.freed->component) / gaussian_flux(one);
  const double error =
      fit.freed->at_bound ? 0 : ratio * relative_total_error(fit.freed->component, fit.freed->covariance);
  // It was not taken, since its chi^2 fell by less than that.
  return {std::max(std::abs(ratio - 1), error / std::sqrt(kLeastGain)), beyond};
}

void doubt_unfitted(std::span<SourceRow> rows, const KnownPixels& known) {
  std::set<std::int64_t> extrapolated;
  for (const SourceRow& row : rows)
    if ((row.fit.flag & kFlagBeyond) != 0) extrapolated.insert(row.island);
  for (SourceRow& row : rows) {
    if (!row.cut || row.fit.gaussian) continue;
    const bool left = (row.fit.flag & kFlagRest) != 0 && extrapolated.contains(row.island);
    if (!left && !beside_missing(row.sums.peak_y, row.sums.peak_x, known)) continue;
    row.fit.flag |= kFlagBeyond;
    row.fit.unsure = std::exp2(4);  // a Gaussian's centre over its value a FWHM off
  }
}

}  // namespace reber
