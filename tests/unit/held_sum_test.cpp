// SPDX-License-Identifier: BSD-3-Clause
// How far around an island pixels are believed in place of its Gaussians, and the noise of sums that grow.
#include "core/measure/fitting/held_sum.hpp"

#include <cmath>
#include <functional>

#include "core/measure/fitting/pair_sums.hpp"
#include "core/measure/sources/fit_parts.hpp"
#include "tests/support/testing.hpp"

namespace reber::testing {
namespace {

constexpr double kBeam = 6, kFlood = 3;
const GaussianComponent kSpot{60, 40, 40, {36, 0, 36}};

double flux_of(const GaussianComponent& one) { return one.peak * gaussian_area(one.fwhm2); }

double value_at(const GaussianComponent& one, double x, double y) {
  std::array<double, 6> unused{};
  return one.evaluate(x, y, unused);
}

/// Pixels of rms 1 above the flood level, and those to 20 px around the place of kSpot that are not.
struct Pixels {
  FitPixels island, ring;
};
Pixels pixels_of(const std::function<double(double, double)>& sky) {
  Pixels made;
  for (int y = 0; y < 81; ++y)
    for (int x = 0; x < 81; ++x) {
      const double value = sky(x, y);
      if (value <= kFlood && std::hypot(x - kSpot.x, y - kSpot.y) > 20) continue;
      FitPixels& to = value > kFlood ? made.island : made.ring;
      to.x.push_back(x), to.y.push_back(y), to.value.push_back(value), to.rms.push_back(1);
    }
  return made;
}

std::optional<HeldSum> held_in(const Pixels& pixels, const GaussianComponent& fitted, double least_sigma = 0) {
  FittedGaussian one;
  one.component = fitted;
  return held_sum({one}, pixels.island, pixels.ring, kBeam, NoiseCorrelation(), least_sigma);
}

TEST(HeldSum, is_the_flux_of_gaussians_that_hold_it) {
  const Pixels pixels = pixels_of([](double x, double y) { return value_at(kSpot, x, y); });
  GaussianComponent high = kSpot;
  high.peak *= 1.1;
  const auto held = held_in(pixels, high);
  ASSERT_TRUE(held);
  EXPECT_NEAR(held->sum, flux_of(kSpot), 0.01 * flux_of(kSpot));
  // No less than the noise of the island's sum, no more than that of all pixels.
  EXPECT_GT(held->error, std::sqrt(static_cast<double>(pixels.island.value.size())));
  EXPECT_LT(held->error, std::sqrt(1300.0));
}

TEST(HeldSum, reaches_as_far_as_there_is_more_than_noise) {
  const GaussianComponent faint{2, 40, 53, {150, 0, 60}};  // below the flood level
  const auto both = [&](double x, double y) { return value_at(kSpot, x, y) + value_at(faint, x, y); };
  const double whole = flux_of(kSpot) + flux_of(faint);
  const auto held = held_in(pixels_of(both), kSpot);
  ASSERT_TRUE(held);
  EXPECT_NEAR(held->sum, whole, 0.05 * whole);
  // A level that noise of that many pixels may have is not followed.
  const auto level = [&](double x, double y) {
    return value_at(kSpot, x, y) + (std::hypot(x - kSpot.x, y - kSpot.y) > 12 ? 0.03 : 0.0);
  };
  GaussianComponent low = kSpot;
  low.peak *= 0.999;
  const auto alone = held_in(pixels_of(level), low);
  ASSERT_TRUE(alone);
  EXPECT_NEAR(alone->sum, flux_of(kSpot), 0.005 * flux_of(kSpot));
}

TEST(HeldSum, is_asked_for_where_the_gaussians_are_off) {
  const Pixels pixels = pixels_of([](double x, double y) { return value_at(kSpot, x, y); });
  EXPECT_FALSE(held_in(pixels, kSpot, 2));
  GaussianComponent low = kSpot;
  low.peak *= 0.98;  // 49 of a sum with an error of 12 and more
  EXPECT_FALSE(held_in(pixels, low, 5));
  EXPECT_TRUE(held_in(pixels, low, 2));
}

}  // namespace
}  // namespace reber::testing
