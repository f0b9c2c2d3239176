// SPDX-License-Identifier: BSD-3-Clause
// The histogram of the pixels in a region, against a direct count.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <random>
#include <vector>

#include "gui/model/regions/region_statistics.hpp"

namespace reber::gui {
namespace {

std::shared_ptr<const Pyramid> pyramid(const Image& image) {
  return Pyramid::make(std::make_shared<const Image>(image.clone()), {});
}

TEST(RegionHistogram, counts_the_pixels_inside) {
  // Noise about 0.1 with a blank pixel, an infinite one and one of 1000 sigma, which lies beyond the histogram.
  Image image({90, 120});
  std::mt19937 numbers(7);
  std::normal_distribution<float> noise(0.1F, 1.0F);
  std::generate_n(image.data(), 90 * 120, [&] { return noise(numbers); });
  image.at(40, 60) = std::numeric_limits<float>::quiet_NaN();
  image.at(41, 60) = std::numeric_limits<float>::infinity();
  image.at(42, 60) = 1000;
  const auto pixels = pyramid(image);
  const Region ellipse{Region::Kind::ellipse, {60.2, 41.3}, 30, 20, 25, {}, "", false};
  const RegionStatistics s = region_statistics(ellipse, *pixels, Unit::parse("Jy/beam"), std::nullopt, Wcs(), {});
  const Histogram& h = s.histogram;
  EXPECT_EQ(h.counts.size(), static_cast<std::size_t>(std::sqrt(s.pixels.finite)));
  EXPECT_EQ(h.low, s.pixels.min);
  EXPECT_DOUBLE_EQ(h.high, s.median + 40 * s.sigma);
  std::vector<std::int64_t> counts(h.counts.size(), 0);
  const double turn = 25 * 3.14159265358979323846 / 180;
  for (std::int64_t y = 0; y < 90; ++y)
    for (std::int64_t x = 0; x < 120; ++x) {
      const double dx = static_cast<double>(x) - 60.2, dy = static_cast<double>(y) - 41.3;
      const double u = (dx * std::cos(turn) + dy * std::sin(turn)) / 30,
                   v = (dy * std::cos(turn) - dx * std::sin(turn)) / 20;
      const double value = image.at(y, x);
      if (!(u * u + v * v <= 1) || !(value >= h.low && value <= h.high)) continue;
      const double part = (value - h.low) / (h.high - h.low);
      ++counts[std::min(counts.size() - 1, static_cast<std::size_t>(part * static_cast<double>(counts.size())))];
    }
  EXPECT_EQ(h.counts, counts);
  EXPECT_EQ(h.above, 1);
  EXPECT_EQ(h.below, 0);
  EXPECT_EQ(h.total(), s.pixels.finite - 1);
}

TEST(RegionHistogram, of_one_value_has_no_counts) {
  Image image({20, 20});
  std::fill_n(image.data(), 400, 2.0F);
  const Region box{Region::Kind::box, {9.5, 9.5}, 5, 5, 0, {}, "", false};
  const RegionStatistics s = region_statistics(box, *pyramid(image), Unit::parse("Jy/beam"), std::nullopt, Wcs(), {});
  EXPECT_EQ(s.pixels.finite, 100);
  EXPECT_EQ(s.histogram.total(), 0);
}

}  // namespace
}  // namespace reber::gui
