// SPDX-License-Identifier: BSD-3-Clause
// The rows of an image, island by island.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/measure/sources/source.hpp"

namespace reber {

/// The rows of one island.
using IslandRows = std::span<SourceRow>;

/// Rows of one island stand behind each other.
[[nodiscard]] inline std::vector<IslandRows> by_island(std::span<SourceRow> rows) {
  std::vector<IslandRows> islands;
  for (std::size_t k = 0, end = 0; k < rows.size(); k = end) {
    for (end = k + 1; end < rows.size() && rows[end].island == rows[k].island;) ++end;
    islands.push_back(rows.subspan(k, end - k));
  }
  return islands;
}

}  // namespace reber
