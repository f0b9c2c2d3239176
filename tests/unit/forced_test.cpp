// SPDX-License-Identifier: BSD-3-Clause
// Amplitudes of held shapes: exact without noise, honest with it, also where sources overlap.
#include <gtest/gtest.h>

#include <cmath>

#include "core/studies/forced_solve.hpp"
#include "core/studies/forced_targets.hpp"
#include "tests/support/testing.hpp"

namespace reber {
namespace {

constexpr Covariance kBeam{25, 3, 20};

FitPixels square(std::int32_t side) {
  FitPixels pixels;
  for (std::int32_t y = 0; y < side; ++y)
    for (std::int32_t x = 0; x < side; ++x) {
      pixels.y.push_back(y), pixels.x.push_back(x);
      pixels.value.push_back(0), pixels.rms.push_back(0.5 + 0.01 * x);
    }
  return pixels;
}

void draw(FitPixels& pixels, const GaussianComponent& source) {
  std::array<double, 6> unused{};
  for (std::size_t i = 0; i < pixels.value.size(); ++i)
    pixels.value[i] += source.evaluate(pixels.x[i], pixels.y[i], unused);
}

TEST(Forced, AmplitudesOfBlendedSourcesAreExactWithoutNoise) {
  FitPixels pixels = square(13);
  const std::vector<GaussianComponent> truth{{3, 5.3, 6.1, kBeam}, {-1, 7.9, 6.4, kBeam}, {0, 6, 9, {40, 0, 30}}};
  for (const GaussianComponent& one : truth) draw(pixels, one);
  for (const NoiseCorrelation& weights : {NoiseCorrelation(), NoiseCorrelation::of_shape(kBeam)}) {
    const auto solved = solve_amplitudes(pixels, truth, weights, NoiseCorrelation::of_shape(kBeam));
    ASSERT_TRUE(solved);
    for (std::size_t k = 0; k < truth.size(); ++k) EXPECT_NEAR(solved->value[k], truth[k].peak, 1e-9);
    EXPECT_NEAR(solved->chi2, 0, 1e-18);
  }
}

TEST(Forced, ErrorOfAPointIsTheLocalRmsUnderNoiseOfTheBeamsShape) {
  FitPixels pixels = square(13);
  const NoiseCorrelation beam = NoiseCorrelation::of_shape(kBeam);
  const auto solved = solve_amplitudes(pixels, {{1, 6, 6, kBeam}}, beam, beam);
  ASSERT_TRUE(solved);
  EXPECT_NEAR(solved->error[0], 0.56, 0.02);
}

TEST(Forced, ErrorsHoldUnderWhiteNoise) {
  testing::Random random(2);
  const std::vector<GaussianComponent> shapes{{1, 5, 6, kBeam}, {1, 8, 6, kBeam}};
  constexpr int kTrials = 2000;
  double sum2[2] = {}, error[2] = {};
  for (int trial = 0; trial < kTrials; ++trial) {
    FitPixels pixels = square(13);
    for (std::size_t i = 0; i < pixels.value.size(); ++i) pixels.value[i] = pixels.rms[i] * random.normal();
    const auto solved = solve_amplitudes(pixels, shapes, NoiseCorrelation::of_shape(kBeam), {});
    ASSERT_TRUE(solved);
    for (int k = 0; k < 2; ++k) sum2[k] += solved->value[k] * solved->value[k] / kTrials, error[k] = solved->error[k];
  }
  // The scatter of a standard deviation of 2000 values is 1.6 %.
  for (int k = 0; k < 2; ++k) EXPECT_NEAR(std::sqrt(sum2[k]) / error[k], 1, 0.06);
}

TEST(Forced, SourcesAtOnePlaceShareTheirFluxAndOthersKeepTheirs) {
  FitPixels pixels = square(13);
  const GaussianComponent source{1, 6, 6, kBeam}, other{-0.5, 8.2, 6.4, kBeam};
  draw(pixels, source), draw(pixels, other);
  const NoiseCorrelation beam = NoiseCorrelation::of_shape(kBeam);
  const auto alone = solve_amplitudes(pixels, {source, other}, beam, beam);
  ASSERT_TRUE(alone);
  GaussianComponent near = source;
  near.x += 5e-4;
  for (const std::vector<GaussianComponent>& twins :
       {std::vector{source}, std::vector{near}, std::vector{source, source}, std::vector{near, source, near}}) {
    std::vector<GaussianComponent> list{source, other};
    list.insert(list.end(), twins.begin(), twins.end());
    const auto solved = solve_amplitudes(pixels, list, beam, beam);
    ASSERT_TRUE(solved);
    const double shares = static_cast<double>(twins.size()) + 1;
    for (std::size_t k = 0; k < list.size(); ++k) {
      EXPECT_EQ(solved->shares[k], k == 1 ? 1U : twins.size() + 1);
      EXPECT_NEAR(solved->value[k], k == 1 ? -0.5 : 1 / shares, 1e-3);
      EXPECT_NEAR(solved->error[k], k == 1 ? alone->error[1] : alone->error[0] / shares, 1e-3);
    }
  }
}

TEST(Forced, MoreSourcesThanPixelsAndSourcesBetweenPixelsHaveAnAnswer) {
  FitPixels few;
  few.y = {6, 6}, few.x = {6, 7}, few.value = {1, 0.5}, few.rms = {1, 1};
  const auto solved = solve_amplitudes(few, {{1, 6, 6, kBeam}, {1, 7, 6, kBeam}, {1, 6.5, 7, kBeam}}, {}, {});
  ASSERT_TRUE(solved);
  for (const double value : solved->value) EXPECT_TRUE(std::isfinite(value));
  const auto nothing = solve_amplitudes(few, {{1, 6, 6, kBeam}, {1, 6.5, 6.5, {1e-4, 0, 1e-4}}}, {}, {});
  ASSERT_TRUE(nothing);
  EXPECT_TRUE(std::isfinite(nothing->value[0]));
  EXPECT_TRUE(std::isnan(nothing->value[1]));
  EXPECT_EQ(nothing->shares[1], 0U);
  EXPECT_FALSE(solve_amplitudes({}, {{1, 6, 6, kBeam}}, {}, {}));
}

TEST(Forced, GroupsAreThoseWhoseShapesOverlap) {
  std::vector<forced::Target> targets(5);
  const double x[] = {10, 15, 21, 60, 30};
  for (std::size_t i = 0; i < targets.size(); ++i) {
    targets[i].shape = {1, x[i], 20, {25, 0, 25}};
    targets[i].measured = i != 4;
  }
  const auto groups = forced::group(targets, {40, 100}, {});
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[0], (std::vector<std::size_t>{0, 1, 2}));
  EXPECT_EQ(groups[1], (std::vector<std::size_t>{3}));
}

}  // namespace
}  // namespace reber
