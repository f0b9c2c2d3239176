// SPDX-License-Identifier: BSD-3-Clause
// Which cells of a mesh a card does not sort, as there is neither the memory for their keys nor a count of 32 bits.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/seam/compute/background.hpp"

namespace reber {

/// Pixels of the largest cell that a card sorts: 5.4 GB of keys and values.
inline constexpr std::int64_t kMostSortedCell = std::int64_t{1} << 28;

/// Whether a grid has a larger cell. Its pixels are counted by their values, cell after cell, in a few walks over the
/// rows of each, which take no more memory than other walks do.
[[nodiscard]] inline bool has_counted_cells(const MeshGrid& grid) {
  const auto largest = [](const auto& spans) {
    std::int64_t size = 0;
    for (const PixelSpan& span : spans) size = std::max(size, span.size());
    return size;
  };
  return largest(grid.rows) * largest(grid.cols) > kMostSortedCell;
}

}  // namespace reber
