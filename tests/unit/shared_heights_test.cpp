// SPDX-License-Identifier: BSD-3-Clause
// Gaussians of one island hold what its pixels hold, though they were fitted one by one.
#include "core/fitting/shared_heights.hpp"

#include <cmath>

#include "core/fitting/grown_sums.hpp"
#include "tests/support/small_sky.hpp"

namespace reber::testing {
namespace {

using Scene = std::vector<GaussianComponent>;

double flux_of(const GaussianComponent& one) { return one.peak * gaussian_area(one.fwhm2); }

double flux_of(const Scene& scene) {
  double sum = 0;
  for (const GaussianComponent& one : scene) sum += flux_of(one);
  return sum;
}

Image image_of(const Scene& scene) {
  Image image({kSide, kSide});
  std::array<double, 6> unused{};
  for (std::int64_t y = 0; y < kSide; ++y)
    for (std::int64_t x = 0; x < kSide; ++x) {
      double value = 0;
      for (const GaussianComponent& one : scene)
        value += one.evaluate(static_cast<double>(x), static_cast<double>(y), unused);
      image.at(y, x) = static_cast<float>(value);
    }
  return image;
}

/// An image of one island, and these Gaussians for the rows of it.   cut: the first row
std::vector<SourceFit> held(const Image& image, const Scene& wrong, bool cut = false) {
  Backend& cpu = backend("cpu");
  const DetectOptions options;
  const BackgroundModel background = BackgroundModel::constant(image.shape(), 0, 1);
  const auto plane = load(cpu, image);
  const auto islands = cpu.label(*plane, background, options);
  const IslandPixels pixels = cpu.island_pixels(*plane, background, *islands, 1);
  DeblendOptions whole;
  whole.on = false;
  const std::vector<SourceSums> island = deblend(cpu.measure(*plane, background, *islands), pixels, options, whole);
  EXPECT_EQ(island.size(), 1u);
  std::vector<SourceSums> sums(wrong.size(), island.front());
  sums.front().cut = cut;
  std::vector<SourceFit> fits(wrong.size());
  for (std::size_t k = 0; k < wrong.size(); ++k) {
    fits[k].gaussian.emplace(), fits[k].gaussian->component = wrong[k], fits[k].flag = kFlagPart;
    fits[k].gaussian->covariance[0][0] = 0.01 * wrong[k].peak * wrong[k].peak;
  }
  ThreadPool pool;
  const auto wanted = islands_to_grow(sums, fits, pixels, options, beam_px());
  const IslandPixels around =
      pixels_of_runs(cpu, *plane, background, surrounding_runs(pixels, wanted, image.shape(), pool), options, {});
  share_heights(sums, fits, {pixels, around, options, beam_px(), NoiseCorrelation(), pool});
  return fits;
}

double flux_of(const std::vector<SourceFit>& fits) {
  double sum = 0;
  for (const SourceFit& one : fits) sum += flux_of(one.gaussian->component);
  return sum;
}

const Scene kTruth{{40, 38, 48, {200, 0, 200}}, {30, 56, 49, {220, 30, 180}}};

TEST(SharedHeights, are_those_of_least_squares_that_hold_the_pixels) {
  Scene wrong = kTruth;
  wrong[0].peak *= 1.3, wrong[1].peak *= 1.1;
  const std::vector<SourceFit> got = held(image_of(kTruth), wrong);
  for (std::size_t k = 0; k < 2; ++k) {
    const FittedGaussian& one = *got[k].gaussian;
    EXPECT_NEAR(one.component.peak, kTruth[k].peak, 0.02 * kTruth[k].peak);
    EXPECT_NEAR(std::sqrt(one.covariance[0][0]), 0.1 * one.component.peak, 1e-9);
    EXPECT_EQ(one.component.x, wrong[k].x);
    EXPECT_EQ(got[k].flag, kFlagPart);
  }
}

TEST(SharedHeights, of_shapes_that_are_none_hold_the_pixels_as_well) {
  Image ring({kSide, kSide});
  double sum = 0;
  for (std::int64_t y = 0; y < kSide; ++y)
    for (std::int64_t x = 0; x < kSide; ++x) {
      const double r = std::hypot(static_cast<double>(x) - 48, static_cast<double>(y) - 48);
      ring.at(y, x) = r < 20 && r > 12 ? 20 : 0;
      sum += ring.at(y, x);
    }
  Scene parts;
  for (const double turn : {0.0, 1.57, 3.14, 4.71})
    parts.push_back({24, 48 + 16 * std::cos(turn), 48 + 16 * std::sin(turn), {300, 0, 300}});
  EXPECT_NEAR(flux_of(held(ring, parts)), sum, 1e-6 * sum);
}

TEST(SharedHeights, are_one_factor_where_a_gaussian_would_vanish) {
  Scene wrong = kTruth;
  wrong.push_back(wrong.front());
  const std::vector<SourceFit> got = held(image_of(kTruth), wrong);
  for (std::size_t k = 0; k < 3; ++k)
    EXPECT_NEAR(got[k].gaussian->component.peak / wrong[k].peak, flux_of(kTruth) / flux_of(wrong), 0.02);
}

TEST(SharedHeights, stay_where_they_are_right_and_of_points_and_cut_sources) {
  Scene right = kTruth;
  right[0].peak *= 1.01;
  EXPECT_EQ(held(image_of(kTruth), right)[0].gaussian->component.peak, right[0].peak);
  Scene wrong = kTruth;
  wrong[0].peak *= 1.3;
  EXPECT_EQ(held(image_of(kTruth), wrong, true)[0].gaussian->component.peak, wrong[0].peak);
  const Scene points{{40, 45, 48, beam_px()}, {30, 50, 49, beam_px()}};
  wrong = points;
  wrong[0].peak *= 1.3;
  EXPECT_EQ(held(image_of(points), wrong)[0].gaussian->component.peak, wrong[0].peak);
}

}  // namespace
}  // namespace reber::testing
