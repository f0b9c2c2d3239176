// SPDX-License-Identifier: BSD-3-Clause
// The sky of the benchmark.
#include "app/bench/bench_sky.hpp"

#include <algorithm>
#include <cstring>

#include "core/base/thread_pool.hpp"

namespace reber::app {

SimulatedSky bench_sky(std::int64_t size, Backend& backend, const Progress& progress) {
  SimulationOptions sky;
  sky.shape = {size, size};
  const double area = static_cast<double>(sky.shape.count()) / (1024.0 * 1024.0);
  sky.point_sources = static_cast<std::int64_t>(300 * area);
  sky.extended_sources = static_cast<std::int64_t>(10 * area);
  progress.report("simulating the sky", 0);
  return simulate(sky, backend, progress);
}

Image repeated(const Image& tile, std::int64_t size) {
  Image image(Shape{size, size});
  const Shape one = tile.shape();
  ThreadPool().for_each(size, [&](std::int64_t y) {
    for (std::int64_t x = 0; x < size; x += one.nx) {
      const std::int64_t n = std::min(one.nx, size - x);
      std::memcpy(image.data() + y * size + x, tile.data() + y % one.ny * one.nx,
                  static_cast<std::size_t>(n) * sizeof(float));
    }
  });
  return image;
}

}  // namespace reber::app
