// SPDX-License-Identifier: BSD-3-Clause
// Whole-image passes over rows; islands by the union of runs.
#include "core/sky/mask/mask.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/base/error.hpp"

namespace reber {
namespace {

void check_same(const Mask& a, const Mask& b) {
  if (a.shape != b.shape) throw InternalError("masks of different shapes are put together");
}

/// Sets with the least member as root.
class Union {
 public:
  std::int32_t add() {
    parent_.push_back(static_cast<std::int32_t>(parent_.size()));
    return parent_.back();
  }
  std::int32_t root(std::int32_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void join(std::int32_t a, std::int32_t b) {
    const auto [low, high] = std::minmax({root(a), root(b)});
    parent_[high] = low;
  }
  [[nodiscard]] std::size_t size() const { return parent_.size(); }

 private:
  std::vector<std::int32_t> parent_;
};

/// Which numbers of a mask stay.
void keep_where(Mask& mask, const std::vector<char>& kept) {
  for (std::int32_t& pixel : mask.pixels)
    if (pixel > 0 && kept[static_cast<std::size_t>(pixel)] == 0) pixel = 0;
}

std::vector<char> marked(const Mask& mask, std::span<const std::int32_t> numbers, bool as) {
  std::vector<char> kept(static_cast<std::size_t>(mask.largest()) + 1, as ? 0 : 1);
  for (const std::int32_t number : numbers)
    if (number > 0 && number < static_cast<std::int32_t>(kept.size())) kept[number] = as ? 1 : 0;
  return kept;
}

}  // namespace

std::int64_t Mask::count() const {
  return std::ranges::count_if(pixels, [](std::int32_t pixel) { return pixel != 0; });
}

std::int32_t Mask::largest() const { return pixels.empty() ? 0 : std::max(0, *std::ranges::max_element(pixels)); }

Mask above(std::span<const float> image, std::span<const float> noise, double sigma, Shape shape) {
  Mask mask(shape);
  for (std::int64_t y = 1; y < shape.ny - 1; ++y)
    for (std::int64_t x = 1; x < shape.nx - 1; ++x) {
      const auto i = static_cast<std::size_t>(y * shape.nx + x);
      mask.pixels[i] = std::isfinite(image[i]) && image[i] > sigma * noise[i] ? 1 : 0;
    }
  return mask;
}

Mask numbered(const Mask& mask, bool corners) {
  Mask out(mask.shape);
  Union sets;
  sets.add();  // outside
  const std::int64_t ny = mask.shape.ny, nx = mask.shape.nx;
  const auto place = [&](std::int64_t y, std::int64_t x) { return static_cast<std::size_t>(y * nx + x); };
  for (std::int64_t y = 0; y < ny; ++y)
    for (std::int64_t x = 0; x < nx; ++x) {
      if (mask.at(y, x) == 0) continue;
      std::int32_t own = 0;
      const auto touch = [&](std::int64_t dy, std::int64_t dx) {
        if (y + dy < 0 || x + dx < 0 || x + dx >= nx) return;
        const std::int32_t other = out.at(y + dy, x + dx);
        if (other == 0) return;
        if (own == 0)
          own = other;
        else
          sets.join(own, other);
      };
      touch(0, -1), touch(-1, 0);
      if (corners) touch(-1, -1), touch(-1, 1);
      out.pixels[place(y, x)] = own != 0 ? own : sets.add();
    }
  std::vector<std::int32_t> number(sets.size(), 0);
  std::int32_t next = 0;
  for (std::int32_t& pixel : out.pixels) {
    if (pixel == 0) continue;
    std::int32_t& its = number[static_cast<std::size_t>(sets.root(pixel))];
    if (its == 0) its = ++next;
    pixel = its;
  }
  return out;
}

void merge(Mask& mask, const Mask& other) {
  check_same(mask, other);
  for (std::size_t i = 0; i < mask.pixels.size(); ++i)
    if (mask.pixels[i] == 0 && other.pixels[i] != 0) mask.pixels[i] = 1;
}

void subtract(Mask& mask, const Mask& other) {
  check_same(mask, other);
  for (std::size_t i = 0; i < mask.pixels.size(); ++i)
    if (other.pixels[i] != 0) mask.pixels[i] = 0;
}

void remove_islands(Mask& mask, std::span<const std::int32_t> numbers) {
  keep_where(mask, marked(mask, numbers, false));
}

void keep_islands(Mask& mask, std::span<const std::int32_t> numbers) { keep_where(mask, marked(mask, numbers, true)); }

void remove_small(Mask& mask, std::int64_t least) {
  const bool ones = mask.largest() <= 1;
  const Mask islands = ones ? numbered(mask) : mask;
  std::vector<std::int64_t> area(static_cast<std::size_t>(islands.largest()) + 1, 0);
  for (const std::int32_t pixel : islands.pixels) ++area[static_cast<std::size_t>(std::max(0, pixel))];
  for (std::size_t i = 0; i < mask.pixels.size(); ++i)
    if (islands.pixels[i] > 0 && area[static_cast<std::size_t>(islands.pixels[i])] < least) mask.pixels[i] = 0;
}

void make_binary(Mask& mask) {
  for (std::int32_t& pixel : mask.pixels) pixel = pixel != 0 ? 1 : 0;
}

void invert(Mask& mask) {
  for (std::int32_t& pixel : mask.pixels) pixel = pixel == 0 ? 1 : 0;
}

void fill_holes(Mask& mask) {
  make_binary(mask);
  Mask outside = mask;
  invert(outside);
  const Mask parts = numbered(outside);
  std::vector<char> open(static_cast<std::size_t>(parts.largest()) + 1, 0);
  const auto [ny, nx] = mask.shape;
  for (std::int64_t x = 0; x < nx; ++x) open[parts.at(0, x)] = open[parts.at(ny - 1, x)] = 1;
  for (std::int64_t y = 0; y < ny; ++y) open[parts.at(y, 0)] = open[parts.at(y, nx - 1)] = 1;
  for (std::size_t i = 0; i < mask.pixels.size(); ++i)
    if (parts.pixels[i] > 0 && open[static_cast<std::size_t>(parts.pixels[i])] == 0) mask.pixels[i] = 1;
}

std::vector<double> sums_over_peaks(const Mask& islands, std::span<const float> image) {
  const std::size_t count = static_cast<std::size_t>(islands.largest()) + 1;
  std::vector<double> sum(count, 0), peak(count, -std::numeric_limits<double>::infinity());
  for (std::size_t i = 0; i < islands.pixels.size(); ++i) {
    if (islands.pixels[i] <= 0 || !std::isfinite(image[i])) continue;
    const auto k = static_cast<std::size_t>(islands.pixels[i]);
    sum[k] += image[i];
    peak[k] = std::max(peak[k], static_cast<double>(image[i]));
  }
  for (std::size_t k = 0; k < count; ++k) sum[k] = std::isfinite(peak[k]) ? sum[k] / peak[k] : 0;
  return sum;
}

}  // namespace reber
