// SPDX-License-Identifier: BSD-3-Clause
// Planes made of planes: S/N, pairs of pixels, islands taken out.
#include "kernels/reference/derived.hpp"

#include <algorithm>

#include "kernels/reference/rules.hpp"
#include "kernels/reference/statistics.hpp"

namespace reber::reference {
namespace {

std::unique_ptr<Plane> made(const OwnSnr<HostPlane>& of, const Job& job) {
  const auto& [plane, background] = of;
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

std::unique_ptr<Plane> made(const OwnCombined<HostPlane>& of, const Job&) {
  const auto& [rule, a, b] = of;
  std::vector<double> values;
  for (std::size_t i = 0; i < a.pixels.size(); ++i)
    values.push_back(pixel_of_two(rule, static_cast<float>(a.pixels[i]), static_cast<float>(b.pixels[i])));
  return std::make_unique<HostPlane>(a.shape(), std::move(values), 0);
}

std::unique_ptr<Plane> made(const OwnWithoutIslands<HostPlane, HostIslands>& of, const Job& job) {
  const auto& [plane, islands, grow] = of;
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

std::unique_ptr<Plane> made(const OwnMinusMagnitude<HostPlane>& of, const Job&) {
  const HostPlane& plane = of.plane;
  std::vector<double> values;
  for (const double pixel : plane.pixels) values.push_back(std::isfinite(pixel) ? -std::abs(pixel) : kBlank);
  return std::make_unique<HostPlane>(plane.shape(), std::move(values), 0);
}

std::unique_ptr<Plane> made(const OwnEveryNth<HostPlane>& of, const Job&) {
  const auto& [plane, n, shape] = of;
  std::vector<double> values;
  for (std::int64_t y = 0; y < shape.ny; ++y)
    for (std::int64_t x = 0; x < shape.nx; ++x) values.push_back(plane.at(y * n + (n - 1) / 2, x * n + (n - 1) / 2));
  return std::make_unique<HostPlane>(shape, std::move(values), 0);
}

}  // namespace

std::unique_ptr<Plane> derive(const OwnExpression<HostPlane, HostIslands>& what, const Job& job) {
  return std::visit([&](const auto& of) { return made(of, job); }, what);
}

}  // namespace reber::reference
