// SPDX-License-Identifier: BSD-3-Clause
// Pixels are sorted by the step at which they join; each region adds to the one before.
#include "core/measure/fitting/held_sum.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/base/significance.hpp"
#include "core/measure/fitting/pair_sums.hpp"
#include "core/measure/fitting/surroundings.hpp"
#include "core/measure/sources/fit_parts.hpp"
#include "core/measure/sources/fit_rest.hpp"

namespace reber {
namespace {

constexpr std::size_t kSteps = 13;
constexpr double kStep = 0.125;  // beams

struct Region {
  FitPixels joins;   ///< that the regions before do not have
  double sum = 0;    ///< of all its pixels, and the Gaussians beyond them
  double model = 0;  ///< part of the sum that is the Gaussians'
  double noise = 0;  ///< variance of the sum
};

/// Above these many rms of the Gaussians pixels are in region k.
std::array<double, kSteps> levels() {
  constexpr double kFall = 1.5;
  std::array<double, kSteps> all{};
  double level = kClear;
  for (double& one : all) one = level, level /= kFall;
  return all;
}

/// Without their noise.
std::vector<Region> regions_of(const std::vector<FittedGaussian>& fitted, const FitPixels& island,
                               const FitPixels& ring, double beam_px) {
  std::vector<Region> regions(kSteps);
  const auto put = [&](const FitPixels& pixels, std::size_t i, double model, Region& in) {
    append_pixel(pixels, i, in.joins);
    in.sum += pixels.value[i], in.model += model;
  };
  for (std::size_t i = 0; i < island.value.size(); ++i)
    put(island, i, value_of(fitted, island.x[i], island.y[i]), regions[0]);
  const std::array<double, kSteps> level = levels();
  const std::vector<double> distance = distances_from(island, ring);
  for (std::size_t i = 0; i < distance.size(); ++i) {
    const double model = value_of(fitted, ring.x[i], ring.y[i]), height = model / ring.rms[i];
    auto k = static_cast<std::size_t>(std::min(std::ceil(distance[i] / (kStep * beam_px)), double{kSteps}));
    while (k > 0 && height > level[k - 1]) --k;
    if (k < kSteps) put(ring, i, model, regions[k]);
  }
  std::erase_if(regions, [](const Region& one) { return one.joins.value.empty(); });
  double sum = 0, model = 0;
  for (const FittedGaussian& one : fitted) model += gaussian_flux(one.component);
  for (Region& one : regions) {
    sum += one.sum, model -= one.model;
    one.sum = sum + model, one.model = model;
  }
  return regions;
}

}  // namespace

std::optional<HeldSum> held_sum(const std::vector<FittedGaussian>& fitted, const FitPixels& island,
                                const FitPixels& ring, double beam_px, const NoiseCorrelation& noise,
                                double least_sigma) {
  std::vector<Region> regions = regions_of(fitted, island, ring, beam_px);
  double flux = 0, most = 0;
  for (const FittedGaussian& one : fitted) flux += gaussian_flux(one.component);
  for (const Region& one : regions) most = std::max(most, std::abs(one.sum - flux));
  if (least_sigma > 0 && !(most > least_sigma * sum_error(island, noise))) return std::nullopt;
  FitPixels all;
  for (Region& one : regions) {
    for (std::size_t i = 0; i < one.joins.value.size(); ++i) append_pixel(one.joins, i, all);
    one.noise = std::pow(sum_error(all, noise), 2);
  }
  HeldSum best;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < regions.size(); ++k) {
    const Region& one = regions[k];
    double bias = one.model * one.model;
    for (std::size_t j = k + 1; j < regions.size(); ++j)
      bias =
          std::max(bias, std::pow(regions[j].sum - one.sum, 2) - kDoubted * kDoubted * (regions[j].noise - one.noise));
    if (one.noise + bias < least) least = one.noise + bias, best = {one.sum, std::sqrt(least)};
  }
  if (!(std::abs(best.sum - flux) > least_sigma * best.error)) return std::nullopt;
  return best;
}

double held_reach(double beam_px) { return (kSteps - 1) * kStep * beam_px; }

}  // namespace reber
