// SPDX-License-Identifier: BSD-3-Clause
// Noise that rises and falls over a few cells, as in mosaics: the background follows it, and takes no emission for it.
#include "core/measure/background/local_trend.hpp"

#include <cmath>
#include <functional>
#include <limits>
#include <numbers>

#include "core/measure/background/mesh_nodes.hpp"
#include "core/run/pipeline/background_stage.hpp"
#include "tests/support/testing.hpp"

namespace reber::testing {
namespace {

/// Pointings 200 px apart, six beams of 230 px FWHM: noise of 1 / sqrt(sum of squared beams).
double noise_at(double y, double x) {
  double weight = 0;
  for (const double v : {120.0, 320.0, 520.0})
    for (const double u : {120.0, 320.0, 520.0})
      weight += std::exp(-2 * 2.772589 * (std::pow(y - v, 2) + std::pow(x - u, 2)) / (230.0 * 230.0));
  return 1 / std::sqrt(weight);
}

/// Cells of 64 px whose noise and level are so, measured to a twentieth.
MeshCells cells_of(const MeshGrid& grid, const std::function<double(double, double)>& noise,
                   const std::function<double(double, double)>& level) {
  Random random(3);
  MeshCells cells;
  for (const PixelSpan& row : grid.rows)
    for (const PixelSpan& col : grid.cols) {
      const double rms = noise(centre_of(row), centre_of(col));
      cells.rms.push_back(static_cast<float>(rms * (1 + 0.05 * random.normal())));
      cells.mean.push_back(static_cast<float>(level(centre_of(row), centre_of(col)) + 0.05 * rms * random.normal()));
    }
  return cells;
}

double none(double, double) { return 0; }
double ripple(double, double x) { return std::exp(0.5 * std::sin(2 * std::numbers::pi * x / 380)); }

TEST(LocalTrend, follows_noise_that_the_filter_smooths_away) {
  const MeshGrid grid = MeshGrid::make({1024, 1024}, 64);
  MeshCells cells = cells_of(grid, ripple, none);
  cells.rms[40] *= 4, cells.rms[100] = std::numeric_limits<float>::quiet_NaN();
  const auto trend = local_trend(grid, cells, 5);
  ASSERT_TRUE(trend);
  for (double y = 10; y < 1024; y += 100)
    for (double x = 100; x < 930; x += 30) EXPECT_NEAR(std::log(trend->at(y, x) / ripple(y, x)), 0, 0.16);
}

TEST(LocalTrend, is_none_of_even_noise_emission_steps_and_many_cells) {
  const MeshGrid grid = MeshGrid::make({1024, 1024}, 64), large = MeshGrid::make({8256, 8256}, 64);
  const auto even = [](double, double) { return 1.0; };
  const auto step = [](double, double x) { return x < 500 ? 1.0 : 3.0; };
  const auto slow = [](double y, double x) { return std::exp(4e-4 * (x + y)); };
  EXPECT_FALSE(local_trend(grid, cells_of(grid, even, none), 5));
  EXPECT_FALSE(local_trend(grid, cells_of(grid, step, none), 5));
  EXPECT_FALSE(local_trend(grid, cells_of(grid, slow, none), 5));
  EXPECT_FALSE(local_trend(grid, cells_of(grid, ripple, ripple), 5));
  EXPECT_FALSE(local_trend(large, cells_of(large, ripple, none), 5));
}

TEST(LocalTrend, the_background_follows_a_mosaic) {
  constexpr std::int64_t kSide = 640;
  Image image({kSide, kSide});
  Random random(11);
  for (std::int64_t y = 0; y < kSide; ++y)
    for (std::int64_t x = 0; x < kSide; ++x) {
      const double noise = noise_at(static_cast<double>(y), static_cast<double>(x)), value = random.normal() * noise;
      image.at(y, x) = noise > 8 ? std::numeric_limits<float>::quiet_NaN() : static_cast<float>(value);
    }
  for (const std::string& name : tested_backends()) {
    Backend& tested = backend(name);
    const auto plane = load(tested, image);
    const MeasuredBackground got = measure_background(tested, *plane, {}, 4.5, {});
    EXPECT_NE(got.what.find("trend of the noise"), std::string::npos) << got.what;
    const Image rms = render(tested, MapKind::rms, *plane, got.model);
    for (std::int64_t y = 4; y < kSide; y += 8)
      for (std::int64_t x = 4; x < kSide; x += 8)
        if (const double noise = noise_at(static_cast<double>(y), static_cast<double>(x)); noise < 5) {
          EXPECT_NEAR(rms.at(y, x) / noise, 1, 0.3) << y << " " << x;
        }
  }
}

}  // namespace
}  // namespace reber::testing
