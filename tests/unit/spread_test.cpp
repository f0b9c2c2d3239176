// SPDX-License-Identifier: BSD-3-Clause
// Cards, images and jobs become worker processes and lanes.
#include "app/options/spread.hpp"

#include <gtest/gtest.h>

namespace reber::app {
namespace {

constexpr std::uintmax_t kGigabyte = std::uintmax_t{1} << 30, kMuch = 1000 * kGigabyte;

TEST(Spread, takes_all_cards_that_have_an_image) {
  EXPECT_EQ(spread_over({0, 1, 2, 3}, 100, kMuch, 0).devices, "0,1,2,3");
  EXPECT_EQ(spread_over({0, 1, 2, 3}, 100, kMuch, 0).lanes, 0);
  EXPECT_EQ(spread_over({0, 1, 2, 3}, 3, kMuch, 0).devices, "0,1,2");
  EXPECT_EQ(spread_over({4, 6}, 100, kMuch, 0).devices, "4,6");
}

TEST(Spread, has_no_more_images_at_a_time_than_jobs_but_for_rounding) {
  EXPECT_EQ(spread_over({0, 1, 2, 3}, 100, kMuch, 2).devices, "0,1");
  EXPECT_EQ(spread_over({0, 1, 2, 3}, 100, kMuch, 2).lanes, 1);
  EXPECT_EQ(spread_over({0, 1}, 100, kMuch, 8).lanes, 4);
}

TEST(Spread, starts_no_card_that_would_take_longer_to_start_than_to_work) {
  EXPECT_EQ(spread_over({0, 1}, 2, kGigabyte, 0).devices, "");
  EXPECT_EQ(spread_over({0, 1, 2, 3}, 100, 17 * kGigabyte, 0).devices, "");
  EXPECT_EQ(spread_over({0, 1, 2, 3}, 100, 19 * kGigabyte, 0).devices, "0,1");
  EXPECT_EQ(spread_over({0, 1, 2, 3}, 100, 49 * kGigabyte, 0).devices, "0,1");
  EXPECT_EQ(spread_over({0, 1, 2, 3}, 100, 51 * kGigabyte, 0).devices, "0,1,2");
  EXPECT_EQ(spread_over({0, 1, 2, 3}, 100, 99 * kGigabyte, 0).devices, "0,1,2,3");
  EXPECT_EQ(cards_paid_by_image(0), 1u);
  EXPECT_EQ(cards_paid_by_image(143 * kGigabyte), 1u);
  EXPECT_EQ(cards_paid_by_image(145 * kGigabyte), 2u);
}

TEST(Spread, needs_no_workers_for_one_card_image_or_job) {
  for (const Spread& one : {spread_over({}, 100, kMuch, 5), spread_over({0}, 100, kMuch, 5)}) {
    EXPECT_EQ(one.devices, "");
    EXPECT_EQ(one.lanes, 5);
  }
  EXPECT_EQ(spread_over({0, 1}, 1, kMuch, 0).devices, "");
  EXPECT_EQ(spread_over({0, 1}, 100, kMuch, 1).devices, "");
  EXPECT_EQ(spread_over({0, 1}, 100, kMuch, 1).lanes, 1);
}

}  // namespace
}  // namespace reber::app
