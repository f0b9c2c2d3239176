// SPDX-License-Identifier: BSD-3-Clause
// Peaks that the grid makes of an elongated beam, and peaks that the sky has.
#include "core/measure/sources/deblend.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "core/sky/model/beam.hpp"
#include "tests/support/testing.hpp"

namespace reber {
namespace {

constexpr float kRms = 1;

struct Point {
  double x, y, peak;
};

/// FWHM^2 on the grid; angle from x.
Covariance shape_of(double major, double minor, double angle) {
  const double c = std::cos(angle), s = std::sin(angle);
  return {major * major * c * c + minor * minor * s * s, (major * major - minor * minor) * c * s,
          major * major * s * s + minor * minor * c * c};
}

double value_at(const std::vector<Point>& points, const Covariance& beam, double x, double y) {
  double sum = 0;
  std::array<double, 6> unused{};
  for (const Point& one : points) sum += GaussianComponent{one.peak, one.x, one.y, beam}.evaluate(x, y, unused);
  return sum;
}

/// Sources of one island of noiseless points.
std::size_t parts(const std::vector<Point>& points, const Covariance& beam) {
  const int side = 2 * static_cast<int>(std::sqrt(std::max(beam.xx, beam.yy))) + 40;
  IslandSums whole;
  IslandPixels pixels;
  pixels.label = {1};
  pixels.first = {0};
  for (std::int32_t y = -side; y <= side; ++y)
    for (std::int32_t x = -side; x <= side; ++x) {
      const double value = value_at(points, beam, x, y);
      if (!(value > 3)) continue;
      pixels.y.push_back(y), pixels.x.push_back(x);
      pixels.pixel.push_back(static_cast<float>(value)), pixels.mean.push_back(0), pixels.rms.push_back(kRms);
      ++whole.npix;
      whole.s += value;
    }
  pixels.first.push_back(whole.npix);
  return deblend({whole}, pixels, {}, {}, [&](double, double) { return beam; }).size();
}

TEST(Deblend, a_sampled_beam_has_one_peak_among_the_neighbours_of_its_lattice) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> ratio(1, 10), minor(1.5, 6), angle(0, 3.15), place(-0.5, 0.5);
  int sampled_peaks = 0;
  for (int trial = 0; trial < 400; ++trial) {
    const double narrow = minor(random);
    const Covariance beam = shape_of(ratio(random) * narrow, narrow, angle(random));
    const Point point{place(random), place(random), 1};
    std::vector<GridStep> steps = further_neighbours(beam);
    for (std::int32_t y = -1; y <= 1; ++y)
      for (std::int32_t x = -1; x <= 1; ++x)
        if (y != 0 || x != 0) steps.push_back({y, x});
    const int reach = static_cast<int>(std::sqrt(std::max(beam.xx, beam.yy)));
    int peaks = 0;
    for (int y = -reach; y <= reach; ++y)
      for (int x = -reach; x <= reach; ++x) {
        const double own = value_at({point}, beam, x, y);
        peaks += std::ranges::none_of(
            steps, [&](const GridStep& step) { return value_at({point}, beam, x + step.x, y + step.y) > own; });
        bool of_grid = true;
        for (int dy = -1; dy <= 1; ++dy)
          for (int dx = -1; dx <= 1; ++dx) of_grid = of_grid && !(value_at({point}, beam, x + dx, y + dy) > own);
        sampled_peaks += of_grid;
      }
    EXPECT_EQ(peaks, 1) << "trial " << trial;
  }
  EXPECT_GT(sampled_peaks, 600) << "the beams of this test have no more peaks than they should";
}

TEST(Deblend, beams_that_are_round_or_wide_have_the_grids_neighbours) {
  EXPECT_TRUE(further_neighbours(shape_of(5, 5, 0)).empty());
  EXPECT_TRUE(further_neighbours(shape_of(8, 5, 0.6)).empty());
  EXPECT_TRUE(further_neighbours({25, 0, 25}).empty());
  const std::vector<GridStep> along_x = further_neighbours(shape_of(24, 3, 0.46));
  ASSERT_FALSE(along_x.empty());
  EXPECT_NE(std::ranges::find(along_x, GridStep{1, 2}), along_x.end());
}

TEST(Deblend, one_point_is_one_source_and_two_are_two_at_any_stretch) {
  std::mt19937 random(2);
  std::uniform_real_distribution<double> minor(2.5, 6), angle(0, 3.15), place(-0.5, 0.5);
  for (const double ratio : {1.0, 2.0, 4.0, 6.0, 8.0})
    for (int trial = 0; trial < 40; ++trial) {
      const double narrow = minor(random), turn = angle(random);
      const Covariance beam = shape_of(ratio * narrow, narrow, turn);
      const Point point{place(random), place(random), 1000};
      EXPECT_EQ(parts({point}, beam), 1u) << ratio << " x " << narrow << " px at " << turn;
      const double step = 1.3 * ratio * narrow;
      EXPECT_EQ(parts({point, {point.x + step * std::cos(turn), point.y + step * std::sin(turn), 700}}, beam), 2u)
          << ratio << " x " << narrow << " px at " << turn;
    }
}

}  // namespace
}  // namespace reber
