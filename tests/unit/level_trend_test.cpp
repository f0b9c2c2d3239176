// SPDX-License-Identifier: BSD-3-Clause
// A background that rises and falls over a few cells: it is followed, and takes no emission for it.
#include "core/measure/background/level_trend.hpp"

#include <cmath>
#include <functional>
#include <limits>
#include <numbers>

#include "core/measure/background/mesh_nodes.hpp"
#include "core/run/pipeline/background_stage.hpp"
#include "tests/support/testing.hpp"

namespace reber::testing {
namespace {

using Level = std::function<double(double, double)>;
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

Level wave_of(double length_px, double height) {
  return [=](double y, double x) {
    const double turn = 2 * std::numbers::pi / length_px;
    return height * std::sin(turn * x + 1) * std::sin(turn * y + 2);
  };
}

/// Noise of 1, cells of 64 px measured to a tenth.
MeshCells cells_of(const MeshGrid& grid, const Level& level) {
  Random random(3);
  MeshCells cells;
  for (const PixelSpan& row : grid.rows)
    for (const PixelSpan& col : grid.cols) {
      cells.rms.push_back(1);
      cells.mean.push_back(static_cast<float>(level(centre_of(row), centre_of(col)) + 0.1 * random.normal()));
    }
  return cells;
}

TEST(LevelTrend, a_surface_keeps_a_wave_of_six_cells_and_mends_unknown_ones) {
  const MeshGrid grid = MeshGrid::make({1024, 1024}, 64);
  const Level wave = wave_of(400, 3);
  MeshCells cells = cells_of(grid, wave);
  cells.mean[40] = kNan, cells.mean[100] = kNan, cells.mean[103] = 30;
  const LevelSurface surface = level_surface(grid, cells.mean);
  for (double y = 64; y < 960; y += 50)
    for (double x = 64; x < 960; x += 30) EXPECT_NEAR(surface.at(y, x), wave(y, x), 0.8) << y << " " << x;
  EXPECT_NEAR(surface.at(centre_of(grid.rows[6]), centre_of(grid.cols[7])),
              wave(centre_of(grid.rows[6]), centre_of(grid.cols[7])), 0.3);  // beside a cell that is far off
}

TEST(LevelTrend, the_mean_of_a_cell_is_meant_not_its_centre) {
  const MeshGrid grid = MeshGrid::make({640, 640}, 64);
  std::vector<float> means;
  const auto bowl = [](double x) { return x * x / 4096; };
  for (int j = 0; j < 10; ++j)
    for (const PixelSpan& col : grid.cols) means.push_back(static_cast<float>(bowl(centre_of(col)) + 1.0 / 12));
  EXPECT_NEAR(level_surface(grid, means).at(300, 300), bowl(300), 1e-3);
}

TEST(LevelTrend, unknown_cells_far_from_known_ones_have_their_level) {
  const MeshGrid grid = MeshGrid::make({1024, 1024}, 64);
  std::vector<float> means(256, kNan);
  for (std::size_t k = 0; k < means.size(); ++k)
    if (k % 16 < 5) means[k] = 7;
  EXPECT_NEAR(level_surface(grid, means).at(500, 1000), 7, 1e-4);
  EXPECT_EQ(level_surface(grid, std::vector<float>(256, kNan)).at(500, 500), 0);
}

TEST(LevelTrend, waves_are_told_from_noise_emission_steps_and_slopes) {
  const MeshGrid grid = MeshGrid::make({1024, 1024}, 64), large = MeshGrid::make({16640, 16640}, 64);
  EXPECT_TRUE(filter_cuts_waves(grid, cells_of(grid, wave_of(400, 3)), 5));
  EXPECT_FALSE(filter_cuts_waves(grid, cells_of(grid, wave_of(400, 0)), 5));
  EXPECT_FALSE(filter_cuts_waves(large, cells_of(large, wave_of(400, 3)), 5));
  EXPECT_FALSE(filter_cuts_waves(grid, cells_of(grid, [](double, double x) { return x < 500 ? 0.0 : 9.0; }), 5));
  EXPECT_FALSE(filter_cuts_waves(grid, cells_of(grid, [](double y, double x) { return 0.02 * x - 0.01 * y; }), 5));
  // Gaussians of 200 px stand on what is level.
  const Level blobs = [](double y, double x) {
    const double r2 = std::pow(std::remainder(y, 520), 2) + std::pow(std::remainder(x, 600), 2);
    return 10 * std::exp(-4 * std::numbers::ln2 * r2 / (200.0 * 200.0));
  };
  EXPECT_FALSE(filter_cuts_waves(grid, cells_of(grid, blobs), 5));
  const Level none = [](double, double) { return std::numeric_limits<double>::quiet_NaN(); };
  EXPECT_FALSE(filter_cuts_waves(grid, cells_of(grid, none), 5));
  EXPECT_FALSE(means_vary(grid, cells_of(grid, none), 5));
  EXPECT_TRUE(means_vary(grid, cells_of(grid, wave_of(200, 3)), 5));
  EXPECT_FALSE(means_vary(grid, cells_of(grid, wave_of(200, 0)), 5));
}

/// A plane of noise 1 upon a level: its background is that, and its noise 1, but near the rim.
void expect_followed(const Level& level, bool divided) {
  constexpr std::int64_t kSide = 768;
  Image image({kSide, kSide});
  Random random(11);
  const auto noise_at = [&](double y, double x) {
    return divided ? std::exp(std::pow(std::hypot(y - 384, x - 384) / 400, 2)) : 1.0;
  };
  for (std::int64_t y = 0; y < kSide; ++y)
    for (std::int64_t x = 0; x < kSide; ++x) {
      const auto v = static_cast<double>(y), u = static_cast<double>(x);
      image.at(y, x) = static_cast<float>(level(v, u) + noise_at(v, u) * random.normal());
    }
  for (const std::string& name : tested_backends()) {
    Backend& tested = backend(name);
    const auto plane = load(tested, image);
    const MeasuredBackground got = measure_background(tested, *plane, {}, 4.5, {});
    EXPECT_NE(got.what.find("about waves of the background"), std::string::npos) << got.what;
    EXPECT_EQ(got.what.find("trend of the noise") != std::string::npos, divided) << got.what;
    const Image rms = render(tested, MapKind::rms, *plane, got.model),
                mean = render(tested, MapKind::mean, *plane, got.model);
    for (std::int64_t y = 36; y < kSide - 32; y += 8)
      for (std::int64_t x = 36; x < kSide - 32; x += 8) {
        const auto v = static_cast<double>(y), u = static_cast<double>(x);
        EXPECT_NEAR((mean.at(y, x) - level(v, u)) / noise_at(v, u), 0, 0.4) << name << " " << y << " " << x;
        EXPECT_NEAR(rms.at(y, x) / noise_at(v, u), 1, 0.12) << name << " " << y << " " << x;
      }
  }
}

TEST(LevelTrend, the_background_follows_waves) { expect_followed(wave_of(400, 3), false); }
TEST(LevelTrend, the_background_follows_shorter_waves_in_smaller_cells) { expect_followed(wave_of(220, 3), false); }
TEST(LevelTrend, the_background_follows_waves_where_the_noise_has_a_trend) { expect_followed(wave_of(400, 4), true); }

TEST(LevelTrend, the_second_pass_leaves_extended_sources_out_of_the_waves) {
  constexpr std::int64_t kSide = 768;
  const Level wave = wave_of(400, 3);
  Image image({kSide, kSide});
  Random random(7);
  for (std::int64_t y = 0; y < kSide; ++y)
    for (std::int64_t x = 0; x < kSide; ++x) {
      const auto v = static_cast<double>(y), u = static_cast<double>(x);
      const bool inside = std::hypot(v - 350, u - 200) < 70 || std::hypot(v - 200, u - 550) < 70;
      image.at(y, x) = static_cast<float>(wave(v, u) + (inside ? 9 : 0) + random.normal());
    }
  Backend& tested = backend("cpu");
  const auto plane = load(tested, image);
  const Image mean = render(tested, MapKind::mean, *plane, measure_background(tested, *plane, {}, 4.5, {}).model);
  EXPECT_NEAR(mean.at(350, 200), wave(350, 200), 1.5);
  EXPECT_NEAR(mean.at(200, 550), wave(200, 550), 1.5);
}

}  // namespace
}  // namespace reber::testing
