// SPDX-License-Identifier: BSD-3-Clause
// Which of many places lie in a structure, found without a look at all of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/measure/extended/segment_tree.hpp"

namespace reber {

/// Pixels by row. Memory and time to make: as the places are many.
class PlaceIndex {
 public:
  PlaceIndex() = default;
  /// places: (x, y) pixels from 0, finite; anywhere
  explicit PlaceIndex(const std::vector<std::pair<double, double>>& places);

  /// Numbers of the places whose nearest pixel is one of the node's, ascending. Looks at those in the node's rows.
  [[nodiscard]] std::vector<std::size_t> inside(const SegmentNode& node) const;

 private:
  struct Place {
    std::int64_t y, x;
    std::size_t number;
  };
  std::vector<Place> by_row_;
};

/// Places by the nodes that hold them.
struct HeldPlaces {
  /// Of each node, ascending: all places inside it, and those that no smaller node around them has.
  std::vector<std::vector<std::size_t>> inside, direct;
};
[[nodiscard]] HeldPlaces held_by(const std::vector<SegmentNode>& nodes,
                                 const std::vector<std::pair<double, double>>& places);

}  // namespace reber
