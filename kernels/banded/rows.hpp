// SPDX-License-Identifier: BSD-3-Clause
// Ranges of an image's rows, and how the image is cut into bands of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/seam/compute/background.hpp"

namespace reber::banded {

/// Rows [begin, end).
struct Rows {
  std::int64_t begin = 0, end = 0;
  [[nodiscard]] std::int64_t size() const { return std::max<std::int64_t>(end - begin, 0); }
  [[nodiscard]] bool holds(Rows other) const { return begin <= other.begin && other.end <= end; }
  [[nodiscard]] Rows with(Rows other) const { return {std::max(begin, other.begin), std::min(end, other.end)}; }
  bool operator==(const Rows&) const = default;
};

/// Of rows of an image of `ny` those that lie `margin` or more inside; nothing is left out at the image's own edges.
[[nodiscard]] Rows inside(Rows rows, std::int64_t margin, std::int64_t ny);
/// With `margin` more rows on both sides, as far as the image has them.
[[nodiscard]] Rows about(Rows rows, std::int64_t margin, std::int64_t ny);

/// A band for each weight, as tall as its weight says; fewer where bands would be lower than a few rows. A band begins
/// where blocks of a picture of the image do, so that whoever has it finds their peaks.
[[nodiscard]] std::vector<Rows> bands_of(Shape image, const std::vector<double>& weights);

/// What lies between parts of [0, ny), which ascend; empty parts count for nothing.
[[nodiscard]] std::vector<Rows> gaps_between(const std::vector<Rows>& parts, std::int64_t ny);

/// Rows of cells that a band measures: those that lie in it, and a little inside, so that they are the same ones for a
/// plane with a small margin. band: of rows of an image
[[nodiscard]] Rows cells_of_band(const MeshGrid& grid, Rows band, std::int64_t margin);
/// With those that the rest of `rows` lies in, so that no walk over them leaves rows out.
[[nodiscard]] Rows covering(const MeshGrid& grid, Rows cells, Rows rows);
/// A grid in which all rows of cells but [own.begin, own.end) are cut at the image's edges.
[[nodiscard]] MeshGrid clamped(MeshGrid grid, Rows own);

/// Rows of cells that lie in `rows`.
[[nodiscard]] Rows cells_within(const MeshGrid& grid, Rows rows);
/// Rows of cells whose nodes the background of `rows` lies between.
[[nodiscard]] Rows cells_about(const MeshGrid& grid, Rows rows);
/// Rows between the first and the last node of these rows of cells.
[[nodiscard]] Rows rows_of_nodes(const MeshGrid& grid, Rows cells);

/// Rows of cells of a grid, for an image that is `rows` of the grid's. Cells may lie beyond that.
[[nodiscard]] MeshGrid cut(const MeshGrid& grid, Rows cells, Rows rows);
/// The same of a background; without its maps, which are the caller's.
[[nodiscard]] BackgroundModel cut(const BackgroundModel& model, Rows cells, Rows rows);

}  // namespace reber::banded
