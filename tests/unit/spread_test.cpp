// SPDX-License-Identifier: BSD-3-Clause
// Cards, images and jobs become worker processes and lanes.
#include "app/options/spread.hpp"

#include <gtest/gtest.h>

namespace reber::app {
namespace {

TEST(Spread, takes_all_cards_that_have_an_image) {
  EXPECT_EQ(spread_over({0, 1, 2, 3}, 100, 0).devices, "0,1,2,3");
  EXPECT_EQ(spread_over({0, 1, 2, 3}, 100, 0).lanes, 0);
  EXPECT_EQ(spread_over({0, 1, 2, 3}, 3, 0).devices, "0,1,2");
  EXPECT_EQ(spread_over({4, 6}, 100, 0).devices, "4,6");
}

TEST(Spread, has_no_more_images_at_a_time_than_jobs_but_for_rounding) {
  EXPECT_EQ(spread_over({0, 1, 2, 3}, 100, 2).devices, "0,1");
  EXPECT_EQ(spread_over({0, 1, 2, 3}, 100, 2).lanes, 1);
  EXPECT_EQ(spread_over({0, 1}, 100, 8).lanes, 4);
}

TEST(Spread, needs_no_workers_for_one_card_image_or_job) {
  for (const Spread& one : {spread_over({}, 100, 5), spread_over({0}, 100, 5)}) {
    EXPECT_EQ(one.devices, "");
    EXPECT_EQ(one.lanes, 5);
  }
  EXPECT_EQ(spread_over({0, 1}, 1, 0).devices, "");
  EXPECT_EQ(spread_over({0, 1}, 100, 1).devices, "");
  EXPECT_EQ(spread_over({0, 1}, 100, 1).lanes, 1);
}

}  // namespace
}  // namespace reber::app
