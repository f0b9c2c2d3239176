// SPDX-License-Identifier: BSD-3-Clause
// The Gaussian fits as a timed operation: a batch of synthetic islands, the same for every backend.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include "app/bench/bench_cases.hpp"
#include "core/base/thread_pool.hpp"
#include "core/studies/random.hpp"

namespace reber::app {
namespace {

constexpr double kBeamPx = 5, kSeed = 5, kFlood = 3;
constexpr Covariance kBeam{kBeamPx * kBeamPx, 0, kBeamPx* kBeamPx};
constexpr std::int64_t kMostComponents = 100000;
constexpr std::size_t kBytesPerPixel = 24;  ///< value, rms and two coordinates
constexpr std::int32_t kHalf = 14;          ///< pixels from the centre to the edge of what an island may cover

/// A point source of that peak S/N, its pixels above the flood level of the noise-free Gaussian, unit rms.
FitPixels island_of(double peak, std::uint64_t number) {
  const auto [along_x, along_y] = normal_pair(1, RandomStream::points, number);
  const GaussianComponent truth{peak, kHalf + std::clamp(0.2 * along_x, -1.0, 1.0),
                                kHalf + std::clamp(0.2 * along_y, -1.0, 1.0), kBeam};
  FitPixels pixels;
  std::array<double, 6> unused{};
  for (std::int32_t y = 0; y <= 2 * kHalf; ++y)
    for (std::int32_t x = 0; x <= 2 * kHalf; ++x) {
      const double value = truth.evaluate(x, y, unused);
      if (!(value > kFlood)) continue;
      pixels.y.push_back(y);
      pixels.x.push_back(x);
      pixels.value.push_back(value);
      pixels.rms.push_back(1);
    }
  for (std::size_t i = 0; i < pixels.value.size(); ++i)
    pixels.value[i] += normal_pair(number + 2, RandomStream::noise, i).first;
  return pixels;
}

/// Counts fall as 1/S/N^1.5 above it, as those of extragalactic sources do.
std::shared_ptr<const FitBatch> make_batch(std::int64_t components) {
  auto batch = std::make_shared<FitBatch>();
  batch->weights = batch->errors = NoiseCorrelation::of_shape(kBeam);
  const auto peak_of = [components](std::int64_t i) {
    const double above = (static_cast<double>(i) + 0.5) / static_cast<double>(components);
    return std::min(1e4, (kSeed + 1) * std::pow(above, -1 / 1.5));
  };
  std::vector<FitPixels> islands(static_cast<std::size_t>(components));
  ThreadPool().for_each(components, [&](std::int64_t i) {
    islands[static_cast<std::size_t>(i)] = island_of(peak_of(i), static_cast<std::uint64_t>(i));
  });
  for (std::int64_t i = 0; i < components; ++i) {
    const GaussianComponent start{1.05 * peak_of(i), kHalf, kHalf, {0.9 * kBeam.xx, 0, 0.9 * kBeam.yy}};
    batch->add(islands[static_cast<std::size_t>(i)], {start}, {{0.5 * kBeamPx, 0.8 * kBeamPx, 4 * kBeamPx, true}},
               true);
  }
  return batch;
}

std::vector<double> flat(const FitResults& results) {
  std::vector<double> numbers;
  numbers.reserve(results.problems.size() + 12 * results.components.size());
  for (const FitOutcome& one : results.problems) numbers.push_back(static_cast<double>(one.status));
  for (const FittedGaussian& one : results.components) {
    const GaussianComponent& g = one.component;
    numbers.insert(numbers.end(), {g.peak, g.x, g.y, g.fwhm2.xx, g.fwhm2.xy, g.fwhm2.yy});
    for (std::size_t a = 0; a < 6; ++a) numbers.push_back(one.covariance[a][a]);
  }
  return numbers;
}

}  // namespace

BenchCase fit_case(std::int64_t size) {
  // As many as an ordinary sky of that size would need some time for.
  const std::int64_t components = std::clamp<std::int64_t>(size * size / 640, 100, kMostComponents);
  const std::shared_ptr<const FitBatch> batch = make_batch(components);
  BenchCase one;
  one.name = fmt::format("fit {} Gaussians", components);
  one.group = "fit";
  one.work = [batch](const BenchSession& s) {
    const auto up = static_cast<std::int64_t>(batch->pixels.value.size() * kBytesPerPixel);
    const auto down = static_cast<std::int64_t>(s.fits.components.size() * sizeof(FittedGaussian));
    return Work{up, down, up, down, 0};
  };
  one.prepare = [](BenchSession&, std::string&) { return true; };
  one.run = [batch](BenchSession& s) { s.fits = s.backend->fits().fit(*batch, s.job); };
  one.numbers = [](const BenchSession& s) { return flat(s.fits); };
  // The reference ends within 1e-3 of a parameter's error of the same fit, and stops by another count of rounds.
  one.reference_bound = 0.01;
  one.from_image = false;
  one.predicted_ms = [](const BenchSession&) { return 0.0; };
  return one;
}

}  // namespace reber::app
