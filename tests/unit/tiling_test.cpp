// SPDX-License-Identifier: BSD-3-Clause
// How many results are held on a device at a time.
#include "core/plan/tiling.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace reber
