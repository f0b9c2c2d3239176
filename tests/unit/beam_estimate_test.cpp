// SPDX-License-Identifier: BSD-3-Clause
// The beam of an image without one: from sources of one shape, from the noise, or not at all.
#include "core/run/pipeline/beam_estimate.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "tests/support/testing.hpp"
#include "tests/unit/fits_files.hpp"

namespace reber::testing {
namespace {

/// Pixels of an arcsecond, north up.
ImageHeader header_of(Shape shape) {
  std::string cards;
  for (const char* const line :
       {"CTYPE1  = 'RA---SIN'", "CTYPE2  = 'DEC--SIN'", "CRVAL1  = 187.5", "CRVAL2  = 2.0", "CRPIX1  = 200",
        "CRPIX2  = 200", "CDELT1  = -0.0002777777777777778", "CDELT2  = 0.0002777777777777778", "END"})
    cards += testing_files::card(line);
  ImageHeader header;
  header.shape = shape;
  header.wcs = Wcs::parse(cards, 0, 1, {1, 1}, 2, static_cast<double>(shape.nx), static_cast<double>(shape.ny));
  return header;
}

TEST(BeamEstimate, the_shape_that_most_have_stands_among_wider_ones) {
  Random random(1);
  std::vector<Covariance> shapes;
  for (int k = 0; k < 30; ++k) {
    const double wider = k % 3 == 0 ? 1.3 + 0.1 * k : 1 + 0.02 * random.normal();
    shapes.push_back({40 * wider, -12 * wider, 30 * wider});
  }
  const auto common = common_shape(shapes);
  ASSERT_TRUE(common);
  EXPECT_EQ(common->members, 20u);
  EXPECT_NEAR(common->fwhm2.xx / 40, 1, 0.01);
  EXPECT_NEAR(common->fwhm2.xy / -12, 1, 0.01);
  EXPECT_NEAR(common->fwhm2.yy / 30, 1, 0.01);
}

TEST(BeamEstimate, few_or_different_shapes_tell_nothing) {
  EXPECT_FALSE(common_shape({4, {40, 0, 30}}));
  std::vector<Covariance> shapes;
  for (double size = 10; size < 1e6; size *= 2) shapes.push_back({size, 0, size});
  EXPECT_FALSE(common_shape(shapes));
}

TEST(BeamEstimate, noise_of_a_shape_gives_it) {
  const Covariance shape{50, 14, 30};
  const auto found = shape_of_noise(NoiseCorrelation::of_shape(shape));
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->xx, 50, 1e-9);
  EXPECT_NEAR(found->xy, 14, 1e-9);
  EXPECT_NEAR(found->yy, 30, 1e-9);
  EXPECT_FALSE(shape_of_noise({}));
}

/// Uncorrelated noise of rms 1, and points of S/N 30 to 300 whose beam is 7 x 5 px, the long axis along y.
Image points(Shape shape, int number) {
  Random random(7);
  Image image(shape);
  for (std::int64_t y = 0; y < shape.ny; ++y)
    for (std::int64_t x = 0; x < shape.nx; ++x) image.at(y, x) = static_cast<float>(random.normal());
  for (int k = 0; k < number; ++k) {
    const double cy = 30.3 + 40 * (k / 9), cx = 30.7 + 40 * (k % 9), peak = 30 * std::pow(10.0, (k % 10) / 10.0);
    for (std::int64_t y = 0; y < shape.ny; ++y)
      for (std::int64_t x = 0; x < shape.nx; ++x) {
        const double dy = static_cast<double>(y) - cy, dx = static_cast<double>(x) - cx;
        image.at(y, x) += static_cast<float>(peak * std::exp(-2.772589 * (dy * dy / 49 + dx * dx / 25)));
      }
  }
  return image;
}

TEST(BeamEstimate, points_of_an_image_give_its_beam) {
  const Shape shape{400, 400};
  for (const std::string& name : tested_backends()) {
    Backend& own = backend(name);
    const auto many = estimate_beam(own, *load(own, points(shape, 40)), header_of(shape), {});
    ASSERT_TRUE(many) << name;
    EXPECT_NEAR(many->beam.major_deg * 3600, 7, 0.05);
    EXPECT_NEAR(many->beam.minor_deg * 3600, 5, 0.05);
    EXPECT_NEAR(std::cos(2 * many->beam.pa_deg * 3.14159265 / 180), 1, 0.01);
    EXPECT_NE(many->from.find("bright sources"), std::string::npos) << many->from;
    EXPECT_FALSE(estimate_beam(own, *load(own, points(shape, 2)), header_of(shape), {})) << "two points, white noise";
  }
}

}  // namespace
}  // namespace reber::testing
