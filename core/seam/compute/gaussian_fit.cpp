// SPDX-License-Identifier: BSD-3-Clause
// The model of the fits, and how a batch of problems is put together.
#include "core/seam/compute/gaussian_fit.hpp"

#include <cmath>
#include <numbers>
#include <utility>

#include "core/base/large_vectors.hpp"

namespace reber {
namespace {

constexpr double k4Ln2 = 4 * std::numbers::ln2;

template <class T>
void append(std::vector<T>& to, const std::vector<T>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

}  // namespace

double GaussianComponent::evaluate(double px, double py, std::array<double, kParameters>& derivatives) const {
  const double dx = px - x, dy = py - y;
  const double det = fwhm2.xx * fwhm2.yy - fwhm2.xy * fwhm2.xy;
  const double ex = (fwhm2.yy * dx - fwhm2.xy * dy) / det, ey = (fwhm2.xx * dy - fwhm2.xy * dx) / det;
  const double shape = std::exp(-k4Ln2 * (ex * dx + ey * dy)), slope = k4Ln2 * peak * shape;
  derivatives = {shape, 2 * slope * ex, 2 * slope * ey, slope * ex * ex, 2 * slope * ex * ey, slope * ey * ey};
  return peak * shape;
}

void FitBatch::add(const FitPixels& its_pixels, const std::vector<GaussianComponent>& its_start,
                   const std::vector<FitBounds>& its_bounds, bool correlated) {
  problems.push_back({static_cast<std::int64_t>(pixels.value.size()),
                      static_cast<std::int64_t>(its_pixels.value.size()), static_cast<std::int64_t>(start.size()),
                      static_cast<std::int64_t>(its_start.size()), correlated});
  append(pixels.y, its_pixels.y);
  append(pixels.x, its_pixels.x);
  append(pixels.value, its_pixels.value);
  append(pixels.rms, its_pixels.rms);
  append(start, its_start);
  append(bounds, its_bounds);
}

void FitBatch::lay_out(std::vector<FitProblem> sizes) {
  problems = std::move(sizes);
  std::int64_t all_pixels = 0, components = 0;
  for (FitProblem& problem : problems) {
    problem.first_pixel = std::exchange(all_pixels, all_pixels + problem.pixels);
    problem.first_component = std::exchange(components, components + problem.components);
  }
  const auto count = static_cast<std::size_t>(all_pixels);
  reserve_large(pixels.y, count), reserve_large(pixels.x, count);
  reserve_large(pixels.value, count), reserve_large(pixels.rms, count);
  pixels.y.resize(count), pixels.x.resize(count);
  pixels.value.resize(count), pixels.rms.resize(count);
  start.resize(static_cast<std::size_t>(components));
  bounds.resize(static_cast<std::size_t>(components));
}

}  // namespace reber
