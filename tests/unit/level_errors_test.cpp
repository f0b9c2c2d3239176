// SPDX-License-Identifier: BSD-3-Clause
// The error of a level is that of the fits upon it.
#include "core/measure/fitting/level_errors.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace reber::testing {
namespace {

TEST(LevelErrors, are_those_of_fits_that_a_level_reaches) {
  std::vector<SourceRow> rows(5);
  const std::int64_t ys[] = {10, 10, 40, 200, 10}, xs[] = {10, 22, 10, 10, 10};
  for (std::size_t k = 0; k < 5; ++k) {
    rows[k].sums.peak_y = static_cast<std::int32_t>(ys[k]), rows[k].sums.peak_x = static_cast<std::int32_t>(xs[k]);
    if (k < 4) rows[k].fit.gaussian.emplace();
  }
  set_level_errors({{200, 10, -9, 0.25, 30, 30}, {10, 10, -9, 0.5, 24, 30}}, rows);
  EXPECT_EQ(rows[0].fit.level_error, 0.5);
  EXPECT_NEAR(rows[1].fit.level_error, 0.25, 1e-12);  // half of the width away
  EXPECT_EQ(rows[2].fit.level_error, 0);
  EXPECT_EQ(rows[3].fit.level_error, 0.25);
  EXPECT_EQ(rows[4].fit.level_error, 0) << "moments";
}

/// Nodes of one level, but for one in the middle.
BackgroundModel raised_by(float level) {
  BackgroundModel model{MeshGrid::make({576, 576}, 64), std::vector<float>(81, 1), std::vector<float>(81, 1), nullptr,
                        nullptr};
  model.mean[40] += level;
  return model;
}

TEST(MeshLevelError, is_that_of_the_cells_and_of_what_the_level_changes_by) {
  FitPixels pixels;
  for (std::int32_t y = 238; y <= 338; ++y)
    for (std::int32_t x = 238; x <= 338; ++x) pixels.y.push_back(y), pixels.x.push_back(x), pixels.value.push_back(1);
  const double noise = mesh_level_error(pixels, 500, raised_by(0));
  EXPECT_NEAR(noise, 0.314 * 500 / (101 * 64), 1e-9);
  EXPECT_NEAR(mesh_level_error(pixels, 500, raised_by(0.5)), std::hypot(noise, 0.5), 0.02);
  EXPECT_EQ(mesh_level_error({}, 500, raised_by(0.5)), 0);
}

}  // namespace
}  // namespace reber::testing
