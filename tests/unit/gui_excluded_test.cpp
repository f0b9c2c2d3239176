// SPDX-License-Identifier: BSD-3-Clause
// Excluded regions become search regions of a request, and the user's own stay.
#include "gui/model/regions/excluded_areas.hpp"

#include <gtest/gtest.h>

#include "core/sky/mask/region_mask.hpp"

namespace reber::gui {
namespace {

Region box(double x, double y, bool excluded) {
  Region region;
  region.kind = Region::Kind::box;
  region.centre = {x, y};
  region.half_x = 5, region.half_y = 3, region.angle_deg = 20;
  region.name = "a # (name)";
  region.excluded = excluded;
  return region;
}

TEST(GuiExcluded, WordsReadBackAsTheRegions) {
  Region point = box(3, 3, true);
  point.kind = Region::Kind::point;
  const std::string words = excluded_words({box(10, 20, true), box(30, 40, false), point, box(50, 60, true)});
  ASSERT_TRUE(is_region_text(words)) << words;
  const std::vector<Region> read = read_regions(words, Wcs(), {});
  ASSERT_EQ(read.size(), 2u);
  for (const Region& one : read) EXPECT_TRUE(one.excluded);
  EXPECT_NEAR(read[1].centre.x, 50, 1e-4);
  EXPECT_NEAR(read[1].half_y, 3, 1e-4);
  EXPECT_EQ(excluded_words({box(30, 40, false)}), "");
}

TEST(GuiExcluded, TheRequestFollowsUnlessItHasRegionsOfItsOwn) {
  Request request;
  std::string written;
  const std::vector<Region> some = {box(1, 1, true)}, none = {box(1, 1, false)};
  EXPECT_EQ(follow_excluded(none, request, written), Excluding::as_before);
  EXPECT_EQ(follow_excluded(some, request, written), Excluding::changed);
  EXPECT_EQ(request.search.region, excluded_words(some));
  EXPECT_EQ(follow_excluded(some, request, written), Excluding::as_before);
  EXPECT_EQ(follow_excluded(none, request, written), Excluding::changed);
  EXPECT_EQ(request.search.region, "");
  // A file, or such words as the user wrote them.
  for (const char* own : {"mine.reg", "image; -circle(5,5,2)"}) {
    request.search.region = own;
    EXPECT_EQ(follow_excluded(none, request, written), Excluding::as_before);
    EXPECT_EQ(follow_excluded(some, request, written), Excluding::search_region_in_the_way);
    EXPECT_EQ(request.search.region, own);
  }
  // A session brings both.
  request.search.region = excluded_words(some);
  EXPECT_EQ(follow_excluded(some, request, written), Excluding::as_before);
  EXPECT_EQ(follow_excluded(none, request, written), Excluding::changed);
}

}  // namespace
}  // namespace reber::gui
