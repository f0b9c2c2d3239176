// SPDX-License-Identifier: BSD-3-Clause
// Sidelobes around bright sources: rings of S/N, what is none of them, and the background raised by them.
#include "core/measure/background/ring_noise.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "core/run/pipeline/background_stage.hpp"
#include "tests/support/testing.hpp"

namespace reber::testing {
namespace {

constexpr std::int64_t kSide = 241;
constexpr double kCentre = 120, kBeam = 6;

/// Noise of rms 1 and, about the centre, what `more` gives for a distance.
template <typename More>
std::vector<float> window(std::uint64_t seed, const More& more) {
  Random random(seed);
  std::vector<float> snr;
  for (std::int64_t y = 0; y < kSide; ++y)
    for (std::int64_t x = 0; x < kSide; ++x)
      snr.push_back(static_cast<float>(
          random.normal() + more(std::hypot(static_cast<double>(y) - kCentre, static_cast<double>(x) - kCentre))));
  return snr;
}

double ripple(double r) { return r < 60 ? 8 * std::cos(2 * std::numbers::pi * r / 8) : 0; }
double bright(double r) { return 5000 * std::exp(-2.772589 * r * r / (kBeam * kBeam)); }
RingNoise rings_of(const std::vector<float>& snr) {
  return ring_noise(snr, {0, 0, kSide, kSide}, kCentre, kCentre, kBeam, 120);
}

TEST(RingNoise, is_the_rms_of_the_sidelobes) {
  const RingNoise rings = rings_of(window(1, [](double r) { return ripple(r) + bright(r); }));
  const double expected = std::sqrt(1 + 32.0);
  for (const double r : {0.0, 10.0, 25.0, 40.0, 50.0}) EXPECT_NEAR(rings.at(r) / expected, 1, 0.12) << r;
  EXPECT_LT(rings.at(75), 1.2);
  EXPECT_EQ(rings.at(110), 1);
}

TEST(RingNoise, sees_neither_sources_nor_a_bowl) {
  EXPECT_TRUE(rings_of(window(2, bright)).factor.empty());
  EXPECT_TRUE(rings_of(window(3, [](double r) { return r < 50 ? -4 : 0; })).factor.empty());
  EXPECT_TRUE(rings_of(window(4, [](double r) { return 30 * std::exp(-r / 20); })).factor.empty());
}

TEST(RingNoise, a_source_among_the_sidelobes_does_not_raise_them) {
  auto snr = window(5, ripple);
  const double before = rings_of(snr).at(30);
  for (std::int64_t y = 115; y < 126; ++y)
    for (std::int64_t x = 145; x < 156; ++x) snr[static_cast<std::size_t>(y * kSide + x)] += 500;
  EXPECT_NEAR(rings_of(snr).at(30), before, 0.05 * before);
}

Image sky(double sidelobes) {
  Image image({600, 500});
  Random random(6);
  for (std::int64_t y = 0; y < 600; ++y)
    for (std::int64_t x = 0; x < 500; ++x) {
      const double r = std::hypot(static_cast<double>(y) - 200, static_cast<double>(x) - 260);
      image.at(y, x) = static_cast<float>(1e-3 * (random.normal() + sidelobes * ripple(r) + bright(r)));
    }
  return image;
}

TEST(RingNoise, the_background_is_raised_where_they_are_and_nowhere_else) {
  Backend& cpu = backend("cpu");
  const auto rms_map = [&](double sidelobes) {
    const auto plane = load(cpu, sky(sidelobes));
    const MeasuredBackground measured = measure_background(cpu, *plane, {}, kBeam, {});
    EXPECT_EQ(measured.what.find("sidelobes of 1 source above") != std::string::npos, sidelobes > 0) << measured.what;
    return render(cpu, MapKind::rms, *plane, measured.model);
  };
  const Image without = rms_map(0), with = rms_map(1);
  EXPECT_GT(with.at(200, 290), 4 * without.at(200, 290));
  EXPECT_GT(with.at(235, 260), 4 * without.at(235, 260));
  EXPECT_NEAR(with.at(500, 100) / without.at(500, 100), 1, 0.02);
}

TEST(RingNoise, the_noise_of_the_source_itself_is_that_without_its_own) {
  Backend& cpu = backend("cpu");
  const auto measured = [&](double sidelobes) {
    return measure_background(cpu, *load(cpu, sky(sidelobes)), {}, kBeam, {}).model;
  };
  EXPECT_TRUE(measured(0).raised.empty());
  const BackgroundModel model = measured(1);
  ASSERT_EQ(model.raised.size(), 1u);
  EXPECT_EQ(model.raised[0].y, 200);
  EXPECT_EQ(model.raised[0].x, 260);
  const Image rms = render(cpu, MapKind::rms, *load(cpu, sky(1)), model);
  EXPECT_LT(model.raised[0].quiet, 0.3);
  EXPECT_NEAR(model.raised[0].quiet * rms.at(200, 260) / rms.at(500, 100), 1, 0.05);
}

TEST(RingNoise, sidelobes_of_another_source_stay_noise) {
  const BackgroundModel flat = BackgroundModel::constant({300, 400}, 0, 2);
  // Factor 5 within 40 pixels of one source and 3 within 40 of the other, 20 pixels from it.
  const RingNoise one{100, 150, 10, {5, 5, 5, 5}}, other{100, 170, 10, {3, 3, 3, 3}}, far{250, 350, 10, {4, 4, 4, 4}};
  const BackgroundModel model = with_rings(flat, {one, other, far}, kBeam);
  ASSERT_EQ(model.raised.size(), 3u);
  EXPECT_NEAR(model.raised[0].quiet, 3.0 / 5, 1e-6);
  EXPECT_NEAR(model.raised[1].quiet, 1, 1e-6);
  EXPECT_NEAR(model.raised[2].quiet, 1.0 / 4, 1e-6);
}

TEST(RingNoise, of_many_sources_are_those_of_each_alone) {
  Backend& cpu = backend("cpu");
  const auto plane = load(cpu, sky(1));
  const BackgroundPixels pixels{cpu, *plane, {}};
  const BackgroundModel flat = BackgroundModel::constant({600, 500}, 0, 1e-3f);
  std::vector<BrightSource> sources;
  for (int k = 0; k < 300; ++k) sources.push_back({20.0 + 37 * k % 560, 15.0 + 53 * k % 470, 1000.0 - k});
  sources.push_back({200, 260, 5000});
  const std::vector<RingNoise> together = measure_rings(pixels, flat, sources, kBeam);
  std::ranges::stable_sort(sources, std::greater{}, &BrightSource::snr);
  std::size_t next = 0;
  for (const BrightSource& one : sources)
    for (const RingNoise& alone : measure_rings(pixels, flat, {one}, kBeam)) {
      ASSERT_LT(next, together.size());
      EXPECT_EQ(together[next].y, alone.y);
      EXPECT_EQ(together[next].x, alone.x);
      EXPECT_EQ(together[next++].factor, alone.factor);
    }
  EXPECT_EQ(next, together.size());
  EXPECT_GT(next, 10U);
}

TEST(RingNoise, backends_and_bands_agree) {
  Backend& cpu = backend("cpu");
  const Image image = sky(1);
  for (const int passes : {1, 2}) {
    BackgroundRequest request;
    request.passes = passes;
    const BackgroundModel expected = measure_background(cpu, *load(cpu, image), request, kBeam, {}).model;
    for (const std::string& name : tested_backends())
      for (const std::int64_t band : {0, 37}) {
        const auto own = load(backend(name), image, band);
        const BackgroundModel got = measure_background(backend(name), *own, request, kBeam, {}).model;
        EXPECT_EQ(got.mean, expected.mean) << name;
        EXPECT_EQ(got.rms, expected.rms) << name;
        ASSERT_EQ(got.raised.size(), expected.raised.size()) << name;
        EXPECT_EQ(got.raised[0].quiet, expected.raised[0].quiet) << name;
      }
  }
}

}  // namespace
}  // namespace reber::testing
