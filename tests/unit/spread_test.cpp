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
  EXPECT_EQ(spread_over({0, 1}, 100, kMuch, 1).devices, "");
  EXPECT_EQ(spread_over({0, 1}, 100, kMuch, 1).lanes, 1);
}

TEST(Spread, few_images_are_shared_by_the_cards_one_after_the_other) {
  for (const std::size_t images : {1U, 2U}) {
    const Spread one = spread_over({0, 1, 2, 3}, images, 2 * kMuch, 0);
    EXPECT_EQ(one.devices, "0,1,2,3");
    EXPECT_TRUE(one.shared);
    EXPECT_EQ(one.lanes, 1);
  }
  EXPECT_FALSE(spread_over({0, 1, 2, 3}, 3, 2 * kMuch, 0).shared);
  EXPECT_EQ(spread_over({0, 1, 2, 3}, 1, 145 * kGigabyte, 0).devices, "0,1") << "as its pixels pay for";
  EXPECT_FALSE(spread_over({0, 1}, 1, 143 * kGigabyte, 0).shared);
  EXPECT_FALSE(spread_over({0}, 1, kMuch, 0).shared);
}

TEST(Spread, lanes_follow_threads_for_small_images_and_memory_for_large_ones) {
  constexpr std::uintmax_t kSmall = std::uintmax_t{4} << 22;
  EXPECT_EQ(lanes_of_card(64, kSmall), 16);
  EXPECT_EQ(lanes_of_card(8, kSmall), 8);
  EXPECT_EQ(lanes_of_card(1, kSmall), 2);
  EXPECT_EQ(lanes_of_card(64, kGigabyte / 2), 8);
  EXPECT_EQ(lanes_of_card(64, 40 * kGigabyte), 4);
  EXPECT_EQ(lanes_of_card(64, 0), 16);
}

TEST(Spread, says_where_work_is_done) {
  EXPECT_EQ(usual_places(0, 8),
            "  one image: the processor, 8 threads\n  a batch: the processor, up to 8 images at a time\n");
  EXPECT_EQ(usual_places(2, 32),
            "  one image: the processor, 32 threads up to 128 MiB of pixels, then one card; two cards from 144 GiB on\n"
            "  a batch: the same of all its images; two cards from 18 GiB on; on a card up to 16 images at a time\n");
  EXPECT_EQ(usual_places(1, 2).find("two cards"), std::string::npos);
}

}  // namespace
}  // namespace reber::app
