// SPDX-License-Identifier: BSD-3-Clause
// The pixels around islands against distances by trial of all pairs.
#include "core/measure/fitting/surroundings.hpp"

#include <cmath>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "tests/support/testing.hpp"

namespace reber::testing {
namespace {

/// Islands 10, 20, ... of squares of random sides at random places; a pixel belongs to the first that takes it.
IslandPixels random_islands(Random& random, Shape shape, int count) {
  std::vector<int> owner(static_cast<std::size_t>(shape.count()), 0);
  for (int k = 1; k <= count; ++k) {
    const auto y0 = static_cast<std::int64_t>(random.uniform() * static_cast<double>(shape.ny));
    const auto x0 = static_cast<std::int64_t>(random.uniform() * static_cast<double>(shape.nx));
    const auto side = static_cast<std::int64_t>(1 + random.uniform() * 4);
    for (std::int64_t y = y0; y < std::min(shape.ny, y0 + side); ++y)
      for (std::int64_t x = x0; x < std::min(shape.nx, x0 + side); ++x)
        if (int& one = owner[static_cast<std::size_t>(y * shape.nx + x)]; one == 0) one = k;
  }
  IslandPixels all;
  for (int k = 1; k <= count; ++k) {
    for (std::int64_t i = 0; i < shape.count(); ++i)
      if (owner[static_cast<std::size_t>(i)] == k)
        all.y.push_back(static_cast<std::int32_t>(i / shape.nx)),
            all.x.push_back(static_cast<std::int32_t>(i % shape.nx));
    if (static_cast<std::int64_t>(all.y.size()) == all.first.back()) continue;
    all.label.push_back(10 * k);
    all.first.push_back(static_cast<std::int64_t>(all.y.size()));
  }
  return all;
}

std::int64_t square_to(const IslandPixels& islands, std::size_t island, std::int64_t y, std::int64_t x) {
  std::int64_t least = 1 << 20;
  for (auto p = static_cast<std::size_t>(islands.first[island]);
       p < static_cast<std::size_t>(islands.first[island + 1]); ++p)
    least = std::min(least, (islands.y[p] - y) * (islands.y[p] - y) + (islands.x[p] - x) * (islands.x[p] - x));
  return least;
}

using Place = std::tuple<std::int64_t, std::int64_t, std::int64_t>;  // label, y, x

std::set<Place> by_trial(const IslandPixels& islands, const std::vector<Surrounding>& wanted, Shape shape) {
  std::set<Place> all;
  for (std::int64_t y = 0; y < shape.ny; ++y)
    for (std::int64_t x = 0; x < shape.nx; ++x)
      for (const Surrounding& one : wanted) {
        const std::int64_t own = square_to(islands, one.island, y, x);
        bool nearest = own > 0 && static_cast<double>(own) <= one.reach_px * one.reach_px;
        for (std::size_t k = 0; k < islands.label.size() && nearest; ++k)
          nearest = k == one.island || square_to(islands, k, y, x) > own;
        if (nearest) all.insert({islands.label[one.island], y, x});
      }
  return all;
}

TEST(Surroundings, are_the_pixels_nearer_to_an_island_than_to_any_other) {
  Random random(7);
  ThreadPool pool;
  for (int trial = 0; trial < 60; ++trial) {
    SCOPED_TRACE(trial);
    const Shape shape{20 + trial % 7, 24 + trial % 5};
    const IslandPixels islands = random_islands(random, shape, 1 + trial % 9);
    std::vector<Surrounding> wanted;
    for (std::size_t k = 0; k < islands.label.size(); k += 2) wanted.push_back({k, 1 + 7 * random.uniform()});
    const MarginRuns made = surrounding_runs(islands, wanted, shape, pool);
    std::set<Place> got;
    std::tuple<std::int32_t, std::int32_t> before{-1, -1};
    std::int32_t highest = 0;
    for (const LabelRuns::Run& run : made.runs.runs) {
      EXPECT_LT(before, std::tuple(run.y, run.x0));
      before = {run.y, run.x1 - 1};
      EXPECT_LE(run.label, highest + 1);  // numbered in the order of their first pixels
      highest = std::max(highest, run.label);
      for (std::int32_t x = run.x0; x < run.x1; ++x)
        EXPECT_TRUE(got.insert({made.island[static_cast<std::size_t>(run.label) - 1], run.y, x}).second);
    }
    EXPECT_EQ(got, by_trial(islands, wanted, shape));
  }
}

TEST(Surroundings, are_none_where_none_are_wanted) {
  Random random(8);
  ThreadPool pool;
  EXPECT_TRUE(surrounding_runs(random_islands(random, {20, 20}, 3), {}, {20, 20}, pool).runs.runs.empty());
}

}  // namespace
}  // namespace reber::testing
