// SPDX-License-Identifier: BSD-3-Clause
// The attempts at an island: pairs without a saddle, companions in what is left, parts, and what is refused.
#include "core/measure/sources/fit_ladder.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "core/measure/sources/fit_parts.hpp"
#include "core/measure/sources/source.hpp"
#include "tests/support/testing.hpp"

namespace reber::testing {
namespace {

const Covariance kBeam{25, 0, 25};

double value(const std::vector<GaussianComponent>& components, double x, double y) {
  std::array<double, 6> unused{};
  double sum = 0;
  for (const GaussianComponent& one : components) sum += one.evaluate(x, y, unused);
  return sum;
}

/// Pixels above 3 of a scene on 64 x 64, rms 1, without noise.
FitPixels pixels_of(const std::vector<GaussianComponent>& scene) {
  FitPixels pixels;
  for (std::int32_t y = 0; y < 64; ++y)
    for (std::int32_t x = 0; x < 64; ++x)
      if (const double v = value(scene, x, y); v > 3)
        pixels.y.push_back(y), pixels.x.push_back(x), pixels.value.push_back(v), pixels.rms.push_back(1);
  return pixels;
}

Candidate candidate(double peak, double x, double y, std::ptrdiff_t source) {
  return {{peak, x, y, {30, 0, 30}}, {4, 4, 40, true}, source};
}

/// Every ladder to its end, parts included.
std::vector<LadderResult> climbed(FitLadder ladder, const Covariance& noise = kBeam) {
  while (!ladder.finished()) {
    FitBatch batch;
    batch.weights = batch.errors = NoiseCorrelation::of_shape(noise);
    batch.lay_out({ladder.question()});
    ladder.ask(batch, batch.problems[0]);
    const FitResults results = backend("cpu").fits().fit(batch, {});
    ladder.take(results.problems[0], results.components.data());
  }
  std::vector<LadderResult> all = ladder.results();
  for (FitLadder& part : ladder.parts())
    for (const LadderResult& one : climbed(std::move(part), noise)) all.push_back(one);
  return all;
}

void expect_scene(const std::vector<LadderResult>& got, const std::vector<GaussianComponent>& scene, double part) {
  ASSERT_EQ(got.size(), scene.size());
  for (const GaussianComponent& truth : scene) {
    const auto near = std::ranges::min_element(got, {}, [&](const LadderResult& one) {
      return std::hypot(one.gaussian.component.x - truth.x, one.gaussian.component.y - truth.y);
    });
    EXPECT_NEAR(near->gaussian.component.x, truth.x, 0.2);
    EXPECT_NEAR(near->gaussian.component.y, truth.y, 0.2);
    EXPECT_NEAR(near->gaussian.component.peak, truth.peak, part * truth.peak);
  }
}

TEST(FitBatch, RoomThatIsFilledInAnyOrderHoldsWhatIsAdded) {
  const FitPixels first = pixels_of({{100, 20, 20, kBeam}}),
                  second = pixels_of({{50, 30, 32, kBeam}, {60, 42, 32, kBeam}});
  const std::vector<Candidate> one{candidate(100, 20, 20, 0)}, two{candidate(50, 30, 32, 0), candidate(60, 42, 32, 1)};
  const FitLadder ladders[] = {{first, one, {kBeam, 5, 3}}, {second, two, {kBeam, 5, 3}}};
  FitBatch added, laid;
  added.add(first, {one[0].start}, {one[0].bounds}, true);
  added.add(second, {two[0].start, two[1].start}, {two[0].bounds, two[1].bounds}, true);
  laid.lay_out({ladders[1].question()});  // what there was before leaves no trace
  ladders[1].ask(laid, laid.problems[0]);
  laid.lay_out({ladders[0].question(), ladders[1].question()});
  for (const std::size_t i : {1, 0}) ladders[i].ask(laid, laid.problems[i]);
  ASSERT_EQ(laid.problems.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(laid.problems[i].first_pixel, added.problems[i].first_pixel);
    EXPECT_EQ(laid.problems[i].pixels, added.problems[i].pixels);
    EXPECT_EQ(laid.problems[i].first_component, added.problems[i].first_component);
    EXPECT_EQ(laid.problems[i].components, added.problems[i].components);
    EXPECT_TRUE(laid.problems[i].correlated);
  }
  EXPECT_EQ(laid.pixels.y, added.pixels.y);
  EXPECT_EQ(laid.pixels.x, added.pixels.x);
  EXPECT_EQ(laid.pixels.value, added.pixels.value);
  EXPECT_EQ(laid.pixels.rms, added.pixels.rms);
  ASSERT_EQ(laid.start.size(), 3u);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_EQ(laid.start[k].x, added.start[k].x);
    EXPECT_EQ(laid.bounds[k].reach, added.bounds[k].reach);
  }
}

TEST(FitLadder, FindsAPairThatHasOnePeak) {
  const std::vector<GaussianComponent> pair{{80, 30, 31, kBeam}, {60, 33.6, 33, kBeam}};
  const auto got = climbed(FitLadder(pixels_of(pair), {candidate(100, 31.5, 32, 0)}, {kBeam, 5, 3}));
  expect_scene(got, pair, 0.03);
  EXPECT_EQ(std::ranges::count(got, Candidate::kExtra, &LadderResult::source), 1);
}

/// Gaussians found in a pair of equal beams.
std::size_t found_in_pair(double apart, double peak) {
  const std::vector<GaussianComponent> pair{{peak, 30, 31, kBeam}, {peak, 30 + apart, 31, kBeam}};
  return climbed(FitLadder(pixels_of(pair), {candidate(1.5 * peak, 30 + apart / 2, 31, 0)}, {kBeam, 5, 3})).size();
}

TEST(FitLadder, KeepsOneGaussianWhereAPairIsHardlyBetter) {
  EXPECT_EQ(found_in_pair(2.7, 40), 1u);
  EXPECT_EQ(found_in_pair(2.7, 100), 2u);
}

TEST(FitLadder, PartsNoPairCloserThanHalfABeam) {
  EXPECT_EQ(found_in_pair(2.3, 200), 1u);
  EXPECT_EQ(found_in_pair(2.7, 200), 2u);
}

TEST(FitLadder, FindsACompanionInWhatIsLeft) {
  const std::vector<GaussianComponent> scene{{200, 30, 31, {64, 10, 49}}, {15, 41, 33, kBeam}};
  const auto got = climbed(FitLadder(pixels_of(scene), {candidate(200, 30, 31, 0)}, {kBeam, 5, 3}));
  expect_scene(got, scene, 0.05);
  const auto extra = std::ranges::find(got, Candidate::kExtra, &LadderResult::source);
  ASSERT_NE(extra, got.end());
  EXPECT_EQ(extra->flag & kFlagExtra, kFlagExtra);
}

TEST(FitLadder, LeavesAnExtendedGaussianWhole) {
  for (const Covariance& shape : {Covariance{64, 0, 25}, Covariance{100, 30, 60}}) {
    const auto got =
        climbed(FitLadder(pixels_of({{30, 31.3, 30.6, shape}}), {candidate(30, 31, 31, 0)}, {kBeam, 5, 3}));
    ASSERT_EQ(got.size(), 1u);
    EXPECT_EQ(got[0].flag, 0);
    EXPECT_NEAR(got[0].gaussian.component.fwhm2.xx, shape.xx, 0.1);
  }
}

TEST(FitLadder, RefusesACentreBeyondTheEdge) {
  FitPixels pixels;
  const GaussianComponent outside{200, -4, 30, kBeam};
  for (std::int32_t y = 0; y < 64; ++y)
    for (std::int32_t x = 0; x < 64; ++x)
      if (const double v = value({outside}, x, y); v > 3)
        pixels.y.push_back(y), pixels.x.push_back(x), pixels.value.push_back(v), pixels.rms.push_back(1);
  EXPECT_TRUE(climbed(FitLadder(pixels, {candidate(pixels.value[0] + 20, 0.5, 30, 0)}, {kBeam, 5, 3})).empty());
}

TEST(FitLadder, RefusesTotalsThatThePixelsDoNotHold) {
  // A plateau just above the threshold: a Gaussian through it would hold several times its flux.
  FitPixels pixels;
  for (std::int32_t y = 20; y < 40; ++y)
    for (std::int32_t x = 20; x < 40; ++x)
      pixels.y.push_back(y), pixels.x.push_back(x), pixels.value.push_back(5.5 - 0.02 * std::abs(x - 30)),
          pixels.rms.push_back(1);
  EXPECT_TRUE(climbed(FitLadder(pixels, {candidate(5.5, 30, 30, 0)}, {kBeam, 5, 3})).empty());
}

TEST(FitLadder, FitsThePartsOfAnIslandThatNoSumDescribes) {
  // A point source, and pixels that no few Gaussians describe: the point keeps its fit.
  FitPixels pixels = pixels_of({{300, 12, 12, kBeam}});
  const std::size_t point = pixels.value.size();
  Random random(3);
  for (std::int32_t y = 36; y < 56; ++y)
    for (std::int32_t x = 36; x < 56; ++x)
      pixels.y.push_back(y), pixels.x.push_back(x), pixels.value.push_back(400 * random.uniform()),
          pixels.rms.push_back(1);
  ASSERT_GT(point, 20u);
  Candidate rough = candidate(400, 46, 46, 1);
  rough.start.fwhm2 = {200, 0, 200};
  const auto got = climbed(FitLadder(pixels, {candidate(300, 12, 12, 0), rough}, {kBeam, 5, 3}));
  ASSERT_EQ(got.size(), 1u);
  EXPECT_EQ(got[0].source, 0);
  EXPECT_EQ(got[0].flag & kFlagPart, kFlagPart);
  EXPECT_NEAR(got[0].gaussian.component.peak, 300, 30);
}

/// Pixels above 3 of a scene on uneven emission that is no sum of Gaussians: a plateau with ripples of 5 rms.
FitPixels pixels_on_emission(const GaussianComponent& source, double plateau) {
  FitPixels pixels;
  for (std::int32_t y = 0; y < 64; ++y)
    for (std::int32_t x = 0; x < 64; ++x) {
      const double ripple = 5 * std::sin(0.9 * x) * std::cos(0.8 * y);
      pixels.y.push_back(y), pixels.x.push_back(x), pixels.rms.push_back(1);
      pixels.value.push_back(value({source}, x, y) + plateau + ripple);
    }
  return pixels;
}

/// Hot spots in lobes that overlap, and what parts make of them: each lobe holds some of the other's flux as well.
const std::vector<GaussianComponent> kDouble{
    {100, 20, 32, {25, 0, 25}}, {80, 44, 32, {25, 0, 25}}, {20, 26, 32, {200, 0, 90}}, {24, 38, 32, {220, 0, 100}}};
std::vector<LadderResult> parts_of_double() {
  std::vector<LadderResult> parts;
  for (const GaussianComponent& one : kDouble) {
    LadderResult part;
    part.gaussian.component = one;
    part.flag = kFlagPart;
    parts.push_back(part);
  }
  parts[0].source = 0, parts[1].source = 1;
  for (std::size_t k = 2; k < 4; ++k) {
    GaussianComponent& lobe = parts[k].gaussian.component;
    lobe.peak *= 1.2, lobe.fwhm2 = {1.3 * lobe.fwhm2.xx, 0, 1.1 * lobe.fwhm2.yy};
  }
  return parts;
}

TEST(FitLadder, PartsThatOverlapShareTheirFlux) {
  const LadderSetting setting{kBeam, 5, 3, false};
  auto ladder = together_of(pixels_of(kDouble), parts_of_double(), 2, setting);
  ASSERT_TRUE(ladder.has_value());
  const auto got = climbed(std::move(*ladder));
  expect_scene(got, kDouble, 0.03);
  for (const LadderResult& one : got) EXPECT_EQ(one.flag & kFlagPart, 0);
}

TEST(FitLadder, PartsStayWhereTheirSumIsRefused) {
  const LadderSetting setting{kBeam, 5, 3, false};
  auto scene = kDouble;
  auto parts = parts_of_double();
  scene[3].peak = parts[3].gaussian.component.peak = 3.5;  // hardly above the threshold of 3
  auto ladder = together_of(pixels_of(scene), parts, 2, setting);
  ASSERT_TRUE(ladder.has_value());
  EXPECT_TRUE(climbed(std::move(*ladder)).empty());
}

TEST(FitLadder, OnlyPartsThatAreAllThereAreFittedTogether) {
  const LadderSetting setting{kBeam, 5, 3, false};
  const FitPixels pixels = pixels_of(kDouble);
  auto parts = parts_of_double();
  EXPECT_FALSE(together_of(pixels, parts, 3, setting).has_value());
  parts[1].flag |= kFlagCore;
  EXPECT_FALSE(together_of(pixels, parts, 2, setting).has_value());
  for (LadderResult& one : parts) one.flag = 0;
  EXPECT_FALSE(together_of(pixels, parts, 2, setting).has_value());
}

/// Twice the source and twice what a Gaussian leaves of it: the errors follow, where noise alone would keep them.
TEST(FitLadder, ErrorsGrowWithWhatTheFitLeaves) {
  const auto total_error = [](double peak) {
    FitPixels pixels = pixels_of({{peak, 30, 31, {60, 0, 60}}});
    for (std::size_t i = 0; i < pixels.value.size(); ++i)  // a ripple of a tenth
      pixels.value[i] *= 1 + 0.1 * std::cos(2.0 * pixels.x[i]) * std::cos(2.0 * pixels.y[i]);
    const auto got = climbed(FitLadder(pixels, {candidate(peak, 30, 31, 0)}, {kBeam, 5, 3, true}));
    EXPECT_EQ(got.size(), 1u);
    EXPECT_EQ(got.at(0).flag & kFlagPlainWeights, kFlagPlainWeights);
    return relative_total_error(got.at(0).gaussian.component, got.at(0).gaussian.covariance) * peak;
  };
  EXPECT_NEAR(total_error(4000) / total_error(2000), 2, 0.2);  // more pixels above the threshold as well
}

TEST(FitLadder, FitsTheCoreOfASourceOnEmission) {
  const GaussianComponent source{300, 30.4, 31.3, kBeam};
  const auto got = climbed(FitLadder(pixels_on_emission(source, 40), {candidate(340, 30, 31, 0)}, {kBeam, 5, 3}));
  ASSERT_EQ(got.size(), 1u);
  EXPECT_EQ(got[0].flag & kFlagCore, kFlagCore);
  EXPECT_NEAR(got[0].gaussian.component.peak, 300, 15);
  EXPECT_NEAR(got[0].gaussian.component.x, 30.4, 0.1);
  EXPECT_NEAR(got[0].gaussian.component.y, 31.3, 0.1);
}

TEST(FitLadder, LeavesALowBumpOnEmissionToTheEmission) {
  const GaussianComponent bump{30, 30.4, 31.3, kBeam};
  EXPECT_TRUE(climbed(FitLadder(pixels_on_emission(bump, 60), {candidate(90, 30, 31, 0)}, {kBeam, 5, 3})).empty());
}

/// One peak in noise of rms 1 whose autocorrelation is sqrt 2 beams wide, as a faint detection.   returns its result
LadderResult faint(const Covariance& shape) {
  FitLadder ladder(pixels_of({{5.6, 30.2, 31.1, shape}}), {candidate(5.6, 30, 31, 0)}, {kBeam, 5, 3, true});
  while (!ladder.finished()) {
    FitBatch batch;
    batch.errors = NoiseCorrelation::of_shape(kBeam + kBeam);
    batch.weights = ladder.about_noise() ? batch.errors : NoiseCorrelation::of_shape(kBeam);
    batch.lay_out({ladder.question()});
    ladder.ask(batch, batch.problems[0]);
    const FitResults results = backend("cpu").fits().fit(batch, {});
    ladder.take(results.problems[0], results.components.data());
  }
  return ladder.results().at(0);
}

TEST(FitLadder, TellsAFaintSourceFromAPeakOfTheNoise) {
  EXPECT_FALSE(faint(kBeam).noise);
  EXPECT_TRUE(faint(kBeam + kBeam).noise);
}

/// Noise of rms 1 with the autocorrelation of a beam of `fwhm` pixels: white noise smoothed by fwhm / sqrt 2.
std::vector<double> beam_noise(int side, double fwhm, std::mt19937& random) {
  std::normal_distribution<double> normal;
  const int reach = static_cast<int>(std::ceil(1.5 * fwhm)), wide = side + 2 * reach;
  std::vector<double> weight, white(static_cast<std::size_t>(wide) * wide), half(static_cast<std::size_t>(wide) * side);
  for (int k = -reach; k <= reach; ++k) weight.push_back(std::exp(-8 * std::log(2.0) * k * k / (fwhm * fwhm)));
  double power = 0;
  for (const double w : weight) power += w * w;
  for (double& one : white) one = normal(random) / power;
  const auto smooth = [&](const std::vector<double>& from, std::vector<double>& to, int rows) {  // and transposes
    for (int y = 0; y < rows; ++y)
      for (int x = 0; x < side; ++x) {
        double sum = 0;
        for (std::size_t k = 0; k < weight.size(); ++k)
          sum += weight[k] * from[static_cast<std::size_t>(y) * wide + x + k];
        to[static_cast<std::size_t>(x) * rows + y] = sum;
      }
  };
  std::vector<double> noise(static_cast<std::size_t>(side) * side);
  smooth(white, half, wide);
  smooth(half, noise, side);
  return noise;
}

TEST(FitLadder, a_bound_on_cost_moves_no_flux) {
  constexpr int kSide = 72;
  constexpr double kFwhm = 12;
  const Covariance beam{kFwhm * kFwhm, 0, kFwhm * kFwhm};
  std::mt19937 random(3);
  std::uniform_real_distribution<double> place(-0.5, 0.5), wide(1, 1.6), peak(50, 600);
  double most = 0;
  int compared = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const double width = trial % 2 == 0 ? kFwhm : kFwhm * wide(random);
    const double x = 34 + place(random), y = 36 + place(random);
    std::vector<GaussianComponent> scene{{peak(random), x, y, {width * width, 0, width * width}}};
    const std::vector<double> noise = beam_noise(kSide, kFwhm, random);
    FitPixels pixels;
    for (std::int32_t row = 0; row < kSide; ++row)
      for (std::int32_t column = 0; column < kSide; ++column)
        if (const double v = value(scene, column, row) + noise[static_cast<std::size_t>(row) * kSide + column]; v > 3)
          pixels.y.push_back(row), pixels.x.push_back(column), pixels.value.push_back(v), pixels.rms.push_back(1);
    std::vector<Candidate> candidates;
    for (const GaussianComponent& one : scene)
      candidates.push_back({{one.peak, std::round(one.x), std::round(one.y), beam},
                            {8, 9, 60, true},
                            static_cast<std::ptrdiff_t>(candidates.size())});
    const LadderSetting dear{.beam = beam, .ordinary = true}, cheap{.beam = beam, .ordinary = true, .most_work = 2e6};
    const auto all = climbed(FitLadder(pixels, candidates, dear), beam);
    const auto some = climbed(FitLadder(pixels, candidates, cheap), beam);
    ASSERT_EQ(all.size(), scene.size()) << trial;
    ASSERT_EQ(some.size(), scene.size()) << trial;
    for (std::size_t k = 0; k < scene.size(); ++k) {
      EXPECT_EQ(some[k].flag & (kFlagPart | kFlagCore), 0) << trial;
      const double flux = gaussian_flux(all[k].gaussian.component);
      const double error = flux * relative_total_error(all[k].gaussian.component, all[k].gaussian.covariance);
      most = std::max(most, std::abs(gaussian_flux(some[k].gaussian.component) - flux) / error);
      ++compared;
    }
  }
  EXPECT_EQ(compared, 200);
  EXPECT_LT(most, 0.3);
}

}  // namespace
}  // namespace reber::testing
