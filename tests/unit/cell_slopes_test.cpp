// SPDX-License-Identifier: BSD-3-Clause
// A background that rises within cells: it is no noise, and goes on to the image's rim.
#include "core/measure/background/cell_slopes.hpp"

#include <cmath>
#include <limits>

#include "core/run/pipeline/background_stage.hpp"
#include "tests/support/testing.hpp"

namespace reber::testing {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

TEST(CellSlopes, noise_and_background_of_an_even_slope_are_right_to_the_rim) {
  const Shape shape{500, 600};
  const auto level = [](std::int64_t y, std::int64_t x) {
    return 0.05 * static_cast<double>(x) - 0.03 * static_cast<double>(y);
  };
  Image image(shape);
  Random random(5);
  for (std::int64_t y = 0; y < shape.ny; ++y)
    for (std::int64_t x = 0; x < shape.nx; ++x) image.at(y, x) = static_cast<float>(level(y, x) + random.normal());
  for (const std::string& name : tested_backends()) {
    Backend& tested = backend(name);
    const auto plane = load(tested, image);
    const BackgroundModel model = measure_background(tested, *plane, {}, 4.5, {}).model;
    const Image rms = render(tested, MapKind::rms, *plane, model), mean = render(tested, MapKind::mean, *plane, model);
    for (std::int64_t y = 0; y < shape.ny; y += 7)
      for (std::int64_t x = 0; x < shape.nx; x += 7) {
        EXPECT_NEAR(rms.at(y, x), 1, 0.05) << name << " " << y << " " << x;
        EXPECT_NEAR(mean.at(y, x), level(y, x), 0.2) << name << " " << y << " " << x;
      }
  }
}

TEST(CellSlopes, are_taken_out_of_the_variance) {
  const MeshGrid grid = MeshGrid::make({90, 150}, 30);
  const float whole = std::sqrt(1 + (0.1F * 0.1F * 899) / 12);
  MeshCells cells;
  for (int k = 0; k < 15; ++k) cells.mean.push_back(3 * static_cast<float>(k % 5)), cells.rms.push_back(whole);
  cells.filtered_mean = cells.mean, cells.filtered_rms = cells.rms;
  const MeshCells got = without_slopes(grid, cells);
  for (const float rms : got.rms) EXPECT_NEAR(rms, 1, 1e-6);
  EXPECT_EQ(got.mean, cells.mean);
  EXPECT_TRUE(got.filtered_rms.empty() && got.filtered_mean.empty());
}

TEST(CellSlopes, are_none_at_peaks_and_edges_nor_beside_unknown_cells) {
  const MeshGrid grid = MeshGrid::make({30, 210}, 30);
  for (const std::vector<float>& mean :
       {std::vector<float>{0, 0, 9, 0, 0, 0, 0}, {0, 0, 0, 9, 9, 9, 9}, {9, 0, kNan, 0, 9, kNan, 0}}) {
    const MeshCells cells{mean, std::vector<float>(7, 3.0F), std::vector<float>(7, 1.0F), std::vector<float>(7, 2.0F)};
    const MeshCells got = without_slopes(grid, cells);
    EXPECT_EQ(got.rms, cells.rms);
    EXPECT_EQ(got.filtered_rms, cells.filtered_rms);
    EXPECT_EQ(got.filtered_mean, cells.filtered_mean);
  }
}

TEST(CellSlopes, leave_a_level_background_and_few_cells_as_they_are) {
  const MeshGrid grid = MeshGrid::make({128, 300}, 64);
  BackgroundModel model{grid, {0, .1F, 0, .2F, 0, .1F, 0, .1F, .1F, 0}, std::vector<float>(10, 1.0F), nullptr, nullptr};
  const BackgroundModel got = carried_to_rim(model);
  EXPECT_EQ(got.grid.cols, model.grid.cols);
  EXPECT_EQ(got.mean, model.mean);
  model.mean = {0, 1, 2, 3, 4, 9, 9, 9, 9, 9};  // two rows of cells do not tell a slope from an edge
  const BackgroundModel carried = carried_to_rim(model);
  EXPECT_EQ(carried.grid.rows, model.grid.rows);
  ASSERT_EQ(carried.grid.nx(), 7);
  EXPECT_NEAR(carried.mean[0], -29.5 / 60, 1e-6);
  EXPECT_NEAR(carried.mean[6], 4 + 29.5 / 60, 1e-6);
  EXPECT_EQ(carried.mean[7], 9);
  EXPECT_EQ(carried.mean[13], 9);
}

}  // namespace
}  // namespace reber::testing
