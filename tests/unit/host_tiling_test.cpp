// SPDX-License-Identifier: BSD-3-Clause
// Where pixels are while nothing is done with them: in memory, or left in their file.
#include "core/seam/plan/host_tiling.hpp"

#include <gtest/gtest.h>

#include "core/base/error.hpp"

namespace reber {
namespace {

constexpr std::int64_t kMiB = std::int64_t{1} << 20;
constexpr std::int64_t kGiB = 1024 * kMiB;

HostNeeds needs_of(Shape shape) {
  HostNeeds needs;
  needs.shape = shape;
  needs.least_rows = 64;
  return needs;
}

TilingPlan of_host(const HostNeeds& needs, const HostRoom& room) {
  TilingPlan plan;
  plan.band_rows = needs.shape.ny;
  return plan_host(plan, needs, room);
}

TEST(HostTiling, an_image_stays_where_three_quarters_of_the_free_memory_hold_it) {
  const HostNeeds needs = needs_of({16384, 16384});  // 1 GiB
  EXPECT_TRUE(of_host(needs, {0, 2 * kGiB, 2 * kGiB}).resident);
  const TilingPlan plan = of_host(needs, {0, kGiB, 2 * kGiB});
  EXPECT_FALSE(plan.resident);
  EXPECT_TRUE(plan.in_source);
  EXPECT_GE(plan.band_rows, 64);
  EXPECT_LE(plan.host_bytes, kGiB);
}

TEST(HostTiling, what_the_user_allows_bounds_bands_and_tables) {
  const HostNeeds needs = needs_of({100000, 100000});
  for (const std::int64_t asked : {3 * kGiB, 8 * kGiB, 16 * kGiB}) {
    const TilingPlan plan = of_host(needs, {asked, 64 * kGiB, 64 * kGiB});
    EXPECT_TRUE(plan.in_source);
    EXPECT_LE(plan.host_bytes, asked);
  }
  EXPECT_TRUE(of_host(needs, {48 * kGiB, 64 * kGiB, 64 * kGiB}).resident);
}

TEST(HostTiling, what_fits_in_no_bands_is_refused_with_the_bytes_that_it_needs) {
  const HostNeeds needs = needs_of({100000, 100000});
  try {
    (void)of_host(needs, {100 * kMiB, 64 * kGiB, 64 * kGiB});
    ADD_FAILURE() << "not refused";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("100000 x 100000"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("--host-memory"), std::string::npos) << error.what();
  }
  EXPECT_THROW((void)of_host(needs, {0, 100 * kMiB, 100 * kMiB}), DeviceError);
}

TEST(HostTiling, a_compressed_file_is_held_decoded_and_never_left) {
  HostNeeds needs = needs_of({16384, 16384});
  needs.held_bytes = kGiB;
  EXPECT_TRUE(of_host(needs, {0, kGiB, 4 * kGiB}).resident);
  EXPECT_THROW((void)of_host(needs, {kGiB, 4 * kGiB, 4 * kGiB}), InputError);
}

TEST(HostTiling, a_backend_that_cannot_stream_keeps_the_image_or_names_one_that_can) {
  HostNeeds needs = needs_of({16384, 16384});
  needs.sources_stream = false;
  EXPECT_TRUE(of_host(needs, {0, kGiB / 2, 4 * kGiB}).resident);
  try {
    (void)of_host(needs, {kGiB / 2, 4 * kGiB, 4 * kGiB});
    ADD_FAILURE() << "not refused";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("--backend cpu"), std::string::npos) << error.what();
  }
}

TEST(HostTiling, bands_that_the_device_chose_stay) {
  HostNeeds needs = needs_of({16384, 16384});
  needs.band_rows = needs.least_rows = 512;
  TilingPlan plan;
  plan.resident = false;
  plan.band_rows = 512;
  EXPECT_EQ(plan_host(plan, needs, {kGiB, kGiB, kGiB}).band_rows, 512);
}

TEST(HostTiling, what_a_device_streams_stays_in_its_source_whatever_the_host_could_hold) {
  HostNeeds needs = needs_of({100000, 100000});
  needs.band_rows = needs.least_rows = 128;
  TilingPlan plan;
  plan.resident = false;
  plan.band_rows = 128;
  for (const std::int64_t asked : {std::int64_t{0}, 8 * kGiB}) {
    const TilingPlan left = plan_host(plan, needs, {asked, 128 * kGiB, 128 * kGiB});
    EXPECT_TRUE(left.in_source);
    EXPECT_EQ(left.band_rows, 128);
    EXPECT_LE(left.host_bytes, 8 * kGiB);
  }
  EXPECT_THROW((void)plan_host(plan, needs, {kGiB, 128 * kGiB, 128 * kGiB}), InputError);
  needs.held_bytes = 40 * kGiB;  // decoded from a compressed file, and streamed from there
  EXPECT_TRUE(plan_host(plan, needs, {0, 64 * kGiB, 64 * kGiB}).in_source);
  EXPECT_THROW((void)plan_host(plan, needs, {8 * kGiB, 64 * kGiB, 64 * kGiB}), InputError);
  needs.sources_stream = false;
  EXPECT_FALSE(plan_host(plan, needs, {0, 128 * kGiB, 128 * kGiB}).in_source);
}

}  // namespace
}  // namespace reber
