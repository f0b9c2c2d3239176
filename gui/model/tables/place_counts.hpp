// SPDX-License-Identifier: BSD-3-Clause
// How many sources lie in a part of an image, without looking at each: asked in every frame that moves.
#pragma once

#include <span>
#include <vector>

#include "core/base/shape.hpp"
#include "gui/model/tables/source_shapes.hpp"

namespace reber::gui {

/// Counts on a grid of 64 x 64 cells, summed from the first pixel. Places off the image count for none; NaN likewise.
class PlaceCounts {
 public:
  PlaceCounts() = default;
  PlaceCounts(std::span<const SourceShape> shapes, Shape shape);

  /// About so many lie in it: exact where its sides lie on those of cells, of the whole image too; those of a cell
  /// count by the part of it that lies inside.
  [[nodiscard]] double inside(const Rect& part) const;

 private:
  static constexpr int kCells = 64;
  [[nodiscard]] double before(double x, double y) const;
  Shape shape_{0, 0};
  std::vector<double> sums_;  ///< (kCells + 1)^2, row-major: of all cells left of and below a corner
};

}  // namespace reber::gui
