// SPDX-License-Identifier: BSD-3-Clause
// The histogram solver against the plain algorithm on sorted pixels: counts and rounds exactly, values to rounding.
#include "kernels/shared/clip_solver.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <span>
#include <vector>

#include "core/base/error.hpp"
#include "tests/support/testing.hpp"

namespace reber::testing {
namespace {

/// Counts as a backend would, one pixel after the other.
class VectorSource final : public HistogramSource {
 public:
  /// times: that each pixel is there
  explicit VectorSource(std::vector<float> pixels, std::uint64_t times = 1)
      : pixels_(std::move(pixels)), times_(times) {}

  MomentHistogram moments() override {
    MomentHistogram histogram;
    for (const float pixel : pixels_) {
      if (!std::isfinite(pixel)) continue;
      const std::uint32_t key = rules::key_of(pixel);
      const std::uint64_t offset = rules::offset_in_bin(key);
      histogram.count[rules::bin_of(key)] += times_;
      histogram.sum[rules::bin_of(key)] += times_ * offset;
      histogram.sum_squares[rules::bin_of(key)] += times_ * offset * offset;
    }
    return histogram;
  }

  std::vector<std::vector<std::uint64_t>> values(std::span<const std::uint32_t> bins) override {
    ++fetches;
    std::vector<std::vector<std::uint64_t>> counts(bins.size(), std::vector<std::uint64_t>(65536));
    for (const float pixel : pixels_) {
      if (!std::isfinite(pixel)) continue;
      const std::uint32_t key = rules::key_of(pixel);
      const auto found = std::ranges::find(bins, rules::bin_of(key));
      if (found != bins.end())
        counts[static_cast<std::size_t>(found - bins.begin())][rules::offset_in_bin(key)] += times_;
    }
    return counts;
  }

  int fetches = 0;

 private:
  std::vector<float> pixels_;
  std::uint64_t times_;
};

struct Moments {
  double median, mean, std;
};

/// Of sorted pixels, in long double and two passes.
Moments moments_of(std::span<const float> sorted) {
  const std::size_t n = sorted.size(), middle = n / 2;
  const double median = n % 2 != 0 ? sorted[middle] : 0.5 * (double{sorted[middle - 1]} + double{sorted[middle]});
  long double sum = 0, squares = 0;
  for (const float value : sorted) sum += value;
  const long double mean = sum / static_cast<long double>(n);
  for (const float value : sorted) squares += (value - mean) * (value - mean);
  return {median, static_cast<double>(mean), static_cast<double>(std::sqrt(squares / static_cast<long double>(n)))};
}

ClipStatistics plain_clip(std::vector<float> pixels, const ClipOptions& options) {
  std::erase_if(pixels, [](float pixel) { return !std::isfinite(pixel); });
  std::ranges::sort(pixels);
  std::span<const float> kept(pixels);
  ClipStatistics result;
  while (!kept.empty() && result.rounds < options.max_rounds && !result.converged) {
    ++result.rounds;
    const Moments moments = moments_of(kept);
    if (moments.std == 0) {
      result.converged = true;
      break;
    }
    const double low = moments.median - options.kappa * moments.std,
                 high = moments.median + options.kappa * moments.std;
    const auto first = std::ranges::find_if(kept, [low](double value) { return value > low; });
    const auto last = std::find_if(first, kept.end(), [high](double value) { return value >= high; });
    result.converged = static_cast<std::size_t>(last - first) == kept.size();
    kept = std::span<const float>(first, last);
  }
  result.kept = static_cast<std::int64_t>(kept.size());
  if (kept.empty()) return result;
  const Moments moments = moments_of(kept);
  result.median = moments.median;
  result.mean = moments.mean;
  result.std = moments.std;
  return result;
}

void expect_same_clip(const std::vector<float>& pixels, const ClipOptions& options = {}) {
  VectorSource source(pixels);
  const ClipStatistics got = solve_clip(source, options), expected = plain_clip(pixels, options);
  EXPECT_EQ(got.kept, expected.kept);
  EXPECT_EQ(got.rounds, expected.rounds);
  EXPECT_EQ(got.converged, expected.converged);
  if (expected.kept == 0) {
    EXPECT_TRUE(std::isnan(got.median) && std::isnan(got.mean) && std::isnan(got.std));
    return;
  }
  EXPECT_EQ(got.median, expected.median);
  // The mean and the std are relative to the spread, not to the offset: 1e-9 of it is asked for.
  EXPECT_TRUE(std::abs(got.std - expected.std) <= 1e-9 * expected.std) << got.std << " " << expected.std;
  EXPECT_TRUE(std::abs(got.mean - expected.mean) <= 1e-9 * expected.std + 1e-15 * std::abs(expected.mean))
      << got.mean << " " << expected.mean;
}

std::vector<float> noise(std::size_t count, double offset, double rms, std::uint64_t seed) {
  Random random(seed);
  std::vector<float> pixels(count);
  for (float& pixel : pixels) pixel = static_cast<float>(offset + rms * random.normal());
  return pixels;
}

TEST(clip_solver, noise_with_sources_is_clipped_as_by_the_plain_algorithm) {
  for (const std::uint64_t seed : {1u, 2u, 3u, 4u}) {
    auto pixels = noise(20011 + seed, 0.01, 1, seed);
    Random random(seed + 50);
    for (std::size_t k = 0; k < pixels.size(); k += 37) pixels[k] += static_cast<float>(30 / (random.uniform() + 0.01));
    for (const double kappa : {2.0, 2.5, 3.0, 5.0}) expect_same_clip(pixels, {kappa, 100});
  }
}

TEST(clip_solver, one_extra_pass_over_the_pixels_is_usually_enough) {
  VectorSource source(noise(200000, 0.1, 1, 9));
  (void)solve_clip(source, {});
  EXPECT_LE(source.fetches, 2);
}

TEST(clip_solver, a_large_offset_costs_no_precision) {
  expect_same_clip(noise(50000, 1e6, 0.1, 5));
  expect_same_clip(noise(50000, -1e6, 0.1, 6));
  expect_same_clip(noise(50001, 3e4, 1e-2, 7));
}

TEST(clip_solver, tiny_and_huge_values_and_both_zeros) {
  expect_same_clip(noise(10000, 0, 1e-42, 8));  // denormal
  auto extreme = noise(1000, 0, 1, 9);
  extreme.push_back(3e38f);
  extreme.push_back(-3e38f);
  extreme.push_back(FLT_MAX);
  expect_same_clip(extreme);
  expect_same_clip({3e38f, -3e38f, 3e38f, FLT_MAX, -FLT_MAX});
  std::vector<float> zeros(1000, 0.0f);
  for (std::size_t k = 0; k < zeros.size(); k += 3) zeros[k] = -0.0f;
  zeros[7] = 1;
  zeros[8] = -1;
  expect_same_clip(zeros);
}

TEST(clip_solver, few_pixels_and_few_values) {
  expect_same_clip({});
  expect_same_clip({std::nanf(""), HUGE_VALF});
  expect_same_clip({2.5f});
  expect_same_clip({1, 2});
  expect_same_clip({1, 2, 100});
  expect_same_clip(std::vector<float>(999, 4.25f));
  auto steps = noise(9000, 0, 1, 12);
  for (float& value : steps) value = std::round(4 * value) / 4;
  expect_same_clip(steps);
}

TEST(clip_solver, stops_after_the_rounds_allowed_with_the_values_of_what_is_left) {
  auto pixels = noise(5000, 0, 1, 13);
  for (std::size_t k = 0; k < pixels.size(); k += 10) pixels[k] *= 50;
  for (const int rounds : {0, 1, 2, 3}) expect_same_clip(pixels, {3, rounds});
}

TEST(clip_solver, a_clip_may_leave_nothing) {
  const ClipOptions narrow{0.5, 100};
  VectorSource source({0, 1});
  const ClipStatistics clip = solve_clip(source, narrow);
  EXPECT_EQ(clip.kept, 0);
  EXPECT_TRUE(std::isnan(clip.median));
}

TEST(clip_solver, bins_of_more_pixels_than_their_squares_are_counted_for) {
  for (std::vector<float> pixels :
       {std::vector<float>(3, std::nextafterf(2.0f, 0.0f)), std::vector<float>{1.9999f, 1.99995f, 1.99999f, -7.0f, 90},
        noise(1001, 5, 1e-3, 31)}) {
    VectorSource once(pixels), often(pixels, std::uint64_t{3} << 33);
    const ClipStatistics expected = solve_clip(once, {}), got = solve_clip(often, {});
    EXPECT_EQ(got.kept, expected.kept * (std::int64_t{3} << 33));
    EXPECT_EQ(got.rounds, expected.rounds);
    EXPECT_EQ(got.mean, expected.mean);
    EXPECT_EQ(got.std, expected.std);
    EXPECT_TRUE(std::abs(got.median - expected.median) <= 1e-3 * expected.std) << got.median << expected.median;
  }
}

TEST(clip_solver, plain_statistics_are_those_of_the_sorted_pixels) {
  for (const double offset : {0.0, 1e6}) {
    auto pixels = noise(30000, offset, 0.1, 21);
    VectorSource source(pixels);
    const PlaneStatistics got = solve_statistics(source, 5, StatisticsParts::all);
    std::ranges::sort(pixels);
    const Moments expected = moments_of(pixels);
    EXPECT_EQ(got.finite, 30000);
    EXPECT_EQ(got.blank, 5);
    EXPECT_EQ(got.min, pixels.front());
    EXPECT_EQ(got.max, pixels.back());
    EXPECT_EQ(got.median, expected.median);
    EXPECT_TRUE(std::abs(got.std - expected.std) <= 1e-9 * expected.std);
    EXPECT_TRUE(std::abs(got.mean - expected.mean) <= 1e-9 * expected.std);
  }
  VectorSource nothing({std::nanf("")});
  const PlaneStatistics empty = solve_statistics(nothing, 1, StatisticsParts::all);
  EXPECT_EQ(empty.finite, 0);
  EXPECT_TRUE(std::isnan(empty.min) && std::isnan(empty.median) && std::isnan(empty.std));
}

TEST(clip_bias, solves_its_equation_and_refuses_what_never_settles) {
  for (const double kappa : {1.8, 2.0, 3.0, 5.0}) {
    const double s = clip_bias(kappa), h = kappa * s;
    const double density = std::exp(-0.5 * h * h) / std::sqrt(2 * M_PI);
    EXPECT_NEAR(s * s, 1 - 2 * h * density / std::erf(h / std::sqrt(2.0)), 1e-12);
  }
  EXPECT_EQ(clip_bias(100), 1);
  EXPECT_THROW((void)clip_bias(1.7), InputError);
  EXPECT_THROW((void)clip_bias(std::nan("")), InputError);
}

}  // namespace
}  // namespace reber::testing
