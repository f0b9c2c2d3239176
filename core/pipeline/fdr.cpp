// SPDX-License-Identifier: BSD-3-Clause
// False discovery rate from the exact upper tail of the S/N, which labelling at a low threshold leaves on the host.
#include "core/pipeline/fdr.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/base/error.hpp"

namespace reber {
namespace {

/// Pixels with an S/N: all that are finite, less those where a map of the user is blank or its rms not positive.
std::int64_t count_pixels(Backend& backend, const Plane& plane, const BackgroundModel& background, const Job& job) {
  const Shape shape = plane.shape();
  if (!background.mean_map && !background.rms_map &&
      std::ranges::all_of(background.rms, [](float rms) { return rms > 0; }))
    return shape.count() - plane.blank();
  const auto snr = backend.derive(SnrPlane{plane, background}, job);
  return shape.count() - snr->blank();
}

}  // namespace

double gaussian_tail(double sigma) { return 0.5 * std::erfc(sigma / std::numbers::sqrt2); }

double gaussian_tail_inverse(double p) {
  double low = -40, high = 40;
  for (int i = 0; i < 80; ++i) {
    const double middle = 0.5 * (low + high);
    (gaussian_tail(middle) > p ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

double fdr_floor(double alpha, double correction) { return gaussian_tail_inverse(alpha / correction); }

FdrThreshold fdr_threshold(std::vector<float> tail, std::int64_t pixels, double alpha, double correction) {
  FdrThreshold result;
  result.pixels = pixels;
  result.correction = correction;
  std::ranges::sort(tail, std::greater{});
  const double step = alpha / correction / static_cast<double>(std::max<std::int64_t>(pixels, 1));
  for (std::size_t k = tail.size(); k > 0; --k) {
    if (!(gaussian_tail(tail[k - 1]) <= step * static_cast<double>(k))) continue;
    result.detected = static_cast<std::int64_t>(k);
    result.sigma = tail[k - 1];
    return result;
  }
  result.sigma = gaussian_tail_inverse(step);
  return result;
}

FdrThreshold measure_fdr(Backend& backend, const Plane& plane, const BackgroundModel& background, double alpha,
                         std::optional<double> beam_area_px, const Job& job) {
  if (!(alpha > 0 && alpha < 1))
    throw InputError(fmt::format("a false discovery rate lies between 0 and 1, not {:g}", alpha));
  double correction = 0;
  const auto correlated = std::max<std::int64_t>(std::llround(beam_area_px.value_or(1)), 1);
  for (std::int64_t i = 1; i <= correlated; ++i) correction += 1 / static_cast<double>(i);
  DetectOptions options;
  options.seed = options.flood = std::nextafter(static_cast<float>(fdr_floor(alpha, correction)), -HUGE_VALF);
  const auto islands = backend.label(plane, background, options, job);
  const IslandPixels found = backend.island_pixels(plane, background, *islands, 1, job);
  std::vector<float> tail(found.pixel.size());
  for (std::size_t i = 0; i < tail.size(); ++i) tail[i] = (found.pixel[i] - found.mean[i]) / found.rms[i];
  return fdr_threshold(std::move(tail), count_pixels(backend, plane, background, job), alpha, correction);
}

}  // namespace reber
