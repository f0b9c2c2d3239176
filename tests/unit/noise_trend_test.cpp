// SPDX-License-Identifier: BSD-3-Clause
// Noise that rises as 1 / primary beam over a few cells: the background follows it.
#include "core/measure/background/noise_trend.hpp"

#include <cmath>
#include <limits>

#include "core/run/pipeline/background_stage.hpp"
#include "tests/support/testing.hpp"

namespace reber::testing {
namespace {

constexpr std::int64_t kSide = 320;
constexpr double kFwhm = 190, kCut = 0.2;

double beam_at(std::int64_t y, std::int64_t x) {
  const double r2 = std::pow(static_cast<double>(y) - 159.5, 2) + std::pow(static_cast<double>(x) - 159.5, 2);
  return std::exp(-2.772589 * r2 / (kFwhm * kFwhm));
}

/// White noise over the primary beam, blank where that is below kCut.
Image divided() {
  Image image({kSide, kSide});
  Random random(11);
  for (std::int64_t y = 0; y < kSide; ++y)
    for (std::int64_t x = 0; x < kSide; ++x) {
      const double beam = beam_at(y, x), noise = random.normal();
      image.at(y, x) = beam < kCut ? std::numeric_limits<float>::quiet_NaN() : static_cast<float>(noise / beam);
    }
  return image;
}

TEST(NoiseTrend, the_background_follows_a_primary_beam_of_three_cells) {
  const Image image = divided();
  for (const std::string& name : tested_backends()) {
    Backend& tested = backend(name);
    const auto plane = load(tested, image);
    const MeasuredBackground got = measure_background(tested, *plane, {}, 4.5, {});
    EXPECT_NE(got.what.find("trend of the noise"), std::string::npos) << got.what;
    const Image rms = render(tested, MapKind::rms, *plane, got.model);
    for (std::int64_t y = 4; y < kSide; y += 8)
      for (std::int64_t x = 4; x < kSide; x += 8)
        if (const double beam = beam_at(y, x); beam > kCut) {
          EXPECT_NEAR(rms.at(y, x) * beam, 1, 0.12) << y << " " << x;
        }
  }
}

TEST(NoiseTrend, is_that_of_the_cells) {
  const MeshGrid grid = MeshGrid::make({400, 600}, 50);
  const auto log_rms = [](double y, double x) { return -3 + 2e-3 * x - 1e-3 * y + 1e-5 * x * y - 4e-6 * x * x; };
  std::vector<float> rms;
  for (const PixelSpan& row : grid.rows)
    for (const PixelSpan& col : grid.cols)
      rms.push_back(static_cast<float>(std::exp(log_rms(0.5 * static_cast<double>(row.begin + row.end - 1),
                                                        0.5 * static_cast<double>(col.begin + col.end - 1)))));
  rms[20] *= 5, rms[50] = std::numeric_limits<float>::quiet_NaN(), rms[51] = 0;
  const auto trend = noise_trend(grid, rms);
  ASSERT_TRUE(trend);
  EXPECT_NEAR(std::log(trend->at(100, 250)), log_rms(100, 250), 1e-4);
  EXPECT_NEAR(std::log(trend->at(333, 420)), log_rms(333, 420), 1e-4);
}

TEST(NoiseTrend, is_none_where_the_noise_is_even_or_little_is_known) {
  const MeshGrid grid = MeshGrid::make({640, 640}, 64);
  Random random(4);
  std::vector<float> rms;
  for (int k = 0; k < 100; ++k) rms.push_back(static_cast<float>(1 + 0.03 * random.normal()));
  EXPECT_FALSE(noise_trend(grid, rms));
  EXPECT_FALSE(noise_trend(MeshGrid::make({640, 640}, 320), {1, 2, 3, 4}));
  EXPECT_FALSE(noise_trend(MeshGrid::make({64, 6400}, 64), rms));  // one row does not determine it
}

TEST(NoiseTrend, is_left_to_the_mesh_where_that_follows) {
  const MeshGrid grid = MeshGrid::make({4096, 4096}, 64);
  std::vector<float> rms;
  for (const PixelSpan& row : grid.rows)
    for (const PixelSpan& col : grid.cols)
      rms.push_back(static_cast<float>(std::exp(
          (std::pow(static_cast<double>(row.begin) - 2048, 2) + std::pow(static_cast<double>(col.begin) - 2048, 2)) /
          9e6)));
  const auto trend = noise_trend(grid, rms);
  ASSERT_TRUE(trend);
  EXPECT_FALSE(too_steep(*trend, grid, 5));
  EXPECT_FALSE(too_steep(*trend, grid, 1));
}

}  // namespace
}  // namespace reber::testing
