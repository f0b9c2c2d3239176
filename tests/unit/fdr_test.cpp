// SPDX-License-Identifier: BSD-3-Clause
// The false discovery rate: p-values, the step-up rule against its definition, and the rate on simulated noise.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/error.hpp"
#include "core/pipeline/fdr.hpp"
#include "tests/support/testing.hpp"

namespace reber::testing {
namespace {

TEST(fdr, tail_and_inverse_are_those_of_tables) {
  EXPECT_NEAR(gaussian_tail(0), 0.5, 1e-15);
  EXPECT_NEAR(gaussian_tail(1.6448536269514722), 0.05, 1e-15);
  EXPECT_NEAR(gaussian_tail(5) / 2.866515718791939e-7, 1, 1e-12);
  for (const double p : {0.9, 0.5, 0.1, 1e-3, 1e-9, 1e-200})
    EXPECT_NEAR(gaussian_tail(gaussian_tail_inverse(p)) / p, 1, 1e-12);
}

/// The rule as it is defined: all p-values ascending, the largest k with p_k <= alpha / c k / N.
std::int64_t by_definition(const std::vector<float>& all, double alpha, double c) {
  std::vector<double> p;
  for (const float sigma : all) p.push_back(gaussian_tail(sigma));
  std::ranges::sort(p);
  std::int64_t detected = 0;
  for (std::size_t k = 1; k <= p.size(); ++k)
    if (p[k - 1] <= alpha / c * static_cast<double>(k) / static_cast<double>(p.size()))
      detected = static_cast<std::int64_t>(k);
  return detected;
}

TEST(fdr, the_tail_alone_gives_the_threshold_of_all_pixels) {
  Random random(5);
  for (const double signal : {0.0, 0.01, 0.3}) {
    std::vector<float> all;
    for (int k = 0; k < 20000; ++k)
      all.push_back(static_cast<float>(random.normal() + (random.uniform() < signal ? 6 : 0)));
    for (const double alpha : {0.01, 0.05, 0.5})
      for (const double c : {1.0, 3.2}) {
        std::vector<float> tail = all;
        std::erase_if(tail, [&](float sigma) { return sigma < fdr_floor(alpha, c); });
        const FdrThreshold found = fdr_threshold(tail, static_cast<std::int64_t>(all.size()), alpha, c);
        EXPECT_EQ(found.detected, by_definition(all, alpha, c));
        EXPECT_EQ(std::ranges::count_if(all, [&](float sigma) { return sigma >= found.sigma; }), found.detected);
      }
  }
}

TEST(fdr, the_part_of_false_pixels_is_what_was_asked_for) {
  Random random(11);
  std::int64_t detected = 0, wrong = 0;
  for (int trial = 0; trial < 40; ++trial) {
    std::vector<float> noise, tail;
    for (int k = 0; k < 10000; ++k) {
      const bool source = k < 500;
      tail.push_back(static_cast<float>(random.normal() + (source ? 5 : 0)));
      if (!source) noise.push_back(tail.back());
    }
    const FdrThreshold found = fdr_threshold(tail, 10000, 0.1, 1);
    detected += found.detected;
    wrong += std::ranges::count_if(noise, [&](float sigma) { return sigma >= found.sigma; });
  }
  EXPECT_NEAR(static_cast<double>(wrong) / static_cast<double>(detected), 0.095, 0.01);
}

TEST(fdr, nothing_is_detected_where_nothing_stands_out) {
  const FdrThreshold found = fdr_threshold({1.0f, 1.5f}, 1000, 0.05, 1);
  EXPECT_EQ(found.detected, 0);
  EXPECT_NEAR(gaussian_tail(found.sigma), 0.05 / 1000, 1e-15);
}

TEST(fdr, counts_the_pixels_that_have_an_snr) {
  Backend& cpu = backend("cpu");
  const Image image = random_image({80, 90}, 0.1, 3);
  const auto plane = load(cpu, image);
  const FdrThreshold found = measure_fdr(cpu, *plane, BackgroundModel::constant({80, 90}, 0, 1), 0.05, 10.4, {});
  EXPECT_EQ(found.pixels, 80 * 90 - plane->blank());
  EXPECT_NEAR(found.correction, 2.9289682539682538, 1e-12);  // 1 + 1/2 + ... + 1/10
  EXPECT_THROW((void)measure_fdr(cpu, *plane, BackgroundModel::constant({80, 90}, 0, 1), 1, 1, {}), InputError);
}

}  // namespace
}  // namespace reber::testing
