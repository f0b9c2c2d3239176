// SPDX-License-Identifier: BSD-3-Clause
// Exact quantiles and histograms, stretches and their inverses, limits by every rule.
#include "core/show/display/display_scale.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tests/support/stretched.hpp"
#include "tests/support/testing.hpp"

namespace reber {
namespace {

constexpr float kBlank = std::numeric_limits<float>::quiet_NaN();

std::vector<float> finite_sorted(const Image& image) {
  std::vector<float> out;
  for (std::int64_t i = 0; i < image.shape().count(); ++i) {
    if (std::isfinite(image.data()[i])) out.push_back(image.data()[i]);
  }
  std::sort(out.begin(), out.end());
  return out;
}

double sorted_quantile(const std::vector<float>& sorted, double fraction) {
  const double place = fraction * static_cast<double>(sorted.size() - 1);
  const auto i = static_cast<std::size_t>(place);
  const double next = sorted[std::min(i + 1, sorted.size() - 1)];
  return sorted[i] + (place - static_cast<double>(i)) * (next - sorted[i]);
}

TEST(PixelRanks, QuantilesAreThoseOfTheSortedPixels) {
  const Image image = testing::random_image({211, 307}, 0.1, 5);
  const auto sorted = finite_sorted(image);
  const std::vector<double> fractions = {0.5, 0, 1, 0.0025, 0.9975, 0.999, 0.31};
  for (const int threads : {1, 3}) {
    ThreadPool pool(threads);
    const auto found = quantiles(image.view(), fractions, pool);
    for (std::size_t i = 0; i < fractions.size(); ++i) {
      EXPECT_DOUBLE_EQ(found[i], sorted_quantile(sorted, fractions[i])) << fractions[i];
    }
    std::vector<float> away;
    for (const float v : sorted) away.push_back(std::abs(v - 0.25F));
    std::sort(away.begin(), away.end());
    EXPECT_DOUBLE_EQ(quantiles(image.view(), {0.5}, pool, {}, 0.25F)[0], sorted_quantile(away, 0.5));
  }
}

TEST(PixelRanks, BlankImagesHaveNoQuantilesAndNoLimitsButUsableOnes) {
  Image image({3, 4});
  std::fill_n(image.data(), 12, kBlank);
  ThreadPool pool(1);
  EXPECT_TRUE(std::isnan(quantiles(image.view(), {0.5}, pool)[0]));
  const PixelSummary s = summarise(image.view(), pool);
  EXPECT_EQ(s.blank, 12);
  EXPECT_TRUE(std::isnan(s.mean()));
  for (const auto kind : {LimitsRule::Kind::min_max, LimitsRule::Kind::percentile, LimitsRule::Kind::zscale,
                          LimitsRule::Kind::robust, LimitsRule::Kind::picture}) {
    LimitsRule rule;
    rule.kind = kind;
    EXPECT_EQ(find_limits(image.view(), rule, pool), (DisplayLimits{0, 1}));
  }
  image.at(1, 2) = -3;
  LimitsRule rule;
  rule.kind = LimitsRule::Kind::min_max;
  const DisplayLimits constant = find_limits(image.view(), rule, pool);
  EXPECT_EQ(constant.low, -3);
  EXPECT_GT(constant.high, -3);
}

TEST(PixelRanks, SummaryAndHistogramCountEachPixelOnce) {
  Image image({2, 4});
  const float values[] = {1, -2, kBlank, 5, 5, std::numeric_limits<float>::infinity(), 0, 2.5F};
  std::copy_n(values, 8, image.data());
  ThreadPool pool(2);
  const PixelSummary s = summarise(image.view(), pool);
  EXPECT_EQ(s.finite, 6);
  EXPECT_EQ(s.blank, 1);
  EXPECT_EQ(s.infinite, 1);
  EXPECT_EQ(s.min, -2);
  EXPECT_EQ(s.max, 5);
  EXPECT_EQ(s.max_x, 3);
  EXPECT_EQ(s.max_y, 0);
  EXPECT_DOUBLE_EQ(s.sum, 11.5);
  EXPECT_DOUBLE_EQ(s.rms(), std::sqrt((1 + 4 + 25 + 25 + 6.25) / 6));
  double squares = 0;
  for (const float v : {1.0F, -2.0F, 5.0F, 5.0F, 0.0F, 2.5F}) squares += std::pow(v - 11.5 / 6, 2);
  EXPECT_DOUBLE_EQ(standard_deviation(image.view(), s.mean(), pool), std::sqrt(squares / 6));

  const Histogram h = histogram(image.view(), 0, 5, 5, pool);
  EXPECT_EQ(h.counts, (std::vector<std::int64_t>{1, 1, 1, 0, 2}));
  EXPECT_EQ(h.below, 1);
  EXPECT_EQ(h.above, 1);
  EXPECT_EQ(h.blank, 1);
  EXPECT_EQ(histogram(image.view(), 5, 5, 5, pool).total(), 0);
}

TEST(DisplayScale, EveryStretchRunsFromZeroToOneAndBack) {
  for (int kind = 0; kind < 7; ++kind) {
    const StretchCurve curve{static_cast<Stretch>(kind), 30, 2.5};
    EXPECT_NEAR(testing::stretched(curve, -1), 0, 1e-12) << kStretchNames[kind];
    EXPECT_NEAR(testing::stretched(curve, 2), 1, 1e-12) << kStretchNames[kind];
    EXPECT_TRUE(std::isnan(testing::stretched(curve, std::nan(""))));
    double before = -1;
    for (const double t : {0.0, 0.05, 0.1, 0.7, 0.85, 1.0}) {
      const double s = testing::stretched(curve, t);
      EXPECT_GT(s, before);
      before = s;
      EXPECT_NEAR(unstretched(curve, s), t, 1e-6) << kStretchNames[kind];
    }
  }
}

TEST(DisplayScale, PercentilesTakeHalfOfTheRestFromEitherSide) {
  Image image({1, 1001});
  for (int i = 0; i <= 1000; ++i) image.at(0, i) = static_cast<float>((i * 10) % 1001);
  ThreadPool pool(2);
  LimitsRule rule;
  rule.kind = LimitsRule::Kind::percentile;
  rule.percent = 99;
  const DisplayLimits found = find_limits(image.view(), rule, pool);
  EXPECT_NEAR(found.low, 5, 1e-9);
  EXPECT_NEAR(found.high, 995, 1e-9);
  rule.kind = LimitsRule::Kind::robust;
  rule.sigmas_below = 1;
  rule.sigmas_above = 2;
  const DisplayLimits robust = find_limits(image.view(), rule, pool);
  EXPECT_NEAR(robust.low, 500 - 1.4826 * 250, 1e-9);
  EXPECT_NEAR(robust.high, 500 + 2 * 1.4826 * 250, 1e-9);
}

TEST(DisplayScale, ZscaleOfALineWithABrightTail) {
  // 500 values 0 ... 499 with slope 1 and 20 far above: the tail is rejected, the slope divided by the contrast.
  std::vector<float> sample(500);
  std::iota(sample.begin(), sample.end(), 0.0F);
  for (int i = 0; i < 20; ++i) sample.push_back(5000.0F + 10.0F * static_cast<float>(i));
  const DisplayLimits all = zscale(sample, 0.25);
  EXPECT_EQ(all.low, 0);
  EXPECT_NEAR(all.high, 259.5 + 260 * 4, 12);
  const DisplayLimits narrow = zscale(sample, 2);
  EXPECT_NEAR(narrow.low, 259.5 - 259 * 0.5, 2);
  EXPECT_NEAR(narrow.high, 259.5 + 260 * 0.5, 2);
}

TEST(DisplayScale, ZscaleSamplesAboutSixHundredPixels) {
  const Image image = testing::random_image({700, 900}, 0, 3);
  const auto sample = zscale_sample(image.view());
  EXPECT_GE(sample.size(), 500U);
  EXPECT_LE(sample.size(), 900U);
  EXPECT_EQ(zscale_sample(testing::random_image({1, 1}, 0, 3).view()).size(), 1U);
}

}  // namespace
}  // namespace reber
