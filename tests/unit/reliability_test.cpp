// SPDX-License-Identifier: BSD-3-Clause
// Reliabilities: what they add up to, and that few negatives, outliers and order do no harm.
#include "core/measure/fitting/reliability.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tests/support/testing.hpp"

namespace reber {
namespace {

/// Noise above 4 sigma: peaks fall as exp(-4 excess), areas and sums follow them loosely.
DetectionPoint noise_point(testing::Random& random) {
  const double peak = 4 - 0.25 * std::log(1 - random.uniform());
  const double area = std::exp(0.4 * random.normal() + 1.5);
  return {std::log(peak), std::log(0.8 * peak * area), std::log(0.8 * peak)};
}

DetectionPoint source_point(testing::Random& random) {
  const double peak = 4.5 / (1 - 0.99 * random.uniform());
  const double area = 28 * std::log2(std::max(1.2, peak / 3)) * std::exp(0.1 * random.normal());
  return {std::log(peak), std::log(0.65 * peak * area), std::log(0.65 * peak)};
}

struct Sky {
  std::vector<DetectionPoint> positive, negative;
  std::size_t noise = 0;  ///< the first of `positive`
};

Sky sky(std::size_t noise, std::size_t sources, std::uint64_t seed) {
  testing::Random random(seed);
  Sky out;
  out.noise = noise;
  for (std::size_t i = 0; i < noise; ++i) out.positive.push_back(noise_point(random));
  for (std::size_t i = 0; i < sources; ++i) out.positive.push_back(source_point(random));
  for (std::size_t i = 0; i < noise; ++i) out.negative.push_back(noise_point(random));
  return out;
}

double expected_false(const std::vector<double>& reliable) {
  return std::accumulate(reliable.begin(), reliable.end(), 0.0, [](double sum, double r) { return sum + 1 - r; });
}

TEST(Reliability, TheSumOfUnreliabilitiesPredictsTheFalseDetections) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const Sky one = sky(200, 500, seed);
    const std::vector<double> reliable = reliabilities(one.positive, one.negative, 4);
    EXPECT_NEAR(expected_false(reliable), 200, 2 * std::sqrt(200.0)) << "seed " << seed;
    const auto middle = reliable.begin() + static_cast<std::ptrdiff_t>(one.noise);
    EXPECT_LT(std::accumulate(reliable.begin(), middle, 0.0) / 200, 0.35);
    EXPECT_GT(std::accumulate(middle, reliable.end(), 0.0) / 500, 0.9);
  }
}

TEST(Reliability, WithoutNegativesEverySourceIsReliable) {
  const Sky one = sky(0, 50, 7);
  for (const double r : reliabilities(one.positive, {}, 5)) EXPECT_EQ(r, 1);
  EXPECT_TRUE(reliabilities({}, one.positive, 5).empty());
}

TEST(Reliability, OneNegativeTakesAboutOneSource) {
  testing::Random random(5);
  std::vector<DetectionPoint> positive;
  for (int i = 0; i < 40; ++i) positive.push_back(noise_point(random));
  const std::vector<double> reliable = reliabilities(positive, {noise_point(random)}, 4);
  EXPECT_NEAR(expected_false(reliable), 1, 0.5);
  EXPECT_GT(*std::ranges::min_element(reliable), 0.3);
}

TEST(Reliability, ABrightArtefactDoesNotBlurTheRest) {
  Sky one = sky(100, 300, 8);
  const std::vector<double> before = reliabilities(one.positive, one.negative, 4);
  one.negative.push_back({std::log(500.0), std::log(1e5), std::log(300.0)});
  const std::vector<double> after = reliabilities(one.positive, one.negative, 4);
  double moved = 0;
  for (std::size_t i = 0; i < before.size(); ++i)
    moved += std::abs(after[i] - before[i]) / static_cast<double>(before.size());
  EXPECT_LT(moved, 0.03);
}

TEST(Reliability, DoesNotDependOnTheOrder) {
  const Sky one = sky(80, 80, 9);
  Sky turned = one;
  std::ranges::reverse(turned.positive);
  std::ranges::reverse(turned.negative);
  std::vector<double> a = reliabilities(one.positive, one.negative, 4);
  const std::vector<double> b = reliabilities(turned.positive, turned.negative, 4);
  std::ranges::reverse(a);
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_GE(a[i], 0);
    EXPECT_LE(a[i], 1);
    // Sums in another order may round a point into the next cell.
    EXPECT_NEAR(a[i], b[i], 0.05);
  }
}

}  // namespace
}  // namespace reber
