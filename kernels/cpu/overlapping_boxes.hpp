// SPDX-License-Identifier: BSD-3-Clause
// Boxes that overlap, measured by tiles whose pixels are sorted once for all boxes that hold them. Where boxes step by
// too few pixels for that, tiles are as high as a row of boxes: strips, which that row's boxes share.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "core/seam/compute/background.hpp"
#include "kernels/cpu/mesh_cell.hpp"
#include "kernels/cpu/sorted_pixels.hpp"

namespace reber::cpu {

/// Tiles along one axis: they follow each other.
struct TileAxis {
  struct Inside {
    std::int64_t first, last;  ///< tiles [first, last)
    bool operator==(const Inside&) const = default;
  };
  std::vector<PixelSpan> tiles;
  std::vector<Inside> inside;  ///< of each span of the grid: tiles that lie wholly in it
};
/// Tiles between the first pixels of spans whose ends never fall; none is narrower than `least` pixels but the last.
[[nodiscard]] TileAxis tile_axis(const std::vector<PixelSpan>& spans, std::int64_t least = 16);

/// The tiles of a grid, and how many boxes are worked on together.
struct TileGrid {
  TileAxis rows, cols;
  std::int64_t down = 0, across = 0;
};
/// Empty where sorting each box by itself costs no more: boxes that overlap little, or that few tiles fill.
/// tasks: blocks of boxes to be made, at least, where the tiles' sorts that blocks share do not forbid it.
[[nodiscard]] std::optional<TileGrid> tiles_of(const MeshGrid& grid, std::int64_t tasks);

/// Boxes rows x cols of a grid.
struct BoxBlock {
  std::int64_t j0, j1, i0, i1;
};

/// Measures blocks of boxes. Memory of one worker, kept from block to block.
class OverlappingBoxes {
 public:
  /// Row and column of a box.
  using Wanted = std::function<bool(std::int64_t j, std::int64_t i)>;
  using Put = std::function<void(std::int64_t j, std::int64_t i, const ClippedCell& cell)>;

  /// The block's boxes that are wanted, each with the bits of clipped_cell().
  void measure(const HeldRows& plane, const MeshGrid& grid, const TileGrid& tiles, const BoxBlock& block,
               const CellRules& given, const Wanted& wanted, const Put& put);

 private:
  void sort_tiles(const HeldRows& plane, const TileGrid& tiles, const BoxBlock& block);
  /// The box's pixels as lists for the clip.   returns whether all of them are summed
  bool gather_lists(const HeldRows& plane, const TileGrid& tiles, std::int64_t j, std::int64_t i, const Rect& box);
  void sort_rest(const HeldRows& plane, const Rect& box, const Rect& core);

  CellScratch scratch_;
  ListsClip clip_;
  std::vector<SortedPixels> sorted_;  ///< the block's tiles, row-major
  TileAxis::Inside rows_{}, cols_{};
  SortedPixels rest_;  ///< pixels of a box in no tile of its own
};

}  // namespace reber::cpu
