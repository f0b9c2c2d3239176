// SPDX-License-Identifier: BSD-3-Clause
// The beam and the pixel's area by place against formulae of the projections.
#include "core/sky/model/grid_geometry.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

namespace reber {
namespace {

constexpr double kPixel = 0.1;
const Beam kBeam{0.5, 0.4, 0};

/// 401 x 901 pixels about the equator, which crosses row 100.
ImageHeader header_in(const std::string& projection, const std::string& reference_row = "101.0") {
  std::string cards;
  for (std::string card : std::vector<std::string>{
           "CTYPE1  = 'RA---" + projection + "'", "CTYPE2  = 'DEC--" + projection + "'", "CRPIX1  = 201.0",
           "CRPIX2  = " + reference_row, "CDELT1  = -0.1", "CDELT2  = 0.1", "CRVAL1  = 30.0", "CRVAL2  = 0.0",
           "CUNIT1  = 'deg'", "CUNIT2  = 'deg'", "RADESYS = 'ICRS'", "END"}) {
    card.resize(80, ' ');
    cards += card;
  }
  ImageHeader header;
  header.shape = {901, 401};
  header.wcs = Wcs::parse(cards, 0, 1, {1, 1}, 2, 401, 901);
  header.unit.kind = Unit::Kind::jy_per_sr;
  header.beam = kBeam;
  return header;
}

TEST(GridGeometry, CarFollowsTheCosineOfLatitude) {
  const ImageHeader header = header_in("CAR");
  ASSERT_TRUE(header.wcs.celestial());
  const BeamField beams = beam_by_place(header, kBeam, beam_is(header, BeamIs::automatic), kBeam);
  ASSERT_TRUE(beams.varies());
  for (const double y : {3.0, 100.0, 333.3, 555.5, 777.0}) {
    const double cosine = std::cos((y - 100) * kPixel * std::numbers::pi / 180);
    const LocalBeam local = beams.at(51, y);
    EXPECT_NEAR(local.sky.major_deg, kBeam.major_deg, 1e-6);
    EXPECT_NEAR(local.pixels.xx * std::pow(kPixel * cosine / kBeam.minor_deg, 2), 1, 2e-3) << y;
    EXPECT_NEAR(local.pixels.yy * std::pow(kPixel / kBeam.major_deg, 2), 1, 2e-3) << y;
    EXPECT_NEAR(beams.pixel_deg2(51, y) / (kPixel * kPixel * cosine), 1, 1e-3) << y;
  }
}

TEST(GridGeometry, ABeamOfAnInterferometerIsConstantInPixels) {
  const ImageHeader header = header_in("SIN", "451.0");
  EXPECT_EQ(beam_is(header, BeamIs::automatic), BeamIs::pixels);
  EXPECT_EQ(beam_is(header, BeamIs::sky), BeamIs::sky);
  EXPECT_EQ(beam_is(header_in("NCP", "451.0"), BeamIs::automatic), BeamIs::pixels);
  const BeamField beams = beam_by_place(header, kBeam, BeamIs::pixels, kBeam);
  EXPECT_FALSE(beams.varies());
  EXPECT_EQ(*beams.nominal(), kBeam);
  ASSERT_TRUE(beams.areas_vary());
  const double sine = 350 * kPixel * std::numbers::pi / 180;  // a pixel stands for more sky by 1 / cos(theta)
  EXPECT_NEAR(beams.pixel_deg2(200, 800) / (kPixel * kPixel) * std::sqrt(1 - sine * sine), 1, 1e-3);
}

TEST(GridGeometry, ASmallImageHasOneBeam) {
  ImageHeader header = header_in("TAN", "16.0");
  header.shape = {31, 31};
  EXPECT_EQ(beam_is(header, BeamIs::automatic), BeamIs::sky);
  ImageHeader corner = header_in("CAR", "16.0");
  corner.shape = {11, 11};
  const BeamField beams = beam_by_place(corner, kBeam, BeamIs::sky, kBeam);
  EXPECT_FALSE(beams.varies());
  EXPECT_FALSE(beams.areas_vary());
}

TEST(GridGeometry, AKernelInPixelsIsAddedEverywhere) {
  ImageHeader header = header_in("CAR");
  const Covariance own = sky_covariance(kBeam.major_deg, kBeam.minor_deg, 0);
  const Beam after = convolve_beams(kBeam, {0.3, 0.3, 0});
  const BeamField before = beam_by_place(header, kBeam, BeamIs::sky, kBeam);
  const BeamField smoothed = beam_by_place(header, kBeam, BeamIs::sky, after);
  const Covariance far = smoothed.at(200, 700).pixels - before.at(200, 700).pixels;
  const Covariance middle = smoothed.at(200, 450).pixels - before.at(200, 450).pixels;
  EXPECT_NEAR(far.xx / middle.xx, 1, 1e-2);
  EXPECT_NEAR(far.yy / middle.yy, 1, 1e-2);
  EXPECT_GT(own.yy, 0);
}

}  // namespace
}  // namespace reber
