// SPDX-License-Identifier: BSD-3-Clause
// Rules of a pixel by numbers worked out by hand; cpu and cuda share them.
#include "kernels/shared/pixel_rules.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace reber::rules {
namespace {

const float kNan = std::nanf("");
const float kInf = std::numeric_limits<float>::infinity();

TEST(PixelRules, StoredValuesAreScaledAndWhatIsNotFiniteIsBlank) {
  EXPECT_EQ(decode(3, 2, 10), 16);
  EXPECT_EQ(decode(-3, 0.5, 1), -0.5F);
  EXPECT_TRUE(std::isnan(decode(1e300, 1e300, 0)));
  EXPECT_TRUE(std::isnan(decode(1e39, 1, 0)));
}

TEST(PixelRules, ABackgroundLiesBetweenItsNodes) {
  EXPECT_EQ(lerp(1, 5, 0.25F), 2);
  EXPECT_EQ(lerp(1, 5, 0), 1);
  EXPECT_EQ(lerp(1, 5, 1), 5);
  EXPECT_EQ(mesh_value(0, 10, 100, 110, 0.5F, 0.25F), 52.5F);  // y between rows, x between columns
}

TEST(PixelRules, NegativeSourcesStandBelowTheBackground) {
  EXPECT_EQ(above_background(7, 4, false), 3);
  EXPECT_EQ(above_background(4, 7, true), 3);
  EXPECT_EQ(above_background(7, 4, true), -3);
}

TEST(PixelRules, WithoutNoiseThereIsNoSignalToNoise) {
  EXPECT_EQ(snr(6, 2), 3);
  EXPECT_EQ(snr(-6, 2), -3);
  for (const float rms : {0.0F, -1.0F, kNan}) EXPECT_TRUE(std::isnan(snr(6, rms))) << rms;
  EXPECT_TRUE(std::isnan(snr(kNan, 2)));
}

TEST(PixelRules, PlanesAreCombinedWithoutTheirBlankPixels) {
  EXPECT_EQ(combined(PlaneRule::difference, 5, 3), 2);
  EXPECT_TRUE(std::isnan(combined(PlaneRule::difference, kInf, 3)));
  EXPECT_EQ(combined(PlaneRule::larger, 5, 3), 5);
  EXPECT_EQ(combined(PlaneRule::larger, 3, 5), 5);
  EXPECT_EQ(combined(PlaneRule::larger, kNan, 5), 5);
  EXPECT_EQ(combined(PlaneRule::larger, 5, kNan), 5);
}

TEST(PixelRules, ASumWithoutSomePixelsIsWeightedAnew) {
  EXPECT_EQ(interpolate_output(6, 0.75F, {1, 0}, 0.5F), 8);
  EXPECT_EQ(interpolate_output(6, 1, {1, 0}, 1), 6);
  EXPECT_EQ(interpolate_output(6, 2, {4, 0}, 0.5F), 12);
  EXPECT_EQ(interpolate_output(6, 1, {4, 2}, 0.5F), 8);
  EXPECT_TRUE(std::isnan(interpolate_output(6, 0.25F, {1, 0}, 0.5F)));
  EXPECT_TRUE(std::isnan(interpolate_output(6, 0, {1, 0}, 0)));
}

TEST(PixelRules, IndicesOutsideStandForThoseOfTheirRule) {
  EXPECT_EQ(boundary_index(-1, 5, Boundary::reflect), 0);
  EXPECT_EQ(boundary_index(5, 5, Boundary::reflect), 4);
  EXPECT_EQ(boundary_index(9, 5, Boundary::reflect), 0);
  EXPECT_EQ(boundary_index(-1, 5, Boundary::mirror), 1);
  EXPECT_EQ(boundary_index(5, 5, Boundary::mirror), 3);
  EXPECT_EQ(boundary_index(8, 5, Boundary::mirror), 0);
  EXPECT_EQ(boundary_index(-1, 5, Boundary::wrap), 4);
  EXPECT_EQ(boundary_index(12, 5, Boundary::wrap), 2);
  EXPECT_EQ(boundary_index(-7, 5, Boundary::nearest), 0);
  EXPECT_EQ(boundary_index(9, 5, Boundary::nearest), 4);
  EXPECT_EQ(boundary_index(-1, 5, Boundary::zero), -1);
}

}  // namespace
}  // namespace reber::rules
