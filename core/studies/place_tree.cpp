// SPDX-License-Identifier: BSD-3-Clause
// Built of distinct places, cut along x, y and z in turn.
#include "core/studies/place_tree.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <tuple>

namespace reber {
namespace {

constexpr double kDegrees = 180 / std::numbers::pi;
constexpr int kAxes = 3;

Direction direction(double lon, double lat) {
  const double c = std::cos(lat / kDegrees);
  return {c * std::cos(lon / kDegrees), c * std::sin(lon / kDegrees), std::sin(lat / kDegrees)};
}

}  // namespace

struct PlaceTree::Search {
  Direction from;
  double chord2;  ///< of the best, or the limit
  std::int64_t row = -1;
};

PlaceTree::PlaceTree(const std::vector<double>& lon, const std::vector<double>& lat, const Progress& progress)
    : node_of_(lon.size()), struck_(lon.size(), 1) {
  struct Placed {
    Direction place;
    std::int64_t row;
  };
  std::vector<Placed> placed;
  for (std::size_t i = 0; i < std::min(lon.size(), lat.size()); ++i)
    if (std::isfinite(lon[i]) && std::isfinite(lat[i]))
      placed.push_back({direction(lon[i], lat[i]), static_cast<std::int64_t>(i)});
  std::ranges::sort(
      placed, [](const Placed& p, const Placed& q) { return std::tie(p.place, p.row) < std::tie(q.place, q.row); });
  std::vector<std::int64_t> by_place;
  for (const Placed& each : placed) {
    if (nodes_.empty() || nodes_.back().place != each.place)
      nodes_.push_back({each.place, by_place.size(), by_place.size(), 0, 0});
    by_place.push_back(each.row);
    ++nodes_.back().last;
  }
  build(0, nodes_.size(), 0, progress);
  rows_.reserve(by_place.size());
  for (std::size_t n = 0; n < nodes_.size(); ++n) {
    const std::size_t first = rows_.size();
    for (std::size_t i = nodes_[n].first; i < nodes_[n].last; ++i) {
      rows_.push_back(by_place[i]);
      node_of_[static_cast<std::size_t>(by_place[i])] = n;
    }
    nodes_[n].first = first, nodes_[n].last = rows_.size();
  }
  restore();
}

void PlaceTree::build(std::size_t begin, std::size_t end, int depth, const Progress& progress) {
  if (end - begin < 2) return;
  progress.check();
  const auto axis = static_cast<std::size_t>(depth % kAxes);
  const std::size_t middle = begin + (end - begin) / 2;
  const auto at = [&](std::size_t i) { return nodes_.begin() + static_cast<std::ptrdiff_t>(i); };
  std::nth_element(at(begin), at(middle), at(end),
                   [axis](const Node& p, const Node& q) { return p.place[axis] < q.place[axis]; });
  build(begin, middle, depth + 1, progress);
  build(middle + 1, end, depth + 1, progress);
}

void PlaceTree::restore() {
  for (const std::int64_t row : rows_) struck_[static_cast<std::size_t>(row)] = 0;
  for (Node& node : nodes_) node.next = node.first;
  count(0, nodes_.size());
}

void PlaceTree::count(std::size_t begin, std::size_t end) {
  if (begin == end) return;
  const std::size_t middle = begin + (end - begin) / 2;
  count(begin, middle);
  count(middle + 1, end);
  Node& node = nodes_[middle];
  node.left = node.last - node.first;
  if (middle > begin) node.left += nodes_[begin + (middle - begin) / 2].left;
  if (end > middle + 1) node.left += nodes_[middle + 1 + (end - middle - 1) / 2].left;
}

void PlaceTree::strike(std::int64_t row) {
  const std::size_t wanted = node_of_[static_cast<std::size_t>(row)];
  struck_[static_cast<std::size_t>(row)] = 1;
  for (std::size_t begin = 0, end = nodes_.size();;) {
    const std::size_t middle = begin + (end - begin) / 2;
    --nodes_[middle].left;
    if (middle == wanted) break;
    (wanted < middle ? end : begin) = wanted < middle ? middle : middle + 1;
  }
  Node& node = nodes_[wanted];
  while (node.next < node.last && struck_[static_cast<std::size_t>(rows_[node.next])] != 0) ++node.next;
}

void PlaceTree::look(std::size_t begin, std::size_t end, int depth, Search& search) const {
  if (begin == end) return;
  const std::size_t middle = begin + (end - begin) / 2;
  const Node& node = nodes_[middle];
  if (node.left == 0) return;
  if (node.next < node.last) {
    const double d = chord2(search.from, node.place);
    const std::int64_t row = rows_[node.next];
    if (d < search.chord2 || (d == search.chord2 && (search.row < 0 || row < search.row)))
      search.chord2 = d, search.row = row;
  }
  const auto axis = static_cast<std::size_t>(depth % kAxes);
  const double across = search.from[axis] - node.place[axis];
  const auto lower = [&] { look(begin, middle, depth + 1, search); };
  const auto upper = [&] { look(middle + 1, end, depth + 1, search); };
  across < 0 ? lower() : upper();
  // What is as near counts as well: its row may come first.
  if (across * across <= search.chord2) across < 0 ? upper() : lower();
}

std::optional<PlaceTree::Near> PlaceTree::nearest(const Direction& from, double limit) const {
  Search search{from, limit};
  look(0, nodes_.size(), 0, search);
  if (search.row < 0) return std::nullopt;
  return Near{search.chord2, search.row};
}

}  // namespace reber
