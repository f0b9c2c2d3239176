// SPDX-License-Identifier: BSD-3-Clause
// Which tiles a grid has, and the walk over a block of boxes.
#include "kernels/cpu/overlapping_boxes.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace reber::cpu {
namespace {

std::int64_t sum_of_sizes(const std::vector<PixelSpan>& spans) {
  std::int64_t sum = 0;
  for (const PixelSpan& span : spans) sum += span.size();
  return sum;
}

/// Pixels of all spans that are in tiles of their own.
std::int64_t covered(const TileAxis& axis) {
  std::int64_t sum = 0;
  for (const auto& [first, last] : axis.inside)
    if (first < last)
      sum += axis.tiles[static_cast<std::size_t>(last - 1)].end - axis.tiles[static_cast<std::size_t>(first)].begin;
  return sum;
}

/// Tiles that boxes [begin, end) need.
TileAxis::Inside needed(const TileAxis& axis, std::int64_t begin, std::int64_t end) {
  return {axis.inside[static_cast<std::size_t>(begin)].first, axis.inside[static_cast<std::size_t>(end - 1)].last};
}

std::int64_t most_inside(const TileAxis& axis) {
  std::int64_t most = 0;
  for (const auto& [first, last] : axis.inside) most = std::max(most, last - first);
  return most;
}

}  // namespace

TileAxis tile_axis(const std::vector<PixelSpan>& spans, std::int64_t least) {
  std::vector<std::int64_t> edges{spans.front().begin};
  const std::int64_t end = spans.back().end;
  for (const PixelSpan& span : spans)
    if (span.begin >= edges.back() + least) edges.push_back(span.begin);
  for (const PixelSpan& span : spans)
    if (span.end >= edges.back() + least && span.end < end) edges.push_back(span.end);
  edges.push_back(end);
  TileAxis axis;
  for (std::size_t k = 0; k + 1 < edges.size(); ++k) axis.tiles.push_back({edges[k], edges[k + 1]});
  for (const PixelSpan& span : spans) {
    const std::int64_t first = std::ranges::lower_bound(edges, span.begin) - edges.begin();
    const std::int64_t last = std::ranges::upper_bound(edges, span.end) - edges.begin() - 1;
    axis.inside.push_back({first, std::max(first, last)});
  }
  return axis;
}

namespace {

/// Pixels of all boxes over those of the grid.
double overlap_of(const std::vector<PixelSpan>& spans) {
  return static_cast<double>(sum_of_sizes(spans)) / static_cast<double>(spans.back().end - spans.front().begin);
}

/// Part of the boxes' pixels along one axis that are in tiles of their own.
double part_covered(const TileAxis& axis, const std::vector<PixelSpan>& spans) {
  return static_cast<double>(covered(axis)) / static_cast<double>(sum_of_sizes(spans));
}

double size_of_tiles(const TileAxis& axis) {
  return static_cast<double>(axis.tiles.back().end - axis.tiles.front().begin) /
         static_cast<double>(std::ssize(axis.tiles));
}

constexpr double kLeastCovered = 0.6, kMostSorted = 0.6;

/// Tiles that boxes share with their neighbours on all sides.
std::optional<TileGrid> square_tiles(const MeshGrid& grid, std::int64_t tasks) {
  constexpr double kLeastArea = 400;
  constexpr std::int64_t kMostSide = 32, kMostPixels = 2 << 20;
  const double overlap = overlap_of(grid.rows) * overlap_of(grid.cols);
  if (overlap < 1 / kMostSorted) return std::nullopt;
  TileGrid tiles{tile_axis(grid.rows), tile_axis(grid.cols)};
  const double in_tiles = part_covered(tiles.rows, grid.rows) * part_covered(tiles.cols, grid.cols);
  const double area = size_of_tiles(tiles.rows) * size_of_tiles(tiles.cols);
  if (in_tiles < kLeastCovered || area < kLeastArea) return std::nullopt;
  const auto wanted =
      static_cast<std::int64_t>(std::sqrt(static_cast<double>(grid.ny() * grid.nx()) / static_cast<double>(tasks)));
  const auto beside = static_cast<double>(std::max(most_inside(tiles.rows), most_inside(tiles.cols)) - 1);
  const auto held = static_cast<std::int64_t>(std::sqrt(static_cast<double>(kMostPixels) / area) - beside);
  // Part of the boxes' pixels that are sorted, where a block's tiles are sorted for it alone.
  const auto sorted = [&](std::int64_t side) {
    const double tile_rows = 1 + beside / static_cast<double>(side);
    return 1 - in_tiles + tile_rows * tile_rows / overlap;
  };
  std::int64_t side = std::min({std::max<std::int64_t>(wanted, 2), held, kMostSide});
  while (side > 0 && side < std::min(held, kMostSide) && sorted(side) > kMostSorted) ++side;
  if (side <= 0 || sorted(side) > kMostSorted) return std::nullopt;
  tiles.down = tiles.across = side;
  return tiles;
}

/// Tiles as high as a row of boxes.
std::optional<TileGrid> strips(const MeshGrid& grid) {
  constexpr double kLeastArea = 100;
  constexpr std::int64_t kLeastWidth = 4, kMostAcross = 64;
  const double overlap = overlap_of(grid.cols);
  if (overlap < 1 / kMostSorted) return std::nullopt;
  TileGrid tiles{{grid.rows, {}}, tile_axis(grid.cols, kLeastWidth), 1, std::min(grid.nx(), kMostAcross)};
  for (std::int64_t j = 0; j < grid.ny(); ++j) tiles.rows.inside.push_back({j, j + 1});
  const double in_tiles = part_covered(tiles.cols, grid.cols);
  const double height = static_cast<double>(sum_of_sizes(grid.rows)) / static_cast<double>(grid.ny());
  const double beside = 1 + static_cast<double>(most_inside(tiles.cols) - 1) / static_cast<double>(tiles.across);
  const bool pays = in_tiles >= kLeastCovered && height * size_of_tiles(tiles.cols) >= kLeastArea &&
                    1 - in_tiles + beside / overlap <= kMostSorted;
  return pays ? std::optional(std::move(tiles)) : std::nullopt;
}

}  // namespace

std::optional<TileGrid> tiles_of(const MeshGrid& grid, std::int64_t tasks) {
  if (grid.ny() == 0 || grid.nx() == 0) return std::nullopt;
  std::optional<TileGrid> tiles = square_tiles(grid, tasks);
  return tiles ? std::move(tiles) : strips(grid);
}

void OverlappingBoxes::sort_tiles(const HeldRows& plane, const TileGrid& tiles, const BoxBlock& block) {
  rows_ = needed(tiles.rows, block.j0, block.j1);
  cols_ = needed(tiles.cols, block.i0, block.i1);
  const auto count = static_cast<std::size_t>((rows_.last - rows_.first) * (cols_.last - cols_.first));
  if (sorted_.size() < count) sorted_.resize(count);
  auto tile = sorted_.begin();
  for (std::int64_t j = rows_.first; j < rows_.last; ++j)
    for (std::int64_t i = cols_.first; i < cols_.last; ++i) {
      const PixelSpan rows = tiles.rows.tiles[static_cast<std::size_t>(j)];
      const PixelSpan cols = tiles.cols.tiles[static_cast<std::size_t>(i)];
      scratch_.sort.begin(rows.size() * cols.size());
      scratch_.sort.gather(plane, {rows.begin, cols.begin, rows.size(), cols.size()}, true);
      std::uint32_t* keys = tile->begin(scratch_.sort.count());
      if (scratch_.sort.count() > 0) scratch_.sort.sort_into(keys, [](std::uint32_t key) { return key; });
      tile->finish();
      ++tile;
    }
}

void OverlappingBoxes::sort_rest(const HeldRows& plane, const Rect& box, const Rect& core) {
  const std::int64_t bottom = core.y0 + core.ny, right = core.x0 + core.nx;
  scratch_.sort.begin(box.shape().count() - core.shape().count());
  scratch_.sort.gather(plane, {box.y0, box.x0, core.y0 - box.y0, box.nx}, false);
  scratch_.sort.gather(plane, {bottom, box.x0, box.y0 + box.ny - bottom, box.nx}, false);
  scratch_.sort.gather(plane, {core.y0, box.x0, core.ny, core.x0 - box.x0}, false);
  scratch_.sort.gather(plane, {core.y0, right, core.ny, box.x0 + box.nx - right}, false);
  std::uint32_t* keys = rest_.begin(scratch_.sort.count());
  if (scratch_.sort.count() > 0) scratch_.sort.sort_into(keys, [](std::uint32_t key) { return key; });
  rest_.finish();
}

bool OverlappingBoxes::gather_lists(const HeldRows& plane, const TileGrid& tiles, std::int64_t j, std::int64_t i,
                                    const Rect& box) {
  clip_.clear();
  const TileAxis::Inside rows = tiles.rows.inside[static_cast<std::size_t>(j)];
  const TileAxis::Inside cols = tiles.cols.inside[static_cast<std::size_t>(i)];
  const std::int64_t width = cols_.last - cols_.first;
  Rect core{box.y0, box.x0, 0, box.nx};
  if (rows.first < rows.last && cols.first < cols.last) {
    core.y0 = tiles.rows.tiles[static_cast<std::size_t>(rows.first)].begin;
    core.x0 = tiles.cols.tiles[static_cast<std::size_t>(cols.first)].begin;
    core.ny = tiles.rows.tiles[static_cast<std::size_t>(rows.last - 1)].end - core.y0;
    core.nx = tiles.cols.tiles[static_cast<std::size_t>(cols.last - 1)].end - core.x0;
    for (std::int64_t y = rows.first; y < rows.last; ++y)
      for (std::int64_t x = cols.first; x < cols.last; ++x) {
        const SortedPixels& tile = sorted_[static_cast<std::size_t>((y - rows_.first) * width + x - cols_.first)];
        if (!tile.summed()) return false;
        if (tile.count() > 0) clip_.add(tile);
      }
  }
  if (core == box) return true;
  sort_rest(plane, box, core);
  if (rest_.summed() && rest_.count() > 0) clip_.add(rest_);
  return rest_.summed();
}

void OverlappingBoxes::measure(const HeldRows& plane, const MeshGrid& grid, const TileGrid& tiles,
                               const BoxBlock& block, const CellRules& given, const Wanted& wanted, const Put& put) {
  bool sorted = false;
  for (std::int64_t j = block.j0; j < block.j1; ++j)
    for (std::int64_t i = block.i0; i < block.i1; ++i) {
      if (!wanted(j, i)) continue;
      if (!std::exchange(sorted, true)) sort_tiles(plane, tiles, block);
      const PixelSpan rows = grid.rows[static_cast<std::size_t>(j)], cols = grid.cols[static_cast<std::size_t>(i)];
      const Rect box{rows.begin, cols.begin, rows.size(), cols.size()};
      ClippedCell cell = kBlankCell;
      if (!gather_lists(plane, tiles, j, i, box)) {
        cell = clipped_cell(plane, box, given, scratch_);
      } else if (given.enough(clip_.kept(), box.shape().count())) {
        const rules::CellClip clip = clip_.clip(given.clip);
        cell = {clip.median, clip.mean, clip.std};
      }
      put(j, i, cell);
    }
}

}  // namespace reber::cpu
