// SPDX-License-Identifier: BSD-3-Clause
// The false discovery rate: peaks of the noise beyond those that are seen, the step-up rule, the rate on simulated
// skies.
#include "core/run/pipeline/fdr.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/error.hpp"
#include "tests/support/testing.hpp"

namespace reber::testing {
namespace {

TEST(fdr, noise_peaks_are_counted_and_fall_off_beyond_the_last_hundred) {
  std::vector<float> negative;
  for (int k = 0; k < 400; ++k) negative.push_back(5 - 0.005f * static_cast<float>(k));
  EXPECT_EQ(expected_noise_peaks(negative, 4.0), 201);
  EXPECT_NEAR(expected_noise_peaks(negative, 5.5), 100 * std::exp(-0.5 * (5.5 * 5.5 - 4.505 * 4.505)), 1e-3);
  EXPECT_EQ(expected_noise_peaks({}, 4), 0);
}

TEST(fdr, takes_the_most_peaks_of_which_the_part_is_false) {
  std::vector<float> positive, negative;
  for (int k = 0; k < 1000; ++k) positive.push_back(3 + 0.01f * static_cast<float>(k));
  for (int k = 0; k < 200; ++k) negative.push_back(3 + 0.001f * static_cast<float>(k));
  const FdrThreshold found = fdr_threshold(positive, negative, 0.15);
  // At 3.05 995 are above, 150 of them as the negatives have it.
  EXPECT_NEAR(found.sigma, 3.06, 0.011);
  EXPECT_LE(found.expected_false, 0.15 * static_cast<double>(found.detected));
  EXPECT_EQ(std::ranges::count_if(positive, [&](float one) { return one >= found.sigma; }), found.detected);
}

TEST(fdr, nothing_is_detected_where_nothing_stands_out) {
  const FdrThreshold found = fdr_threshold({3.1f, 3.5f}, {3.2f, 3.6f, 3.3f}, 0.05);
  EXPECT_EQ(found.detected, 0);
  EXPECT_GT(found.sigma, 3.5);
}

/// Noise of rms 1, smoothed over `smooth` pixels each way, with points of the same shape and S/N 3 to 12.
struct Sky {
  Image image;
  std::vector<std::pair<std::int64_t, std::int64_t>> points;
};
Sky sky(std::uint64_t seed, int smooth) {
  Random random(seed);
  const Shape shape{400, 400};
  std::vector<double> white(160000), rows(160000);
  for (double& value : white) value = random.normal();
  const double scale = std::sqrt(std::sqrt(2 * 3.14159265) * smooth * std::sqrt(0.5));
  const auto weight = [&](int d) {
    return smooth == 0 ? (d == 0) : std::exp(-0.5 * d * d / (smooth * smooth)) / scale;
  };
  const int reach = 4 * smooth;
  const auto wrapped = [](std::int64_t k) { return (k + 400) % 400; };
  Sky made{Image(shape), {}};
  for (std::int64_t y = 0; y < 400; ++y)
    for (std::int64_t x = 0; x < 400; ++x)
      for (int d = -reach; d <= reach; ++d) rows[y * 400 + x] += weight(d) * white[y * 400 + wrapped(x + d)];
  for (std::int64_t y = 0; y < 400; ++y)
    for (std::int64_t x = 0; x < 400; ++x) {
      double sum = 0;
      for (int d = -reach; d <= reach; ++d) sum += weight(d) * rows[wrapped(y + d) * 400 + x];
      made.image.at(y, x) = static_cast<float>(sum);
    }
  for (std::int64_t y = 20; y < 390; y += 25)
    for (std::int64_t x = 20; x < 390; x += 25) {
      made.points.emplace_back(y, x);
      const double peak = 3 * std::pow(4.0, random.uniform());
      for (std::int64_t v = y - 8; v <= y + 8; ++v)
        for (std::int64_t u = x - 8; u <= x + 8; ++u)
          made.image.at(v, u) += static_cast<float>(
              peak * std::exp(-0.25 * static_cast<double>((v - y) * (v - y) + (u - x) * (u - x)) / 2.25));
    }
  return made;
}

TEST(fdr, the_part_of_false_islands_is_what_was_asked_for) {
  Backend& cpu = backend("cpu");
  for (const int smooth : {0, 2})
    for (const double alpha : {0.05, 0.2}) {
      double detected = 0, wrong = 0;
      for (std::uint64_t seed = 1; seed <= 8; ++seed) {
        const Sky made = sky(seed, smooth);
        const auto plane = load(cpu, made.image);
        const BackgroundModel flat = BackgroundModel::constant({400, 400}, 0, 1);
        DetectOptions options;
        options.seed = static_cast<float>(measure_fdr(cpu, *plane, flat, alpha, options, {}).sigma);
        options.seed = std::nextafter(options.seed, 0.0f);
        const auto islands = cpu.label(*plane, flat, options, {});
        for (const IslandSums& one : cpu.measure(*plane, flat, *islands, {})) {
          ++detected;
          wrong += std::ranges::none_of(made.points, [&](const auto& at) {
            return std::hypot(static_cast<double>(one.peak_y) - static_cast<double>(at.first),
                              static_cast<double>(one.peak_x) - static_cast<double>(at.second)) < 4;
          });
        }
      }
      EXPECT_NEAR(wrong / detected, alpha, 0.25 * alpha + 3 * std::sqrt(alpha / detected)) << smooth;
      EXPECT_GT(detected, 500);
    }
}

TEST(fdr, refuses_a_rate_that_is_none) {
  Backend& cpu = backend("cpu");
  const auto plane = load(cpu, random_image({80, 90}, 0.1, 3));
  EXPECT_THROW((void)measure_fdr(cpu, *plane, BackgroundModel::constant({80, 90}, 0, 1), 1, {}, {}), InputError);
}

}  // namespace
}  // namespace reber::testing
