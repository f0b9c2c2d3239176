// SPDX-License-Identifier: BSD-3-Clause
// Crowded fields: how many peaks of the noise to expect, the lowest threshold that they allow, and that most images are
// left alone.
#include "core/run/pipeline/fdr.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/run/request/parameter_rules.hpp"
#include "tests/support/testing.hpp"

namespace reber::testing {
namespace {

constexpr double kPart = 0.002;
constexpr std::int64_t kSide = 400;
constexpr double kFwhm = 2.3548 * 1.6;

/// Noise of rms 1 whose autocorrelation is Gaussian, by default with the FWHM of the beam.
Image noise(std::uint64_t seed, double fwhm = kFwhm) {
  Random random(seed);
  const double kernel = fwhm / 2.3548 / std::sqrt(2.0);
  const int reach = static_cast<int>(std::ceil(5 * kernel));
  std::vector<double> white(kSide * kSide), rows(kSide * kSide), weight;
  for (double& value : white) value = random.normal();
  double squares = 0;
  for (int d = -reach; d <= reach; ++d) {
    weight.push_back(std::exp(-0.5 * d * d / (kernel * kernel)));
    squares += weight.back() * weight.back();
  }
  const auto wrapped = [](std::int64_t k) { return (k + kSide) % kSide; };
  Image made({kSide, kSide});
  for (std::int64_t y = 0; y < kSide; ++y)
    for (std::int64_t x = 0; x < kSide; ++x)
      for (int d = -reach; d <= reach; ++d)
        rows[y * kSide + x] += weight[d + reach] * white[y * kSide + wrapped(x + d)];
  for (std::int64_t y = 0; y < kSide; ++y)
    for (std::int64_t x = 0; x < kSide; ++x) {
      double sum = 0;
      for (int d = -reach; d <= reach; ++d) sum += weight[d + reach] * rows[wrapped(y + d) * kSide + x];
      made.at(y, x) = static_cast<float>(sum / squares);
    }
  return made;
}

/// With a point of this S/N every so many pixels; above and below in turn where `both`.
Image sky(std::uint64_t seed, std::int64_t apart, double low, double high, bool both = false) {
  Image made = noise(seed);
  Random random(seed + 1000);
  int sign = 1;
  for (std::int64_t y = apart / 2; y < kSide - 6; y += apart)
    for (std::int64_t x = apart / 2; x < kSide - 6; x += apart) {
      const double peak = low + (high - low) * random.uniform();
      for (std::int64_t v = std::max<std::int64_t>(y - 6, 0); v <= y + 6; ++v)
        for (std::int64_t u = std::max<std::int64_t>(x - 6, 0); u <= x + 6; ++u)
          made.at(v, u) += static_cast<float>(
              sign * peak * std::exp(-0.5 * static_cast<double>((v - y) * (v - y) + (u - x) * (u - x)) / (1.6 * 1.6)));
      if (both) sign = -sign;
    }
  return made;
}

SearchedNoise of_sky() { return {static_cast<double>(kSide * kSide), kFwhm}; }

std::vector<float> heights(std::initializer_list<double> values) {
  std::vector<float> made(values.begin(), values.end());
  std::ranges::sort(made, std::greater{});
  return made;
}

TEST(deepen, theory_counts_the_peaks_of_gaussian_noise) {
  constexpr double kWide = 9;
  Backend& cpu = backend("cpu");
  const BackgroundModel flat = BackgroundModel::constant({kSide, kSide}, 0, 1);
  double counted = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const auto plane = load(cpu, noise(seed, kWide));
    counted += static_cast<double>(cpu.label(*plane, flat, {.seed = 3.2, .flood = 3.2}, {})->count());
  }
  const double expected = 12 * theoretical_noise_peaks({kSide * kSide, kWide}, 3.2);
  EXPECT_NEAR(counted, expected, 0.1 * expected + 2 * std::sqrt(expected));
}

TEST(deepen, theory_expects_no_more_peaks_than_pixels) {
  // 8 ln 2 (2 pi)^-1.5 4.5 exp(-4.5^2 / 2) = 6.3486e-5; the tail beyond 4.5 is 3.3977e-6.
  EXPECT_NEAR(theoretical_noise_peaks({1e6, 5}, 4.5), 1e6 / 25 * 6.3486e-5, 1e-3);
  EXPECT_NEAR(theoretical_noise_peaks({1e6, 2}, 4.5), 3.3977, 1e-3);
}

TEST(deepen, expects_the_larger_of_theory_and_negatives) {
  const SearchedNoise field{1e6, 5};
  const double theory = theoretical_noise_peaks(field, 4.5);
  EXPECT_EQ(noise_peaks_to_expect(field, {}, 4.5), theory) << "no negative is no proof";
  EXPECT_EQ(noise_peaks_to_expect(field, heights({3.1}), 4.5), theory);
  std::vector<float> gauss(100, 4.0f);
  const double tail = 100 * 4.5 / 4 * std::exp(-0.5 * (4.5 * 4.5 - 16));
  ASSERT_GT(tail, theory);
  EXPECT_NEAR(noise_peaks_to_expect(field, gauss, 4.5), tail, 1e-9);
  gauss.insert(gauss.begin(), 15, 4.7f);
  EXPECT_NEAR(noise_peaks_to_expect(field, gauss, 4.5), tail, 1e-9) << "within what the count scatters by";
  std::vector<float> heavy(100, 4.0f);
  heavy.insert(heavy.begin(), 40, 6.0f);
  EXPECT_EQ(noise_peaks_to_expect(field, heavy, 4.5), 40) << "a heavy tail stands";
  EXPECT_EQ(noise_peaks_to_expect(field, std::vector<float>(150, 5.0f), 4.5), 150);
}

TEST(deepen, lowers_as_far_as_the_part_allows_and_never_beyond) {
  const SearchedNoise field{5e5, 5};
  std::vector<float> positive(2000, 9.0f);
  const auto lowest = lowered_threshold(positive, {}, field, kPart, 4.5, 5);
  ASSERT_TRUE(lowest);
  EXPECT_EQ(lowest->sigma, 4.5);
  EXPECT_EQ(lowest->detected, 2000);
  // 300 islands may hold .6 false ones: theory says 1.27 at 4.5 and .13 at 5.
  positive.assign(300, 9.0f);
  for (const double t : {4.9, 4.8, 4.7, 4.6, 4.55}) positive.push_back(static_cast<float>(t));
  const auto between = lowered_threshold(positive, {}, field, kPart, 4.5, 4.75);
  ASSERT_TRUE(between);
  EXPECT_NEAR(between->sigma, 4.7, 1e-6);
  EXPECT_EQ(between->detected, 303);
  EXPECT_LE(between->expected_false, kPart * 303);
  EXPECT_FALSE(lowered_threshold(positive, {}, field, kPart, 4.5, 4.65)) << "too little to gain";
  positive.assign(30, 9.0f);
  EXPECT_FALSE(lowered_threshold(positive, {}, field, kPart, 4.5, 5));
  EXPECT_FALSE(lowered_threshold({}, {}, field, kPart, 4.5, 5));
  positive.assign(2000, 9.0f);
  EXPECT_FALSE(lowered_threshold(positive, std::vector<float>(20, 6.0f), field, kPart, 4.5, 5)) << "heavy tails";
  EXPECT_FALSE(lowered_threshold(positive, {}, {5e5, std::nan("")}, kPart, 4.5, 5)) << "no beam";
}

struct Looked {
  std::int64_t usual, count;
  double seed;
  std::optional<FdrThreshold> lowered;
  std::vector<std::int32_t> labels;
  bool same;  ///< the first islands were handed back
};
/// Islands that are known again when they are handed back.
struct FirstIslands : IslandMap {
  explicit FirstIslands(std::unique_ptr<IslandMap> its) : islands(std::move(its)) {}
  [[nodiscard]] Shape shape() const override { return islands->shape(); }
  [[nodiscard]] std::int64_t count() const override { return islands->count(); }
  [[nodiscard]] const DetectOptions& options() const override { return islands->options(); }
  std::unique_ptr<IslandMap> islands;
};

Looked look(const std::string& name, const Image& image, const DetectOptions& options, double part = kPart) {
  Backend& on = backend(name);
  const auto plane = load(on, image);
  const BackgroundModel flat = BackgroundModel::constant({kSide, kSide}, 0, 1);
  auto first = std::make_unique<FirstIslands>(on.label(*plane, flat, options, {}));
  const std::int64_t usual = first->count();
  const Deepened made = deepen(on, *plane, flat, std::move(first), options, of_sky(), part, {});
  const auto* same = dynamic_cast<const FirstIslands*>(made.islands.get());
  const IslandMap& islands = same != nullptr ? *same->islands : *made.islands;
  return {usual, islands.count(), islands.options().seed, made.lowered, labels_of(on, islands), same != nullptr};
}

TEST(deepen, a_crowded_field_is_searched_deeper_on_every_backend_alike) {
  const Image crowded = sky(5, 16, 4, 12);
  const Looked cpu = look("cpu", crowded, {});
  ASSERT_TRUE(cpu.lowered);
  EXPECT_LT(cpu.seed, 5);
  EXPECT_GE(cpu.seed, 4.5);
  EXPECT_GT(cpu.count, cpu.usual);
  EXPECT_EQ(cpu.lowered->detected, cpu.count);
  EXPECT_LE(cpu.lowered->expected_false, kPart * static_cast<double>(cpu.count));
  std::vector<std::string> names = tested_backends();
  names.emplace_back("reference");
  for (const std::string& name : names) {
    const Looked other = look(name, crowded, {});
    ASSERT_TRUE(other.lowered) << name;
    EXPECT_EQ(other.seed, cpu.seed) << name;
    EXPECT_EQ(other.lowered->expected_false, cpu.lowered->expected_false) << name;
    EXPECT_EQ(other.labels, cpu.labels) << name;
  }
}

TEST(deepen, other_fields_keep_their_threshold) {
  const auto expect_kept = [](const Looked& made, const char* what, bool looked_again = false) {
    EXPECT_EQ(made.same, !looked_again) << what;
    EXPECT_FALSE(made.lowered) << what;
    EXPECT_EQ(made.seed, 5) << what;
    EXPECT_EQ(made.count, made.usual) << what;
  };
  const Image crowded = sky(5, 16, 4, 12);
  expect_kept(look("cpu", sky(5, 60, 4, 12), {}), "few sources");
  expect_kept(look("cpu", sky(5, 12, 5, 12, true), {}), "as many negative ones", true);
  expect_kept(look("cpu", crowded, {.flood = 5}), "not below the flood level");
  expect_kept(look("cpu", crowded, {}, 0), "never");
}

TEST(deepen, a_stated_threshold_stands) {
  Request request;
  request.detect.emplace();
  EXPECT_EQ(request.deepen, 0.001);
  EXPECT_TRUE(deepening_possible(request));
  EXPECT_FALSE(edit(request, "detect.seed", 5.0));
  EXPECT_EQ(request.deepen, 0) << "a stated threshold, be it the default one";
  EXPECT_FALSE(edit(request, "detect.deepen", 0.01));
  EXPECT_EQ(request.deepen, 0.01);
  EXPECT_FALSE(edit(request, "detect.flood", 2.0));
  EXPECT_EQ(request.deepen, 0.01);
  for (const auto& [name, text] : {std::pair("detect.fdr", "0.01"), std::pair("detect.scales.fwhm", "3"),
                                   std::pair("detect.scales.wavelets", "2"), std::pair("detect.search.image", "a")}) {
    Request other = request;
    EXPECT_FALSE(edit_text(other, name, text)) << name;
    EXPECT_FALSE(deepening_possible(other)) << name;
  }
}

}  // namespace
}  // namespace reber::testing
