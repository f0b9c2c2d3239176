// SPDX-License-Identifier: BSD-3-Clause
// Linear least squares of a few heights under one condition.
#include "core/fitting/shared_heights.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "core/fitting/grown_sums.hpp"
#include "core/sources/fit_parts.hpp"
#include "core/sources/fit_rest.hpp"

namespace reber {
namespace {

using Matrix = std::vector<std::vector<double>>;

/// x of a x = b by Gauss-Jordan elimination; b is the last column.   returns nothing where a is singular
std::optional<std::vector<double>> solved(Matrix a) {
  const std::size_t n = a.size();
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k + 1; i < n; ++i)
      if (std::abs(a[i][k]) > std::abs(a[pivot][k])) pivot = i;
    std::swap(a[k], a[pivot]);
    if (!(std::abs(a[k][k]) > 0)) return std::nullopt;
    for (std::size_t i = 0; i < n; ++i) {
      const double factor = i == k ? 0 : a[i][k] / a[k][k];
      for (std::size_t j = k; j <= n; ++j) a[i][j] -= factor * a[k][j];
    }
  }
  std::vector<double> x(n);
  for (std::size_t k = 0; k < n; ++k) x[k] = a[k][n] / a[k][k];
  return x;
}

double flux_of(const FittedGaussian& one) { return one.component.peak * gaussian_area(one.component.fwhm2); }

/// By what the heights are multiplied.   sum: of the pixels, which the Gaussians then hold
std::optional<std::vector<double>> factors_of(const std::vector<FittedGaussian>& fitted, const FitPixels& pixels,
                                              double sum) {
  constexpr double kLeast = 0.25, kMost = 2;
  const std::size_t n = fitted.size();
  Matrix a(n + 1, std::vector<double>(n + 2, 0.0));
  std::vector<double> value(n);
  std::array<double, GaussianComponent::kParameters> unused{};
  for (std::size_t i = 0; i < pixels.value.size(); ++i) {
    const double weight = 1 / (pixels.rms[i] * pixels.rms[i]);
    for (std::size_t k = 0; k < n; ++k) value[k] = fitted[k].component.evaluate(pixels.x[i], pixels.y[i], unused);
    for (std::size_t k = 0; k < n; ++k) {
      for (std::size_t j = 0; j < n; ++j) a[k][j] += weight * value[k] * value[j];
      a[k][n + 1] += weight * value[k] * pixels.value[i];
    }
  }
  // The last unknown is the condition's multiplier, in a unit that keeps the equations of one order.
  double unit = 0;
  for (std::size_t k = 0; k < n; ++k) unit = std::max(unit, a[k][k]);
  for (std::size_t k = 0; k < n; ++k) a[k][n] = a[n][k] = unit * flux_of(fitted[k]) / sum;
  a[n][n + 1] = unit;
  auto factors = solved(std::move(a));
  if (!factors) return std::nullopt;
  factors->pop_back();
  if (!std::ranges::all_of(*factors, [](double one) { return one >= kLeast && one <= kMost; })) return std::nullopt;
  return factors;
}

void multiply_height(FittedGaussian& one, double factor) {
  one.component.peak *= factor;
  for (std::size_t k = 0; k < GaussianComponent::kParameters; ++k)
    one.covariance[0][k] *= factor, one.covariance[k][0] *= factor;
}

/// The rows of one island.   all: its pixels;   ring: those around it
void hold_rows(std::span<const SourceSums> rows, std::span<SourceFit> fits, FitPixels all, const FitPixels& ring,
               const HeldAgainst& in) {
  constexpr double kSigma = 3, kMostOver = 0.02, kMostUnder = 0.05, kLeastReach = 1;
  std::vector<FittedGaussian> fitted;
  double held = 0, sum = 0, reach = kLeastReach;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    fitted.push_back(*fits[k].gaussian);
    held += flux_of(fitted.back());
    reach = std::max(reach, gaussian_reach(rows[k], in.options));
  }
  const std::vector<double> distance = distances_from(all, ring);
  for (std::size_t i = 0; i < distance.size(); ++i)
    if (distance[i] <= reach) append_pixel(ring, i, all);
  for (const double value : all.value) sum += value;
  if (!(sum > 0) || !(std::abs(held - sum) > (held > sum ? kMostOver : kMostUnder) * sum)) return;
  if (!(std::abs(held - sum) > kSigma * sum_error(all, in.noise))) return;
  const auto factors = factors_of(fitted, all, sum);
  for (std::size_t k = 0; k < rows.size(); ++k)
    multiply_height(*fits[k].gaussian, factors ? (*factors)[k] : sum / held);
}

}  // namespace

bool are_wide_fits(std::span<const SourceSums> rows, std::span<const SourceFit> fits, const Covariance& beam) {
  constexpr double kWide = 1.5;
  bool wide = false;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    if (!fits[k].gaussian || rows[k].cut) return false;
    wide = wide || gaussian_area(fits[k].gaussian->component.fwhm2) > kWide * gaussian_area(beam);
  }
  return wide && rows.size() > 1;
}

void share_heights(const std::vector<SourceSums>& sums, std::vector<SourceFit>& fits, const HeldAgainst& in) {
  struct Held {
    std::size_t first, count;
  };
  std::vector<Held> islands;
  for (std::size_t k = 0, end = 0; k < sums.size(); k = end) {
    for (end = k + 1; end < sums.size() && sums[end].island == sums[k].island;) ++end;
    if (are_wide_fits(std::span(sums).subspan(k, end - k), std::span(fits).subspan(k, end - k), in.beam) &&
        std::ranges::binary_search(in.around.label, sums[k].island) &&
        std::ranges::binary_search(in.pixels.label, sums[k].island))
      islands.push_back({k, end - k});
  }
  in.pool.for_each(static_cast<std::int64_t>(islands.size()), [&](std::int64_t i) {
    const auto [first, count] = islands[static_cast<std::size_t>(i)];
    const std::int64_t label = sums[first].island;
    const auto at =
        static_cast<std::size_t>(std::ranges::lower_bound(in.pixels.label, label) - in.pixels.label.begin());
    hold_rows(std::span(sums).subspan(first, count), std::span(fits).subspan(first, count),
              pixels_of(in.pixels, at, in.options.negative), margin_of(in.around, label, in.options.negative), in);
  });
}

}  // namespace reber
