// SPDX-License-Identifier: BSD-3-Clause
// The common beam: published cases, the conditions of an optimum, and what rounding could break.
#include "core/sky/model/common_beam.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "core/base/error.hpp"
#include "tests/support/convolution_cases.hpp"

namespace reber {
namespace {

Beam arcsec(double major, double minor, double pa) { return {major / 3600, minor / 3600, pa}; }
Covariance matrix(const Beam& b) { return sky_covariance(b.major_deg * 3600, b.minor_deg * 3600, b.pa_deg); }
double det(const Covariance& c) { return c.xx * c.yy - c.xy * c.xy; }

void expect_beam(const Beam& beam, double major, double minor, double pa, double tolerance) {
  EXPECT_NEAR(beam.major_deg * 3600, major, tolerance);
  EXPECT_NEAR(beam.minor_deg * 3600, minor, tolerance);
  if (major - minor > 1e-6) {
    EXPECT_LE(std::abs(std::remainder(beam.pa_deg - pa, 180)), tolerance * 180 / M_PI * major / (major - minor));
  }
}

void expect_reachable(const CommonBeam& common, const std::vector<Beam>& beams) {
  for (const Beam& beam : beams) EXPECT_NE(deconvolve(common.beam, beam).kind, Deconvolved::Kind::impossible);
}

TEST(CommonBeam, IsRightForEveryCaseOfTheDataFolder) {
  REBER_CASES_OR_SKIP(cases);
  int seen = 0;
  for (const auto& c : (*cases)["E_common_beam"]["cases"]) {
    if (!c.contains("beams")) continue;
    SCOPED_TRACE(c["name"].get<std::string>());
    ++seen;
    std::vector<Beam> beams;
    for (const auto& b : c["beams"]) beams.push_back(arcsec(b[0], b[1], b[2]));
    const CommonBeam common = common_beam(beams);
    // The file holds answers to eight decimals, and the 288 beams of the large case to six.
    const bool rounded = beams.size() > 10;
    expect_beam(common.beam, c["exact"][0], c["exact"][1], c["exact"][2], rounded ? 5e-7 : 6e-9);
    EXPECT_NEAR(common.beam.major_deg * common.beam.minor_deg * 3600 * 3600, c["exact_area_product"].get<double>(),
                (rounded ? 5e-8 : 1e-9) * c["exact_area_product"].get<double>());
    expect_reachable(common, beams);
  }
  EXPECT_GE(seen, 4);
}

TEST(CommonBeam, IsTheBeamItselfWhereThatHoldsAll) {
  const std::vector<Beam> same{arcsec(12, 9, 25), arcsec(12, 9, 205), arcsec(8, 8, 0)};
  const CommonBeam common = common_beam(same);
  expect_beam(common.beam, 12, 9, 25, 1e-12);
  EXPECT_EQ(common.limiting, (std::vector<std::size_t>{0, 1}));
}

TEST(CommonBeam, ThreeCrossedBeamsOfOneSizeGiveARound) {
  const CommonBeam common = common_beam(std::vector<Beam>{arcsec(6, 4, 0), arcsec(6, 4, 60), arcsec(6, 4, 120)});
  expect_beam(common.beam, 6, 6, 0, 1e-9);
  EXPECT_EQ(common.limiting.size(), 3U);
}

/// At an optimum C is a combination with coefficients >= 0 of y y^T, y in the null space of C_i^-1 - C^-1 for the
/// inputs that touch. Here: the largest violation when the coefficients are found by projected gradients.
double optimality_gap(const Covariance& c, const std::vector<Covariance>& touching) {
  const double d = det(c);
  std::vector<Covariance> dyads;
  for (const Covariance& one : touching) {
    const double e = det(one);
    const Covariance rest{one.yy / e - c.yy / d, -one.xy / e + c.xy / d, one.xx / e - c.xx / d};
    const double angle = std::atan2(2 * rest.xy, rest.xx - rest.yy) / 2;
    const double x = -std::sin(angle), y = std::cos(angle);
    dyads.push_back({x * x, x * y, y * y});
  }
  std::vector<double> weight(dyads.size(), 0);
  const auto residual = [&] {
    Covariance r = c;
    for (std::size_t i = 0; i < dyads.size(); ++i)
      r = r - Covariance{weight[i] * dyads[i].xx, weight[i] * dyads[i].xy, weight[i] * dyads[i].yy};
    return r;
  };
  for (int round = 0; round < 200000; ++round) {
    for (std::size_t i = 0; i < dyads.size(); ++i) {
      const Covariance r = residual();
      const double along = dyads[i].xx * r.xx + 2 * dyads[i].xy * r.xy + dyads[i].yy * r.yy;
      weight[i] = std::max(0.0, weight[i] + along);
    }
  }
  const Covariance r = residual();
  return std::max({std::abs(r.xx), std::abs(r.xy), std::abs(r.yy)}) / (c.xx + c.yy);
}

TEST(CommonBeam, MeetsTheConditionsOfAnOptimum) {
  const std::vector<Beam> beams{arcsec(10, 8, 30), arcsec(12, 6, 60), arcsec(11, 7, -40)};
  const CommonBeam common = common_beam(beams);
  ASSERT_EQ(common.limiting.size(), 2U);
  std::vector<Covariance> touching;
  for (const std::size_t i : common.limiting) touching.push_back(matrix(beams[i]));
  EXPECT_LE(optimality_gap(matrix(common.beam), touching), 1e-9);
}

TEST(CommonBeam, HoldsItsInputsAndNoSmallerBeamDoesWhateverTheyAre) {
  std::mt19937 generator(7);
  std::uniform_real_distribution<double> unit(0, 1);
  for (int trial = 0; trial < 200; ++trial) {
    SCOPED_TRACE(trial);
    // From wild to nearly identical.
    const double spread = std::pow(10, -6 * unit(generator));
    std::vector<Beam> beams;
    const auto count = static_cast<int>(2 + 30 * unit(generator));
    for (int i = 0; i < count; ++i)
      beams.push_back(arcsec(10 + 8 * spread * unit(generator), 8 - 5 * spread * unit(generator),
                             40 + 180 * spread * unit(generator)));
    const CommonBeam common = common_beam(beams);
    expect_reachable(common, beams);
    EXPECT_FALSE(common.limiting.empty());
    // A beam with 1e-7 less area, of this shape or a slightly different one, leaves some input outside.
    const Covariance c = matrix(common.beam);
    for (int other = 0; other < 50; ++other) {
      const double e = 1e-4 * spread * unit(generator);
      Covariance next{c.xx * (1 + e * (unit(generator) - 0.5)), c.xy + e * (unit(generator) - 0.5) * c.yy,
                      c.yy * (1 + e * (unit(generator) - 0.5))};
      const double factor = std::sqrt(det(c) * (1 - 1e-7) / det(next));
      next = {next.xx * factor, next.xy * factor, next.yy * factor};
      bool holds_all = true;
      for (const Beam& beam : beams) {
        const Covariance rest = next - matrix(beam);
        holds_all = holds_all && rest.xx + rest.yy >= 0 && det(rest) >= 0;
      }
      EXPECT_FALSE(holds_all);
    }
  }
}

TEST(CommonBeam, DoesNotDependOnTheOrder) {
  std::vector<Beam> beams;
  for (int i = 0; i < 288; ++i) beams.push_back(arcsec(10 + 0.01 * i, 8 - 0.005 * i, 30 + 0.2 * i));
  const Beam forward = common_beam(beams).beam;
  std::reverse(beams.begin(), beams.end());
  const Beam backward = common_beam(beams).beam;
  EXPECT_NEAR(forward.major_deg, backward.major_deg, 1e-12 * forward.major_deg);
  EXPECT_NEAR(forward.minor_deg, backward.minor_deg, 1e-12 * forward.major_deg);
}

TEST(CommonBeam, RefusesBeamsWithoutArea) {
  EXPECT_THROW((void)common_beam({}), InputError);
  EXPECT_THROW((void)common_beam(std::vector<Beam>{arcsec(10, 0, 0)}), InputError);
}

TEST(CommonBeam, NoiseGrowsLikeTheSquareRootOfTheBeamsArea) {
  EXPECT_DOUBLE_EQ(noise_factor(arcsec(20, 20, 0), arcsec(10, 10, 0), true), 2);
  EXPECT_DOUBLE_EQ(noise_factor(arcsec(20, 20, 0), arcsec(10, 10, 0), false), 0.5);
}

}  // namespace
}  // namespace reber
