// SPDX-License-Identifier: BSD-3-Clause
// What convolutions reach of a card's peak rate of multiply-adds, as measured tables: the costs that `auto` compares.
#pragma once

#include <algorithm>
#include <span>

namespace reber::cuda {

/// A kernel of that side, or of so many taps, takes as long as its multiply-adds at that part of the peak rate.
struct ReachedPart {
  int side = 0;
  double part = 0;
};

/// Between the rows, whose sides ascend, by a line; beyond them as the nearest.
[[nodiscard]] inline double part_reached(std::span<const ReachedPart> table, double side) {
  const auto above = std::ranges::find_if(table, [side](const ReachedPart& row) { return row.side >= side; });
  if (above == table.begin()) return table.front().part;
  if (above == table.end()) return table.back().part;
  const ReachedPart &low = above[-1], &high = *above;
  return low.part + (high.part - low.part) * (side - low.side) / (high.side - low.side);
}

}  // namespace reber::cuda
