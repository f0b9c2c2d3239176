// SPDX-License-Identifier: BSD-3-Clause
// Counts of places in parts of an image, against looking at each.
#include "gui/model/tables/place_counts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace reber::gui {
namespace {

std::vector<SourceShape> places(std::size_t count, double nx, double ny) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> x(0, nx), y(0, ny);
  std::vector<SourceShape> made(count);
  for (SourceShape& one : made) one.x = x(random), one.y = y(random);
  return made;
}

double counted(const std::vector<SourceShape>& all, const Rect& r) {
  return static_cast<double>(std::ranges::count_if(all, [&](const SourceShape& one) {
    return one.x >= static_cast<double>(r.x0) && one.x < static_cast<double>(r.x0 + r.nx) &&
           one.y >= static_cast<double>(r.y0) && one.y < static_cast<double>(r.y0 + r.ny);
  }));
}

TEST(PlaceCounts, IsExactOnCellsAndOfTheWhole) {
  const Shape shape{640, 1280};
  const auto all = places(5000, 1280, 640);
  const PlaceCounts counts(all, shape);
  EXPECT_DOUBLE_EQ(counts.inside({0, 0, 640, 1280}), 5000);
  for (const Rect& r : {Rect{10, 20, 300, 600}, Rect{0, 1260, 10, 20}, Rect{630, 0, 10, 1280}})
    EXPECT_NEAR(counts.inside(r), counted(all, r), 1e-9) << r.x0 << " " << r.y0;
}

TEST(PlaceCounts, IsNearElsewhere) {
  const auto all = places(20000, 1000, 1000);
  const PlaceCounts counts(all, {1000, 1000});
  for (const Rect& r : {Rect{3, 7, 500, 333}, Rect{517, 211, 205, 301}, Rect{-50, -50, 433, 627}}) {
    const double exact = counted(all, r);
    EXPECT_NEAR(counts.inside(r), exact, 4 * std::sqrt(exact)) << r.x0 << " " << r.y0;
  }
}

TEST(PlaceCounts, LeavesOutWhatIsNowhere) {
  auto all = places(10, 30, 20);
  all[3].x = std::numeric_limits<double>::quiet_NaN();
  all[4].y = -1;
  all[5].x = 30;
  EXPECT_DOUBLE_EQ(PlaceCounts(all, {20, 30}).inside({-100, -100, 1000, 1000}), 7);
  EXPECT_DOUBLE_EQ(PlaceCounts().inside({0, 0, 10, 10}), 0);
  EXPECT_DOUBLE_EQ(PlaceCounts({}, {20, 30}).inside({0, 0, 20, 30}), 0);
}

}  // namespace
}  // namespace reber::gui
