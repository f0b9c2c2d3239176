// SPDX-License-Identifier: BSD-3-Clause
// The error of a level is that of the fits upon it.
#include "core/measure/fitting/level_errors.hpp"

#include <gtest/gtest.h>

namespace reber::testing {
namespace {

TEST(LevelErrors, are_those_of_fits_that_a_level_reaches) {
  std::vector<SourceSums> sums(5);
  std::vector<SourceFit> fits(5);
  const std::int64_t ys[] = {10, 10, 40, 200, 10}, xs[] = {10, 22, 10, 10, 10};
  for (std::size_t k = 0; k < 5; ++k) {
    sums[k].sums.peak_y = static_cast<std::int32_t>(ys[k]), sums[k].sums.peak_x = static_cast<std::int32_t>(xs[k]);
    if (k < 4) fits[k].gaussian.emplace();
  }
  set_level_errors({{200, 10, -9, 0.25, 30, 30}, {10, 10, -9, 0.5, 24, 30}}, sums, fits);
  EXPECT_EQ(fits[0].level_error, 0.5);
  EXPECT_NEAR(fits[1].level_error, 0.25, 1e-12);  // half of the width away
  EXPECT_EQ(fits[2].level_error, 0);
  EXPECT_EQ(fits[3].level_error, 0.25);
  EXPECT_EQ(fits[4].level_error, 0) << "moments";
}

}  // namespace
}  // namespace reber::testing
