// SPDX-License-Identifier: BSD-3-Clause
// Islands by flood fill from each unlabelled pixel in raster order; sums by walking the label map once.
#include "kernels/reference/detect.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "kernels/reference/rules.hpp"
#include "kernels/reference/statistics.hpp"

namespace reber::reference {
namespace {

using Pixel = std::pair<std::int64_t, std::int64_t>;  // y, x

std::vector<float> snr_map(const HostPlane& plane, const HostBackground& background, bool negative, const Job& job) {
  const auto [ny, nx] = plane.shape();
  const BackgroundAt at(background);
  std::vector<float> snr(plane.shape().count());
  for (std::int64_t y = 0; y < ny; ++y) {
    job.check();
    for (std::int64_t x = 0; x < nx; ++x) {
      const auto [mean, rms] = at(y, x);
      snr[y * nx + x] = in_noise(height(static_cast<float>(plane.at(y, x)), mean, negative), rms);
    }
  }
  return snr;
}

/// Pixels connected to `start` above the flood threshold; marks them in `seen`.
std::vector<Pixel> flood_fill(const std::vector<float>& snr, Shape shape, Pixel start, const DetectOptions& options,
                              std::vector<bool>& seen) {
  std::vector<Pixel> island{start};
  seen[start.first * shape.nx + start.second] = true;
  for (std::size_t next = 0; next < island.size(); ++next) {
    const auto [y, x] = island[next];
    for (int dy = -1; dy <= 1; ++dy)
      for (int dx = -1; dx <= 1; ++dx) {
        if (options.connectivity == Connectivity::four && dy != 0 && dx != 0) continue;
        const std::int64_t ny = y + dy, nx = x + dx;
        if (ny < 0 || nx < 0 || ny >= shape.ny || nx >= shape.nx) continue;
        const std::int64_t index = ny * shape.nx + nx;
        if (seen[index] || !(snr[index] > static_cast<float>(options.flood))) continue;
        seen[index] = true;
        island.emplace_back(ny, nx);
      }
  }
  return island;
}

}  // namespace

std::unique_ptr<IslandMap> label(const HostPlane& plane, const HostBackground& background, const DetectOptions& options,
                                 const Job& job) {
  const Shape shape = plane.shape();
  const std::vector<float> snr = snr_map(plane, background, options.negative, job);
  std::vector<std::int32_t> labels(shape.count(), 0);
  std::vector<bool> seen(shape.count(), false);
  std::int32_t count = 0;  // of islands: an image of 2^31 would take 10^11 bytes here
  for (std::int64_t y = 0; y < shape.ny; ++y) {
    job.check();
    for (std::int64_t x = 0; x < shape.nx; ++x) {
      const std::int64_t index = y * shape.nx + x;
      if (seen[index] || !(snr[index] > static_cast<float>(options.flood))) continue;
      const auto island = flood_fill(snr, shape, {y, x}, options, seen);
      bool seeded = false;
      for (const auto& [py, px] : island) seeded |= snr[py * shape.nx + px] > static_cast<float>(options.seed);
      if (!seeded || static_cast<std::int64_t>(island.size()) < options.min_area) continue;
      ++count;
      for (const auto& [py, px] : island) labels[py * shape.nx + px] = count;
    }
  }
  return std::make_unique<HostIslands>(shape, options, std::move(labels), count);
}

std::vector<IslandSums> measure(const HostPlane& plane, const HostBackground& background, const HostIslands& islands,
                                const Job& job) {
  const auto [ny, nx] = plane.shape();
  const BackgroundAt at(background);
  std::vector<IslandSums> all(islands.count());
  std::vector<float> best(islands.count());
  for (std::int64_t y = 0; y < ny; ++y) {
    job.check();
    for (std::int64_t x = 0; x < nx; ++x) {
      const std::int32_t island = islands.labels[y * nx + x];
      if (island == 0) continue;
      IslandSums& sums = all[island - 1];
      const auto here_y = static_cast<std::int32_t>(y), here_x = static_cast<std::int32_t>(x);
      if (sums.npix == 0) {
        sums.first_y = sums.y0 = here_y;
        sums.first_x = sums.x0 = sums.x1 = here_x;
      }
      const auto [mean, rms] = at(y, x);
      const float pixel = static_cast<float>(plane.at(y, x));
      const float above = height(pixel, mean, islands.options().negative);
      if (sums.npix == 0 || above > best[island - 1]) {
        best[island - 1] = above;
        sums.peak_y = here_y;
        sums.peak_x = here_x;
        sums.peak = pixel;
        sums.peak_mean = mean;
        sums.peak_rms = rms;
      }
      ++sums.npix;
      sums.x0 = std::min(sums.x0, here_x);
      sums.x1 = std::max(sums.x1, here_x + 1);
      sums.y1 = here_y + 1;
      const double value = above, dx = here_x - sums.first_x, dy = here_y - sums.first_y;
      sums.s += value;
      sums.sx += value * dx;
      sums.sy += value * dy;
      sums.sxx += value * dx * dx;
      sums.sxy += value * dx * dy;
      sums.syy += value * dy * dy;
    }
  }
  return all;
}

IslandPixels island_pixels(const HostPlane& plane, const HostBackground& background, const HostIslands& islands,
                           std::int64_t min_pixels, const Job& job) {
  const Shape shape = plane.shape();
  std::vector<std::vector<std::int64_t>> members(islands.count());
  for (std::int64_t i = 0; i < shape.count(); ++i)
    if (islands.labels[i] > 0) members[islands.labels[i] - 1].push_back(i);
  const BackgroundAt at(background);
  IslandPixels all;
  for (std::size_t island = 0; island < members.size(); ++island) {
    job.check();
    if (static_cast<std::int64_t>(members[island].size()) < min_pixels) continue;
    all.label.push_back(static_cast<std::int64_t>(island) + 1);
    for (const std::int64_t index : members[island]) {
      const std::int64_t y = index / shape.nx, x = index % shape.nx;
      const auto [mean, rms] = at(y, x);
      all.y.push_back(static_cast<std::int32_t>(y));
      all.x.push_back(static_cast<std::int32_t>(x));
      all.pixel.push_back(static_cast<float>(plane.at(y, x)));
      all.mean.push_back(mean);
      all.rms.push_back(rms);
    }
    all.first.push_back(static_cast<std::int64_t>(all.y.size()));
  }
  return all;
}

}  // namespace reber::reference
