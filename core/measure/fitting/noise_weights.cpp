// SPDX-License-Identifier: BSD-3-Clause
// A point without noise, fitted with both weights for the errors that they state.
#include "core/measure/fitting/noise_weights.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/measure/sources/shape_errors.hpp"

namespace reber {

bool ordinary_weights_are_better(Backend& backend, const Covariance& beam, const NoiseCorrelation& weights,
                                 const NoiseCorrelation& measured, const Job& job) {
  constexpr double kPeak = 20;  // rms
  constexpr double kClearly = 0.8, kAllPixels = 20;
  const GaussianComponent point{kPeak, 0, 0, beam};
  const Ellipse axes = ellipse_of(beam);
  FitPixels pixels;
  std::array<double, GaussianComponent::kParameters> unused{};
  // The cost goes as the sixth power of the beam: of a wide one every n-th pixel of every n-th row tells as much.
  const auto apart = static_cast<std::int32_t>(std::max(1.0, std::ceil(axes.major / kAllPixels)));
  const std::int32_t reach = apart * static_cast<std::int32_t>(std::ceil(1.5 * axes.major / apart));
  for (std::int32_t y = -reach; y <= reach; y += apart)
    for (std::int32_t x = -reach; x <= reach; x += apart) {
      const double value = point.evaluate(x, y, unused);
      if (value < 1) continue;  // of the noise: it says nothing
      pixels.y.push_back(y), pixels.x.push_back(x);
      pixels.value.push_back(value), pixels.rms.push_back(1);
    }
  FitBatch batch;
  batch.weights = weights;
  batch.errors = measured;
  const FitBounds bounds{axes.major, 0.5 * axes.minor, 2 * axes.major, true};
  for (const bool correlated : {true, false}) batch.add(pixels, {point}, {bounds}, correlated);
  const FitResults got = backend.fits().fit(batch, job);
  for (const FitOutcome& one : got.problems)
    if (one.status != FitStatus::settled) return false;
  const FittedGaussian &like_beam = got.components[0], &ordinary = got.components[1];
  const auto total = [](const FittedGaussian& fit) { return relative_total_error(fit.component, fit.covariance); };
  const auto place = [](const FittedGaussian& fit) { return std::sqrt(fit.covariance[1][1] + fit.covariance[2][2]); };
  return total(ordinary) < kClearly * total(like_beam) && place(ordinary) < place(like_beam);
}

}  // namespace reber
