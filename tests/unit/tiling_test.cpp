// SPDX-License-Identifier: BSD-3-Clause
// How many results are held on a device at a time.
#include "core/seam/plan/tiling.hpp"

#include <gtest/gtest.h>

#include "core/base/error.hpp"

namespace reber {
namespace {

constexpr std::int64_t kMiB = std::int64_t{1} << 20;

TEST(PlanesAtOnce, as_many_as_fit_beside_a_copy_a_map_and_the_tables) {
  const Shape shape{4096, 4096};  // planes of 64 MiB; tables of 2.5 bytes per pixel and 64 MiB
  EXPECT_EQ(planes_at_once(shape, 5, (40 + 64 + 7 * 64) * kMiB), 5U);
  EXPECT_EQ(planes_at_once(shape, 5, (40 + 64 + 6 * 64) * kMiB), 4U);
  EXPECT_EQ(planes_at_once(shape, 2, 100000 * kMiB), 2U);
}

TEST(PlanesAtOnce, one_where_nothing_fits_and_on_the_host) {
  EXPECT_EQ(planes_at_once({4096, 4096}, 5, 10 * kMiB), 1U);
  EXPECT_EQ(planes_at_once({4096, 4096}, 5, 0), 1U);
  EXPECT_EQ(planes_at_once({0, 0}, 0, 0), 1U);
}

TEST(Tiling, an_image_of_any_size_streams_through_what_is_allowed_and_its_masks_count) {
  MemoryNeeds needs;
  needs.shape = {100000, 100000};
  needs.copy = needs.detect = true;
  needs.cell_rows = 64;
  const std::int64_t allowed = 4096 * kMiB;
  const TilingPlan plan = plan_tiling(needs, allowed);
  EXPECT_FALSE(plan.resident);
  EXPECT_GE(plan.band_rows, 64);
  EXPECT_LE(plan.device_bytes, allowed);
  // Two masks of a bit per pixel stand for the whole image: they alone take 2384 MiB.
  EXPECT_THROW((void)plan_tiling(needs, 2400 * kMiB), InputError);
  needs.detect = false;
  EXPECT_FALSE(plan_tiling(needs, 2400 * kMiB).resident);
}

TEST(Tiling, a_plane_without_padding_stands_beside_the_image) {
  MemoryNeeds needs;
  needs.shape = {4096, 4096};
  needs.copy = needs.detect = true;
  const std::int64_t whole = plan_tiling(needs, 1000 * kMiB).device_bytes;
  needs.padded = true;
  EXPECT_EQ(plan_tiling(needs, 1000 * kMiB).device_bytes, whole + needs.shape.count() * 4);
  EXPECT_FALSE(plan_tiling(needs, whole + kMiB).resident);
  EXPECT_TRUE(needs_of_both(MemoryNeeds(), needs).padded);
}

TEST(Tiling, bands_are_no_larger_than_helps_and_leave_the_rest) {
  MemoryNeeds needs;
  needs.shape = {12288, 12288};
  needs.copy = needs.detect = true;
  needs.cell_rows = 64;
  const TilingPlan plan = plan_tiling(needs, 1024 * kMiB);
  EXPECT_FALSE(plan.resident);
  EXPECT_GE(1024 * kMiB - plan.device_bytes, needs.shape.count() * 4);  // room for the file's own bytes
}

TEST(Tiling, rows_that_wait_for_their_background_have_room_beside_the_bands) {
  MemoryNeeds needs;
  needs.copy = needs.detect = true;
  needs.cell_rows = 64;
  struct Case {
    std::int64_t side, mebibytes;
  };
  for (const Case& one : {Case{65536, 2048}, Case{100000, 4096}, Case{12288, 256}}) {
    needs.shape = {one.side, one.side};
    const TilingPlan plan = plan_tiling(needs, one.mebibytes * kMiB);
    EXPECT_GE(plan.band_rows, 64);
    EXPECT_LE(plan.device_bytes + 4 * plan.band_rows * one.side * 4, one.mebibytes * kMiB) << one.side;
  }
}

TEST(Tiling, what_is_held_beside_bands_makes_them_lower) {
  MemoryNeeds needs;
  needs.shape = {40000, 40000};
  const std::int64_t allowed = 224 * kMiB;
  const std::int64_t alone = plan_tiling(needs, allowed).band_rows;
  MemoryNeeds maps = needs, tall = needs, sorted = needs;
  maps.maps = 2;
  tall.cell_rows = 300;
  sorted.cell_rows = 60;
  sorted.sorted_cells = true;
  for (const MemoryNeeds& more : {maps, tall, sorted}) {
    const TilingPlan plan = plan_tiling(more, allowed);
    EXPECT_LT(plan.band_rows, alone);
    EXPECT_LE(plan.device_bytes, allowed);
  }
  const MemoryNeeds both = needs_of_both(maps, sorted);
  EXPECT_EQ(both.maps, 2);
  EXPECT_TRUE(both.sorted_cells);
}

}  // namespace
}  // namespace reber
