// SPDX-License-Identifier: BSD-3-Clause
// Places inside structures: those that a look at every pair finds.
#include "core/measure/extended/place_index.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/testing.hpp"

namespace reber::testing {
namespace {

/// A disc with a hole in its middle.
SegmentNode ring(std::int64_t y, std::int64_t x, std::int64_t radius) {
  SegmentNode node;
  node.pixels.shape = {400, 400};
  const auto pixel = [](std::int64_t at) { return static_cast<std::int32_t>(at); };
  node.sums.y0 = pixel(y - radius), node.sums.y1 = pixel(y + radius + 1);
  node.sums.x0 = pixel(x - radius), node.sums.x1 = pixel(x + radius + 1);
  for (std::int64_t v = -radius; v <= radius; ++v)
    for (std::int64_t u = -radius; u <= radius; ++u) {
      const double r = std::hypot(static_cast<double>(u), static_cast<double>(v));
      if (r > static_cast<double>(radius) || r < 0.3 * static_cast<double>(radius)) continue;
      node.pixels.runs.push_back({static_cast<std::int32_t>(y + v), static_cast<std::int32_t>(x + u),
                                  static_cast<std::int32_t>(x + u + 1), 1});
      ++node.sums.npix;
    }
  return node;
}

TEST(PlaceIndex, finds_what_a_look_at_every_pair_does) {
  Random random(3);
  std::vector<SegmentNode> nodes{ring(100, 100, 60), ring(110, 130, 20), ring(300, 80, 40),
                                 ring(200, 300, 90), ring(205, 260, 30), ring(205, 262, 30)};
  std::vector<std::pair<double, double>> places{{-3, 100}, {500, 200}, {100, -1e6}};
  for (int i = 0; i < 3000; ++i) places.emplace_back(random.uniform() * 400, random.uniform() * 400);
  const HeldPlaces held = held_by(nodes, places);
  std::size_t found = 0;
  for (std::size_t k = 0; k < places.size(); ++k) {
    std::size_t smallest = SegmentNode::kNone;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const bool inside = label_at(nodes[i].pixels, std::llround(places[k].second), std::llround(places[k].first)) > 0;
      EXPECT_EQ(std::ranges::count(held.inside[i], k), inside ? 1 : 0) << k << ' ' << i;
      if (inside && (smallest == SegmentNode::kNone || nodes[i].sums.npix < nodes[smallest].sums.npix)) smallest = i;
    }
    for (std::size_t i = 0; i < nodes.size(); ++i)
      EXPECT_EQ(std::ranges::count(held.direct[i], k), i == smallest ? 1 : 0) << k << ' ' << i;
    found += smallest != SegmentNode::kNone ? 1U : 0U;
  }
  EXPECT_GT(found, 500U);
  for (const auto& inside : held.inside) EXPECT_TRUE(std::ranges::is_sorted(inside));
}

}  // namespace
}  // namespace reber::testing
