// SPDX-License-Identifier: BSD-3-Clause
// A summed-area table.
#include "gui/model/tables/place_counts.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace reber::gui {
namespace {

constexpr std::size_t at(int row, int column, int width) {
  return static_cast<std::size_t>(row) * static_cast<std::size_t>(width) + static_cast<std::size_t>(column);
}

}  // namespace

PlaceCounts::PlaceCounts(std::span<const SourceShape> shapes, Shape shape) : shape_(shape) {
  constexpr int kCorners = kCells + 1;
  sums_.assign(static_cast<std::size_t>(kCorners) * kCorners, 0.0);
  const auto nx = static_cast<double>(shape.nx), ny = static_cast<double>(shape.ny);
  for (const SourceShape& one : shapes) {
    if (!(one.x >= 0 && one.x < nx && one.y >= 0 && one.y < ny)) continue;
    const int column = static_cast<int>(kCells * one.x / nx), row = static_cast<int>(kCells * one.y / ny);
    sums_[at(std::min(row, kCells - 1) + 1, std::min(column, kCells - 1) + 1, kCorners)] += 1;
  }
  for (int row = 1; row < kCorners; ++row)
    for (int column = 1; column < kCorners; ++column)
      sums_[at(row, column, kCorners)] += sums_[at(row, column - 1, kCorners)] + sums_[at(row - 1, column, kCorners)] -
                                          sums_[at(row - 1, column - 1, kCorners)];
}

double PlaceCounts::before(double x, double y) const {
  constexpr int kCorners = kCells + 1;
  const double u = std::clamp(kCells * x / static_cast<double>(shape_.nx), 0.0, static_cast<double>(kCells));
  const double v = std::clamp(kCells * y / static_cast<double>(shape_.ny), 0.0, static_cast<double>(kCells));
  const int column = std::min(static_cast<int>(u), kCells - 1), row = std::min(static_cast<int>(v), kCells - 1);
  const double s = u - column, t = v - row;
  const double low = std::lerp(sums_[at(row, column, kCorners)], sums_[at(row, column + 1, kCorners)], s);
  const double high = std::lerp(sums_[at(row + 1, column, kCorners)], sums_[at(row + 1, column + 1, kCorners)], s);
  return std::lerp(low, high, t);
}

double PlaceCounts::inside(const Rect& part) const {
  if (sums_.empty() || shape_.nx <= 0 || shape_.ny <= 0) return 0;
  const auto x0 = static_cast<double>(part.x0), x1 = static_cast<double>(part.x0 + part.nx);
  const auto y0 = static_cast<double>(part.y0), y1 = static_cast<double>(part.y0 + part.ny);
  return before(x1, y1) - before(x0, y1) - before(x1, y0) + before(x0, y0);
}

}  // namespace reber::gui
