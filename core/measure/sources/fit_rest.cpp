// SPDX-License-Identifier: BSD-3-Clause
// One pass over the pixels, then one over the Gaussians.
#include "core/measure/sources/fit_rest.hpp"

#include "core/base/gaussian.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace reber {
namespace {

bool on_island(const GaussianComponent& one, const FitPixels& pixels) {
  for (std::size_t i = 0; i < pixels.value.size(); ++i)
    if (std::abs(pixels.x[i] - one.x) <= 1 && std::abs(pixels.y[i] - one.y) <= 1) return true;
  return false;
}

/// A centre on a missing pixel, not further than the Gaussian is wide from a pixel of the island.
bool beyond_cut(const GaussianComponent& one, const FitPixels& pixels, const KnownPixels& known) {
  if (known_at(one, known)) return false;
  const double most = ellipse_of(one.fwhm2).major;
  for (std::size_t i = 0; i < pixels.value.size(); ++i)
    if (std::hypot(pixels.x[i] - one.x, pixels.y[i] - one.y) <= most) return true;
  return false;
}

/// Pixels of the island that the Gaussian covers above the threshold, and the sum of its values there.
struct Shown {
  double pixels = 0, flux = 0;
};
Shown shown(const GaussianComponent& one, double threshold, const FitPixels& island) {
  Shown part;
  std::array<double, 6> unused{};
  for (std::size_t i = 0; i < island.value.size(); ++i)
    if (const double value = one.evaluate(island.x[i], island.y[i], unused); value > threshold)
      ++part.pixels, part.flux += value;
  return part;
}

}  // namespace

double value_of(const std::vector<FittedGaussian>& fitted, double x, double y) {
  std::array<double, 6> unused{};
  double sum = 0;
  for (const FittedGaussian& one : fitted) sum += one.component.evaluate(x, y, unused);
  return sum;
}

FitRest fit_rest(const std::vector<FittedGaussian>& fitted, const FitPixels& pixels, double flood,
                 const KnownPixels* known) {
  FitRest rest;
  double left = 0, power = 0, rms = 0, covered = 0, sum = 0;
  const auto n = static_cast<double>(pixels.value.size()), of_grid = n * pixels.stand_for;
  for (std::size_t i = 0; i < pixels.value.size(); ++i) {
    const double difference = pixels.value[i] - value_of(fitted, pixels.x[i], pixels.y[i]);
    left += difference * difference;
    power += pixels.value[i] * pixels.value[i];
    sum += pixels.value[i];
    rest.sigma2 += difference * difference / (pixels.rms[i] * pixels.rms[i]) / n;
    rms += pixels.rms[i] / n;
  }
  rest.part = left / power;
  for (const FittedGaussian& one : fitted) {
    const Covariance& c = one.component.fwhm2;
    if (known != nullptr) {
      const Shown part = shown(one.component, flood * rms, pixels);
      covered += part.pixels * pixels.stand_for;
      rest.flux += part.flux / sum;
      rest.rise = std::min(rest.rise, one.component.peak / (flood * rms));
      rest.inside = rest.inside && (on_island(one.component, pixels) || beyond_cut(one.component, pixels, *known));
      continue;
    }
    rest.rise = std::min(rest.rise, one.component.peak / (flood * rms));
    const double octaves = std::log2(std::max(1.0, one.component.peak / (flood * rms)));
    const double axes = std::sqrt(c.xx * c.yy - c.xy * c.xy);
    covered += std::numbers::pi / 4 * axes * octaves;
    // A Gaussian of peak P holds P - T of its peak's share above T.
    rest.flux += gaussian_area(c) * std::max(0.0, one.component.peak - flood * rms) / (sum * pixels.stand_for);
    rest.inside = rest.inside && on_island(one.component, pixels);
  }
  rest.crowding = covered / of_grid;
  return rest;
}

bool noise_alone(const FitRest& rest, const FitPixels& pixels, const std::optional<Covariance>& beam) {
  constexpr double kStrictSigma2 = 1.5;
  const double count = pixels.stand_for * static_cast<double>(pixels.value.size());
  return rest.sigma2 <= kStrictSigma2 + (beam ? std::sqrt(2 * gaussian_area(*beam) / count) : 0);
}

void widen_errors(std::vector<FittedGaussian>& fitted, const FitRest& rest) {
  if (!(rest.sigma2 > 1)) return;
  for (FittedGaussian& one : fitted)
    for (auto& row : one.covariance)
      for (double& element : row) element *= rest.sigma2;
}

double flux_beyond(const std::vector<FittedGaussian>& fitted, const FitPixels& pixels, const Covariance& beam) {
  constexpr double kWide = 5;
  std::vector<FittedGaussian> wide;
  double beyond = 0, sum = 0;
  for (const FittedGaussian& one : fitted)
    if (const double area = gaussian_area(one.component.fwhm2); area > kWide * gaussian_area(beam))
      wide.push_back(one), beyond += area * one.component.peak;
  if (wide.empty()) return 0;
  for (std::size_t i = 0; i < pixels.value.size(); ++i)
    beyond -= pixels.stand_for * value_of(wide, pixels.x[i], pixels.y[i]), sum += pixels.stand_for * pixels.value[i];
  return beyond / sum;
}

bool known_at(const GaussianComponent& one, const KnownPixels& known) {
  return known.at(std::llround(one.y), std::llround(one.x));
}

double fwhms2(const Covariance& fwhm2, double dx, double dy) {
  return (fwhm2.yy * dx * dx - 2 * fwhm2.xy * dx * dy + fwhm2.xx * dy * dy) /
         (fwhm2.xx * fwhm2.yy - fwhm2.xy * fwhm2.xy);
}

double gaussian_flux(const GaussianComponent& one) { return one.peak * gaussian_area(one.fwhm2); }

double part_missing(const GaussianComponent& one, const KnownPixels& known) {
  std::array<double, 6> unused{};
  const double tall = kEndOfGaussian * std::sqrt(one.fwhm2.yy), wide = kEndOfGaussian * std::sqrt(one.fwhm2.xx);
  double all = 0, missing = 0;
  for (auto y = std::llround(one.y - tall); y <= std::llround(one.y + tall); ++y)
    for (auto x = std::llround(one.x - wide); x <= std::llround(one.x + wide); ++x) {
      const double value = one.evaluate(static_cast<double>(x), static_cast<double>(y), unused);
      all += value;
      if (!known.at(y, x)) missing += value;
    }
  return missing / all;
}

bool has_place(const FittedGaussian& fit) {
  const Covariance& size2 = fit.component.fwhm2;
  return fit.covariance[1][1] + fit.covariance[2][2] <= size2.xx + size2.yy;
}

}  // namespace reber
