// SPDX-License-Identifier: BSD-3-Clause
// Negative peaks: Gaussian noise is left alone, heavy tails are counted, Stokes parameters are told apart.
#include "core/measure/fitting/noise_tails.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/testing.hpp"

namespace reber::testing {
namespace {

std::optional<NegativePeaks> peaks_in(const Image& image, const std::string& name = "cpu") {
  Backend& tested = backend(name);
  const auto plane = load(tested, image);
  DetectOptions options;
  return too_many_negative_peaks(tested, *plane, BackgroundModel::constant(image.shape(), 0, 1), options,
                                 static_cast<double>(image.shape().count()), {});
}

TEST(NoiseTails, ChancesArePoissons) {
  EXPECT_NEAR(chance_of_more(0, 2), 1, 1e-12);
  EXPECT_NEAR(chance_of_more(1, 2), 1 - std::exp(-2), 1e-12);
  EXPECT_NEAR(chance_of_more(5, 0.5), 1.7211563e-4, 1e-10);
  EXPECT_NEAR(pixels_above(1e6, 5), 0.28665157, 1e-6);
}

TEST(NoiseTails, GaussianNoiseIsLeftAlone) {
  int warned = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) warned += peaks_in(random_image({512, 512}, 0, seed)) ? 1 : 0;
  EXPECT_EQ(warned, 0);
}

/// Student's t with three degrees of freedom, scaled to the core of unit noise.
TEST(NoiseTails, HeavyTailsAreCountedAlikeOnAllBackends) {
  for (const Shape shape : {Shape{400, 400}, Shape{1100, 1024}}) {
    Image image(shape);
    Random random(3);
    for (std::int64_t i = 0; i < shape.count(); ++i) {
      double squares = 0;
      for (int k = 0; k < 3; ++k) squares += std::pow(random.normal(), 2) / 3;
      image.data()[i] = static_cast<float>(random.normal() / std::sqrt(squares) / 1.2);
    }
    const auto expected = peaks_in(image);
    ASSERT_TRUE(expected);
    EXPECT_GT(expected->found, 100);
    EXPECT_NEAR(expected->expected, 2.8665e-7 * static_cast<double>(shape.count()), 1e-3);
    for (const std::string& name : tested_backends()) {
      const auto got = peaks_in(image, name);
      ASSERT_TRUE(got) << name;
      EXPECT_EQ(got->found, expected->found) << name;
    }
  }
}

TEST(NoiseTails, StokesParametersMayBeNegative) {
  ImageHeader header;
  header.axes = {10, 10, 1, 4};
  header.x_axis = 0, header.y_axis = 1;
  for (std::string card : {"CTYPE4  = 'STOKES  '", "CRPIX4  =                  1.0", "CRVAL4  =                  1.0",
                           "CDELT4  =                  1.0"}) {
    card.resize(80, ' ');
    header.cards.push_back(card);
  }
  for (const std::int64_t plane : {0, 1, 2, 3}) {
    header.plane = plane;
    EXPECT_EQ(may_be_negative(header), plane > 0) << plane;
  }
  EXPECT_FALSE(may_be_negative({}));
}

}  // namespace
}  // namespace reber::testing
