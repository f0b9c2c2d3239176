// SPDX-License-Identifier: BSD-3-Clause
// Sorted by row, then column.
#include "core/measure/extended/place_index.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace reber {

PlaceIndex::PlaceIndex(const std::vector<std::pair<double, double>>& places) {
  for (std::size_t i = 0; i < places.size(); ++i)
    by_row_.push_back({std::llround(places[i].second), std::llround(places[i].first), i});
  std::ranges::sort(by_row_, {}, [](const Place& p) { return std::tuple(p.y, p.x, p.number); });
}

std::vector<std::size_t> PlaceIndex::inside(const SegmentNode& node) const {
  const IslandSums& box = node.sums;
  std::vector<std::size_t> found;
  for (auto place = std::ranges::lower_bound(by_row_, box.y0, {}, &Place::y);
       place != by_row_.end() && place->y < box.y1; ++place)
    if (place->x >= box.x0 && place->x < box.x1 && label_at(node.pixels, place->y, place->x) > 0)
      found.push_back(place->number);
  std::ranges::sort(found);
  return found;
}

HeldPlaces held_by(const std::vector<SegmentNode>& nodes, const std::vector<std::pair<double, double>>& places) {
  const PlaceIndex index(places);
  HeldPlaces held{{}, std::vector<std::vector<std::size_t>>(nodes.size())};
  std::vector<std::size_t> holder(places.size(), SegmentNode::kNone);  // the smallest node around each
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    held.inside.push_back(index.inside(nodes[i]));
    for (const std::size_t k : held.inside.back())
      if (holder[k] == SegmentNode::kNone || nodes[i].sums.npix < nodes[holder[k]].sums.npix) holder[k] = i;
  }
  for (std::size_t k = 0; k < holder.size(); ++k)
    if (holder[k] != SegmentNode::kNone) held.direct[holder[k]].push_back(k);
  return held;
}

}  // namespace reber
