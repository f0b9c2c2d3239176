// SPDX-License-Identifier: BSD-3-Clause
// Masks: which pixels of an image are inside, and what can be done with them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/base/shape.hpp"

namespace reber {

/// 0 outside; inside 1, or the number of the pixel's island. Row-major, y slow.
struct Mask {
  Shape shape;
  std::vector<std::int32_t> pixels;

  explicit Mask(Shape of = {}) : shape(of), pixels(static_cast<std::size_t>(of.count()), 0) {}
  [[nodiscard]] std::int32_t at(std::int64_t y, std::int64_t x) const {
    return pixels[static_cast<std::size_t>(y * shape.nx + x)];
  }
  /// Pixels inside.
  [[nodiscard]] std::int64_t count() const;
  /// The largest number; 0 where nothing is inside.
  [[nodiscard]] std::int32_t largest() const;
  bool operator==(const Mask&) const = default;
};

/// 1 where the pixel is above sigma x noise; the outermost pixels and those that are not finite are outside.
[[nodiscard]] Mask above(std::span<const float> image, std::span<const float> noise, double sigma, Shape shape);

/// Islands joined at their sides, numbered from 1 in raster order.   corners: joined at their corners as well
[[nodiscard]] Mask numbered(const Mask& mask, bool corners = false);

/// Inside where either is.   throws InternalError where the shapes differ, like the next
void merge(Mask& mask, const Mask& other);
/// Outside where the other is inside.
void subtract(Mask& mask, const Mask& other);

/// Islands of these numbers become outside, or all others do.
void remove_islands(Mask& mask, std::span<const std::int32_t> numbers);
void keep_islands(Mask& mask, std::span<const std::int32_t> numbers);
/// Islands of fewer than `least` pixels become outside; a mask of ones is taken island by island.
void remove_small(Mask& mask, std::int64_t least);
/// Every number becomes 1.
void make_binary(Mask& mask);
/// Inside and outside change places.
void invert(Mask& mask);
/// Outside pixels that no path along sides joins to the border become inside, as a mask of ones.
void fill_holes(Mask& mask);

/// Of each island, from 1: the sum of its pixels over the largest of them; 0 for an island without a finite one.
[[nodiscard]] std::vector<double> sums_over_peaks(const Mask& islands, std::span<const float> image);

}  // namespace reber
