// SPDX-License-Identifier: BSD-3-Clause
// A disc is a stack of columns: what matters is how far the next inside pixel of a column is.
#include "core/sky/mask/morphology.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "core/base/thread_pool.hpp"

namespace reber {
namespace {

/// Rows from each pixel to the next inside pixel of its column, at most `most` + 1.
std::vector<std::int32_t> rows_to_inside(const Mask& mask, std::int32_t most) {
  const std::int64_t ny = mask.shape.ny, nx = mask.shape.nx;
  std::vector<std::int32_t> rows(mask.pixels.size(), most + 1);
  const auto pass = [&](std::int64_t y, std::int64_t before) {
    for (std::int64_t x = 0; x < nx; ++x) {
      std::int32_t& own = rows[static_cast<std::size_t>(y * nx + x)];
      if (mask.at(y, x) != 0)
        own = 0;
      else if (before >= 0 && before < ny)
        own = std::min(own, rows[static_cast<std::size_t>(before * nx + x)] + 1);
    }
  };
  for (std::int64_t y = 0; y < ny; ++y) pass(y, y - 1);
  for (std::int64_t y = ny - 1; y >= 0; --y) pass(y, y + 1);
  return rows;
}

/// One round of the cross; beyond the border is outside.
void erode_once(Mask& mask) {
  const Mask before = mask;
  const auto [ny, nx] = mask.shape;
  ThreadPool pool(mask.shape.count() > (1 << 20) ? 0 : 1);
  pool.for_each(ny, [&, ny = ny, nx = nx](std::int64_t y) {
    for (std::int64_t x = 0; x < nx; ++x) {
      const bool up = y > 0 && before.at(y - 1, x) != 0, down = y + 1 < ny && before.at(y + 1, x) != 0;
      const bool left = x > 0 && before.at(y, x - 1) != 0, right = x + 1 < nx && before.at(y, x + 1) != 0;
      std::int32_t& own = mask.pixels[static_cast<std::size_t>(y * nx + x)];
      if (!(up && down && left && right)) own = 0;
    }
  });
}

}  // namespace

void dilate(Mask& mask, double radius) {
  const auto reach = static_cast<std::int32_t>(std::floor(radius));
  if (reach < 1) return make_binary(mask);
  const std::vector<std::int32_t> rows = rows_to_inside(mask, reach);
  std::vector<std::int32_t> half(static_cast<std::size_t>(reach) + 1);
  for (std::int32_t dx = 0; dx <= reach; ++dx)
    half[static_cast<std::size_t>(dx)] = static_cast<std::int32_t>(std::floor(std::sqrt(radius * radius - dx * dx)));
  const auto [ny, nx] = mask.shape;
  ThreadPool pool(mask.shape.count() > (1 << 20) ? 0 : 1);
  pool.for_each(ny, [&, nx = nx](std::int64_t y) {
    for (std::int64_t x = 0; x < nx; ++x) {
      const std::int64_t last = std::min(nx - 1, x + reach);
      bool near = false;
      for (std::int64_t at = std::max<std::int64_t>(0, x - reach); at <= last && !near; ++at)
        near = rows[static_cast<std::size_t>(y * nx + at)] <= half[static_cast<std::size_t>(std::abs(at - x))];
      mask.pixels[static_cast<std::size_t>(y * nx + x)] = near ? 1 : 0;
    }
  });
}

void erode(Mask& mask, int rounds) {
  for (int round = 0; round < rounds; ++round) erode_once(mask);
}

}  // namespace reber
