// SPDX-License-Identifier: BSD-3-Clause
// Planes made of planes: S/N, pairs of pixels, islands taken out.
#include "kernels/reference/derived.hpp"

#include <algorithm>

#include "kernels/reference/rules.hpp"
#include "kernels/reference/statistics.hpp"

namespace reber::reference {

std::unique_ptr<Plane> snr_plane(const HostPlane& plane, const HostBackground& background, const Job& job) {
  const Shape shape = plane.shape();
  const BackgroundAt at(background);
  std::vector<double> values;
  for (std::int64_t y = 0; y < shape.ny; ++y) {
    job.check();
    for (std::int64_t x = 0; x < shape.nx; ++x) {
      const auto [mean, rms] = at(y, x);
      values.push_back(in_noise(height(static_cast<float>(plane.at(y, x)), mean, false), rms));
    }
  }
  return std::make_unique<HostPlane>(shape, std::move(values), 0);
}

std::unique_ptr<Plane> combine(PlaneRule rule, const HostPlane& a, const HostPlane& b) {
  std::vector<double> values;
  for (std::size_t i = 0; i < a.pixels.size(); ++i)
    values.push_back(pixel_of_two(rule, static_cast<float>(a.pixels[i]), static_cast<float>(b.pixels[i])));
  return std::make_unique<HostPlane>(a.shape(), std::move(values), 0);
}

std::unique_ptr<Plane> without_islands(const HostPlane& plane, const HostIslands& islands, std::int64_t grow,
                                       const Job& job) {
  const Shape shape = plane.shape();
  std::vector<double> values = plane.pixels;
  for (std::int64_t y = 0; y < shape.ny; ++y) {
    job.check();
    for (std::int64_t x = 0; x < shape.nx; ++x) {
      if (islands.labels[y * shape.nx + x] == 0) continue;
      for (std::int64_t j = std::max<std::int64_t>(y - grow, 0); j <= std::min(y + grow, shape.ny - 1); ++j)
        for (std::int64_t i = std::max<std::int64_t>(x - grow, 0); i <= std::min(x + grow, shape.nx - 1); ++i)
          values[j * shape.nx + i] = kBlank;
    }
  }
  return std::make_unique<HostPlane>(shape, std::move(values), plane.infinite());
}

std::unique_ptr<Plane> minus_magnitude(const HostPlane& plane) {
  std::vector<double> values;
  for (const double pixel : plane.pixels) values.push_back(std::isfinite(pixel) ? -std::abs(pixel) : kBlank);
  return std::make_unique<HostPlane>(plane.shape(), std::move(values), 0);
}

std::unique_ptr<Plane> every_nth(const HostPlane& plane, std::int64_t n, Shape shape) {
  std::vector<double> values;
  for (std::int64_t y = 0; y < shape.ny; ++y)
    for (std::int64_t x = 0; x < shape.nx; ++x) values.push_back(plane.at(y * n + (n - 1) / 2, x * n + (n - 1) / 2));
  return std::make_unique<HostPlane>(shape, std::move(values), 0);
}

}  // namespace reber::reference
