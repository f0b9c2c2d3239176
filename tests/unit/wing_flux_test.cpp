// SPDX-License-Identifier: BSD-3-Clause
// What a source has beyond the pixels that are summed, by its profile.
#include "core/measure/fitting/wing_flux.hpp"

#include <cmath>
#include <functional>
#include <numbers>

#include "core/measure/sources/fit_parts.hpp"
#include "tests/support/testing.hpp"

namespace reber::testing {
namespace {

constexpr double kBeam = 5;

/// Pixels of a profile in an ellipse of 3 to 2, to s and from there to another one, in noise of .1.
struct Pixels {
  FitPixels summed, beyond;
  double sum = 0, whole = 0;
};
Pixels pixels_of(const std::function<double(double)>& profile, double reach, double end) {
  Pixels made;
  Random random(17);
  for (int y = 0; y < 161; ++y)
    for (int x = 0; x < 161; ++x) {
      const double s = std::sqrt(std::pow(x - 80.2, 2) / 1.5 + std::pow(y - 79.7, 2) * 1.5), value = profile(s);
      made.whole += value;
      if (s > end) continue;
      FitPixels& to = s < reach ? made.summed : made.beyond;
      to.x.push_back(x), to.y.push_back(y), to.rms.push_back(0.1F);
      to.value.push_back(static_cast<float>(value + 0.1 * random.normal()));
      if (s < reach) made.sum += to.value.back();
    }
  return made;
}

double exponential(double s) { return 3 * std::exp(-s / 6); }
double gaussian(double s) { return 3 * std::exp(-s * s / 150); }
double disc(double s) { return s < 14 ? 3 : 0; }
double ring(double s) { return s > 10 && s < 16 ? 3 : 0; }

TEST(WingFlux, is_what_an_exponential_has_beyond) {
  const Pixels pixels = pixels_of(exponential, 18, 30);
  EXPECT_LT(pixels.sum, 0.82 * pixels.whole);
  const WingFlux wings = wing_flux(pixels.summed, pixels.beyond, kBeam, NoiseCorrelation());
  EXPECT_NEAR((pixels.sum + wings.sum) / pixels.whole, 1, 0.03);
  EXPECT_GT(wings.error, 0.002 * pixels.whole);
  EXPECT_LT(wings.error, 0.05 * pixels.whole);
}

TEST(WingFlux, is_little_of_gaussians_and_discs) {
  for (const auto& profile : {gaussian, disc}) {
    const Pixels pixels = pixels_of(profile, 24, 36);
    const WingFlux wings = wing_flux(pixels.summed, pixels.beyond, kBeam, NoiseCorrelation());
    EXPECT_NEAR((pixels.sum + wings.sum) / pixels.whole, 1, 0.015);
  }
}

TEST(WingFlux, is_none_where_no_profile_serves) {
  const Pixels pixels = pixels_of(ring, 12, 30);
  EXPECT_EQ(wing_flux(pixels.summed, pixels.beyond, kBeam, NoiseCorrelation()).sum, 0);
  const Pixels few = pixels_of(gaussian, 6, 8);
  EXPECT_EQ(wing_flux(few.summed, few.beyond, kBeam, NoiseCorrelation()).sum, 0);
  FitPixels line;
  for (int x = 0; x < 40; ++x) line.x.push_back(x), line.y.push_back(3), line.value.push_back(1), line.rms.push_back(1);
  EXPECT_EQ(wing_flux(line, {}, kBeam, NoiseCorrelation()).error, 0);
}

TEST(WingFlux, tells_wider_wings_from_those_of_a_gaussian) {
  const auto wings = [](const std::function<double(double)>& profile, double beyond = 30) {
    const Pixels pixels = pixels_of(profile, 0.6 * beyond, beyond);
    return wings_of(pixels.summed, pixels.beyond, kBeam, NoiseCorrelation());
  };
  EXPECT_EQ(wings(exponential), Wings::wider);
  EXPECT_EQ(wings(gaussian), Wings::gaussian);
  EXPECT_NE(wings(disc), Wings::wider);
  EXPECT_EQ(wings(gaussian, 8), Wings::unknown);
}

TEST(WingFlux, is_not_looked_for_where_the_background_changes) {
  const Pixels pixels = pixels_of(gaussian, 18, 30);  // 80 +- 23
  BackgroundModel model{MeshGrid::make({640, 640}, 64), std::vector<float>(100, 3), std::vector<float>(100, 1), {}, {}};
  model.mean[99] = 50;
  EXPECT_TRUE(lies_evenly(pixels.summed, model));
  model.mean[12] = 3.4F;
  EXPECT_TRUE(lies_evenly(pixels.summed, model));
  model.mean_map = std::shared_ptr<const Plane>(load(backend("cpu"), Image({640, 640})));
  EXPECT_FALSE(lies_evenly(pixels.summed, model));
  model.mean_map = nullptr;
  model.mean[12] = 3.6F;
  EXPECT_FALSE(lies_evenly(pixels.summed, model));
  model.rms[11] = 0;
  EXPECT_FALSE(lies_evenly(pixels.summed, model));
}

}  // namespace
}  // namespace reber::testing
