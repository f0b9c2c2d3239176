// SPDX-License-Identifier: BSD-3-Clause
// Outlines on a picture: closed, no more points than pixels, legible where there are many.
#include "core/show/picture/outline_marks.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace reber {
namespace {

std::vector<PixelPosition> circle(double x, double y, double radius, int corners) {
  std::vector<PixelPosition> made;
  for (int k = 0; k < corners; ++k) {
    const double angle = 2 * std::numbers::pi * k / corners;
    made.push_back({x + radius * std::cos(angle), y + radius * std::sin(angle)});
  }
  return made;
}

TEST(OutlineMarks, are_closed_and_have_no_more_points_than_pixels) {
  const SkyLayout layout = make_sky_layout({14000, 14000}, 1400);
  const OutlineMarks marks = mark_outlines(layout, {circle(7000, 7000, 1000, 200000)}, {});
  ASSERT_EQ(marks.paths.size(), 1U);
  const std::vector<Point>& path = marks.paths.front();
  EXPECT_EQ(path.front().x, path.back().x);
  EXPECT_EQ(path.front().y, path.back().y);
  const double length = 2 * std::numbers::pi * 1000 * layout.x_scale();
  EXPECT_LT(static_cast<double>(path.size()), 2 * length + 2);
  EXPECT_GT(static_cast<double>(path.size()), length);
  for (const Point& p : path)
    EXPECT_NEAR(std::hypot(p.x - layout.point(7000, 7000).x, p.y - layout.point(7000, 7000).y), 1000 * layout.x_scale(),
                0.01);
  EXPECT_GT(marks.thickness, 1.5 * layout.unit);
  EXPECT_TRUE(note_of(marks).empty());
}

TEST(OutlineMarks, that_would_be_dots_are_rings_and_those_elsewhere_are_none) {
  const SkyLayout layout = make_sky_layout({14000, 14000}, 1400);
  std::vector<PixelPosition> lost = circle(500, 500, 200, 20);
  lost[3].y = std::nan("");
  const OutlineMarks marks =
      mark_outlines(layout, {circle(300, 300, 4, 8), {}, circle(-4000, 300, 100, 8), lost, {{9000, 9000}}}, {});
  ASSERT_EQ(marks.paths.size(), 2U);
  EXPECT_EQ(marks.outlines, 2);
  for (const auto& path : marks.paths) {
    double left = INFINITY, right = -INFINITY;
    for (const Point& p : path) left = std::min(left, p.x), right = std::max(right, p.x);
    EXPECT_GE(right - left, 5 * layout.unit);
  }
}

TEST(OutlineMarks, become_thinner_where_they_crowd_and_the_largest_stay) {
  const SkyLayout layout = make_sky_layout({1400, 1400}, 1400);
  const auto ink_of = [](const OutlineMarks& marks) {
    double length = 0;
    for (const auto& path : marks.paths)
      for (std::size_t i = 1; i < path.size(); ++i)
        length += std::hypot(path[i].x - path[i - 1].x, path[i].y - path[i - 1].y);
    return 2 * marks.thickness * length / (1400.0 * 1400);
  };
  const auto many = [](int count) {
    std::vector<std::vector<PixelPosition>> made;
    for (int k = 0; k < count; ++k)
      made.push_back(circle(30 + 37 * (k * 7 % 37), 30 + 37 * (k * 11 % 37), k % 100 == 0 ? 60 : 20, 40));
    return made;
  };
  const OutlineMarks few = mark_outlines(layout, many(50), {}), more = mark_outlines(layout, many(1500), {}),
                     most = mark_outlines(layout, many(9000), {});
  EXPECT_LT(more.thickness, few.thickness);
  EXPECT_EQ(more.paths.size(), 1500U);
  EXPECT_TRUE(note_of(more).empty());
  EXPECT_LT(most.paths.size(), 9000U);
  EXPECT_GT(most.paths.size(), 1000U);
  for (const OutlineMarks* marks : {&few, &more, &most}) EXPECT_LT(ink_of(*marks), 0.26);
  EXPECT_NE(note_of(most).find("of 9000 extended sources outlined: the largest"), std::string::npos);
  const auto across = [](const std::vector<Point>& path) {
    double left = INFINITY, right = -INFINITY;
    for (const Point& p : path) left = std::min(left, p.x), right = std::max(right, p.x);
    return right - left;
  };
  for (std::size_t k = 0; k < 90; ++k) EXPECT_GT(across(most.paths[k]), 100) << "the larger ones come first";
}

}  // namespace
}  // namespace reber
