// SPDX-License-Identifier: BSD-3-Clause
// What is reached of the peak rate, read from the measured tables: on a row, between rows, beyond the table.
#include "kernels/cuda/convolve/common/reached_part.hpp"

#include <gtest/gtest.h>

namespace reber::cuda {
namespace {

constexpr ReachedPart kTable[] = {{3, 0.2}, {7, 0.6}, {15, 0.4}};

TEST(ReachedPart, RowsAreTakenAsTheyStand) {
  for (const ReachedPart& row : kTable) EXPECT_DOUBLE_EQ(part_reached(kTable, row.side), row.part);
}

TEST(ReachedPart, BetweenRowsALineIsDrawn) {
  EXPECT_DOUBLE_EQ(part_reached(kTable, 5), 0.4);
  EXPECT_DOUBLE_EQ(part_reached(kTable, 13), 0.45);
}

TEST(ReachedPart, BeyondTheTableTheNearestRowHolds) {
  EXPECT_DOUBLE_EQ(part_reached(kTable, 1), 0.2);
  EXPECT_DOUBLE_EQ(part_reached(kTable, 63), 0.4);
}

}  // namespace
}  // namespace reber::cuda
