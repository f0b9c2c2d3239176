// SPDX-License-Identifier: BSD-3-Clause
// Noise that rises over a few cells, as 1 / primary beam or in mosaics: the background follows it, and no emission.
#include "core/measure/background/noise_trend.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <vector>

#include "core/measure/background/mesh_nodes.hpp"
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

/// Pointings 200 px apart, six beams of 230 px FWHM: noise of 1 / sqrt(sum of squared beams).
double noise_at(double y, double x) {
  double weight = 0;
  for (const double v : {120.0, 320.0, 520.0})
    for (const double u : {120.0, 320.0, 520.0})
      weight += std::exp(-2 * 2.772589 * (std::pow(y - v, 2) + std::pow(x - u, 2)) / (230.0 * 230.0));
  return 1 / std::sqrt(weight);
}

/// Cells whose noise and level are so, measured to a part of the noise.
MeshCells cells_of(const MeshGrid& grid, const std::function<double(double, double)>& noise,
                   const std::function<double(double, double)>& level, double part = 0.05) {
  Random random(3);
  MeshCells cells;
  for (const PixelSpan& row : grid.rows)
    for (const PixelSpan& col : grid.cols) {
      const double rms = noise(centre_of(row), centre_of(col));
      cells.rms.push_back(static_cast<float>(rms * (1 + part * random.normal())));
      cells.mean.push_back(static_cast<float>(level(centre_of(row), centre_of(col)) + part * rms * random.normal()));
    }
  return cells;
}

double none(double, double) { return 0; }
double ripple(double, double x) { return std::exp(0.5 * std::sin(2 * std::numbers::pi * x / 380)); }

TEST(NoiseTrend, is_that_of_the_cells) {
  const MeshGrid grid = MeshGrid::make({400, 600}, 50);
  const auto noise = [](double y, double x) {
    return std::exp(-3 + 2e-3 * x - 1e-3 * y + 1e-5 * x * y - 4e-6 * x * x);
  };
  MeshCells cells = cells_of(grid, noise, none, 1e-4);
  cells.rms[20] *= 5, cells.rms[50] = std::numeric_limits<float>::quiet_NaN(), cells.rms[51] = 0;
  const NoiseTrend trend = noise_trend(grid, cells, 5);
  EXPECT_NEAR(trend.at(100, 250) / noise(100, 250), 1, 1e-3);
  EXPECT_NEAR(trend.at(333, 420) / noise(333, 420), 1, 1e-3);
}

TEST(NoiseTrend, follows_noise_that_the_filter_smooths_away) {
  const MeshGrid grid = MeshGrid::make({1024, 1024}, 64);
  MeshCells cells = cells_of(grid, ripple, none);
  cells.rms[40] *= 4, cells.rms[100] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(filter_cuts_noise(grid, cells, 5));
  const NoiseTrend trend = noise_trend(grid, cells, 5);
  for (double y = 10; y < 1024; y += 100)
    for (double x = 100; x < 930; x += 30) EXPECT_NEAR(std::log(trend.at(y, x) / ripple(y, x)), 0, 0.16);
}

TEST(NoiseTrend, is_little_more_than_the_filter_of_even_noise_and_steps) {
  const MeshGrid grid = MeshGrid::make({1024, 1024}, 64);
  const NoiseTrend even = noise_trend(grid,
                                      cells_of(
                                          grid, [](double, double) { return 2.0; }, none),
                                      5);
  for (double y = 10; y < 1024; y += 50)
    for (double x = 10; x < 1024; x += 50)
      EXPECT_NEAR(even.at(y, x), 2, y < 150 || y > 870 || x < 150 || x > 870 ? 0.3 : 0.1);
  const auto step = [](double, double x) { return x < 512 ? 1.0 : 3.0; };
  const NoiseTrend trend = noise_trend(grid, cells_of(grid, step, none), 5);
  for (double y = 200; y < 824; y += 50)
    for (const double x : {300.0, 470.0, 554.0, 700.0}) EXPECT_NEAR(trend.at(y, x) / step(y, x), 1, 0.15) << x;
}

TEST(NoiseTrend, of_a_polynomial_has_none_of_the_noise_of_single_cells) {
  const MeshGrid grid = MeshGrid::make({1024, 1024}, 32);
  const auto noise = [](double y, double x) { return std::exp(2e-3 * x - 1e-3 * y); };
  const NoiseTrend trend = noise_trend(grid, cells_of(grid, noise, none), 9);
  double squares = 0, count = 0;
  for (double y = 10; y < 1024; y += 20)
    for (double x = 10; x < 1024; x += 20) squares += std::pow(std::log(trend.at(y, x) / noise(y, x)), 2), ++count;
  EXPECT_LT(std::sqrt(squares / count), 0.05 * std::sqrt(9.0 / (32 * 32)));  // six factors of 1024 cells
}

TEST(NoiseTrend, is_not_asked_for_where_the_filter_follows_or_there_is_emission) {
  const MeshGrid grid = MeshGrid::make({1024, 1024}, 64), large = MeshGrid::make({8256, 8256}, 64);
  const auto slow = [](double y, double x) { return std::exp(4e-4 * (x + y)); };
  EXPECT_FALSE(filter_cuts_noise(grid,
                                 cells_of(
                                     grid, [](double, double) { return 1.0; }, none),
                                 5));
  EXPECT_FALSE(filter_cuts_noise(grid, cells_of(grid, slow, none), 5));
  EXPECT_FALSE(filter_cuts_noise(grid, cells_of(grid, ripple, ripple), 5));
  EXPECT_FALSE(filter_cuts_noise(large, cells_of(large, ripple, none), 5));
  EXPECT_FALSE(filter_cuts_noise(MeshGrid::make({640, 640}, 320), {{0, 0, 0, 0}, {1, 2, 3, 4}}, 5));
}

/// White noise, blank where it is more than 8.
Image mosaic() {
  constexpr std::int64_t kSize = 640;
  Image image({kSize, kSize});
  Random random(11);
  for (std::int64_t y = 0; y < kSize; ++y)
    for (std::int64_t x = 0; x < kSize; ++x) {
      const double noise = noise_at(static_cast<double>(y), static_cast<double>(x)), value = random.normal() * noise;
      image.at(y, x) = noise > 8 ? std::numeric_limits<float>::quiet_NaN() : static_cast<float>(value);
    }
  return image;
}

TEST(NoiseTrend, the_background_follows_a_mosaic) {
  const Image image = mosaic();
  for (const std::string& name : tested_backends()) {
    Backend& tested = backend(name);
    const auto plane = load(tested, image);
    const MeasuredBackground got = measure_background(tested, *plane, {}, 4.5, {});
    EXPECT_NE(got.what.find("trend of the noise"), std::string::npos) << got.what;
    const Image rms = render(tested, MapKind::rms, *plane, got.model);
    for (std::int64_t y = 4; y < image.shape().ny; y += 8)
      for (std::int64_t x = 4; x < image.shape().nx; x += 8)
        if (const double noise = noise_at(static_cast<double>(y), static_cast<double>(x)); noise < 5) {
          EXPECT_NEAR(rms.at(y, x) / noise, 1, 0.3) << y << " " << x;
        }
  }
}

/// A mosaic in a frame of blank pixels: its noise, without the frame.
Image noise_in_frame(const Image& image, std::int64_t width) {
  const Shape shape = image.shape();
  Image framed({shape.ny + 2 * width, shape.nx + 2 * width}), noise(shape);
  for (std::int64_t y = 0; y < framed.shape().ny; ++y)
    for (std::int64_t x = 0; x < framed.shape().nx; ++x) framed.at(y, x) = std::numeric_limits<float>::quiet_NaN();
  for (std::int64_t y = 0; y < shape.ny; ++y)
    for (std::int64_t x = 0; x < shape.nx; ++x) framed.at(y + width, x + width) = image.at(y, x);
  Backend& cpu = backend("cpu");
  const auto plane = load(cpu, framed);
  const Image rms = render(cpu, MapKind::rms, *plane, measure_background(cpu, *plane, {}, 4.5, {}).model);
  for (std::int64_t y = 0; y < shape.ny; ++y)
    for (std::int64_t x = 0; x < shape.nx; ++x) noise.at(y, x) = rms.at(y + width, x + width);
  return noise;
}

TEST(NoiseTrend, does_not_depend_on_where_the_cells_fall) {
  const Image image = mosaic();
  for (const std::int64_t width : {0, 16, 37, 48}) {
    const Image rms = noise_in_frame(image, width);
    std::vector<double> off;
    for (std::int64_t y = 0; y < image.shape().ny; ++y)
      for (std::int64_t x = 0; x < image.shape().nx; ++x)
        if (std::isfinite(image.at(y, x)))
          off.push_back(std::abs(std::log(rms.at(y, x) / noise_at(static_cast<double>(y), static_cast<double>(x)))));
    std::ranges::nth_element(off, off.begin() + std::ssize(off) / 2);
    EXPECT_LT(1.4826 * off[off.size() / 2], 0.06) << width;
  }
}

TEST(NoiseTrend, does_not_depend_on_the_level) {
  const Image image = mosaic();
  Image raised = mosaic();
  for (std::int64_t y = 0; y < image.shape().ny; ++y)
    for (std::int64_t x = 0; x < image.shape().nx; ++x) raised.at(y, x) += 8;
  const Image before = noise_in_frame(image, 0), after = noise_in_frame(raised, 0);
  for (std::int64_t y = 0; y < image.shape().ny; y += 5)
    for (std::int64_t x = 0; x < image.shape().nx; x += 5) EXPECT_NEAR(after.at(y, x) / before.at(y, x), 1, 1e-4);
}

}  // namespace
}  // namespace reber::testing
