// SPDX-License-Identifier: BSD-3-Clause
// Sources of which pixels are missing, at the border and beside blank pixels: from the image to the rows.
#include "core/sources/cut_sources.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "core/sources/deblend.hpp"
#include "core/sources/fit_sources.hpp"
#include "tests/support/testing.hpp"

namespace reber::testing {
namespace {

constexpr std::int64_t kSide = 96;
constexpr float kBlank = std::numeric_limits<float>::quiet_NaN();
constexpr Beam kBeam{0.008, 0.005, 37};

ImageHeader header_of() {
  ImageHeader header;
  header.shape = {kSide, kSide};
  std::string text;
  for (const char* card :
       {"NAXIS   =                    2", "NAXIS1  =                   96", "NAXIS2  =                   96",
        "CTYPE1  = 'RA---SIN'", "CTYPE2  = 'DEC--SIN'", "CRVAL1  =                 60.0",
        "CRVAL2  =                -30.0", "CRPIX1  =                 48.5", "CRPIX2  =                 48.5",
        "CDELT1  =               -0.001", "CDELT2  =                0.001", "END"})
    text += fmt::format("{:<80}", card);
  header.wcs = Wcs::parse(text, 0, 1, {}, 2, kSide, kSide);
  header.unit = Unit::parse("Jy/beam");
  header.beam = kBeam;
  return header;
}

/// Noise of unit rms, correlated over some pixels, and one point.
Image sky_of(double peak, double px, double py, std::uint64_t seed) {
  constexpr std::int64_t kBox = 4;
  Image white({kSide + kBox, kSide + kBox}), image({kSide, kSide});
  Random random(seed);
  for (std::int64_t i = 0; i < white.shape().count(); ++i) white.data()[i] = static_cast<float>(random.normal());
  const Covariance shape =
      to_pixels(sky_covariance(kBeam.major_deg, kBeam.minor_deg, kBeam.pa_deg), *header_of().centre_geometry());
  const GaussianComponent point{peak, px, py, shape};
  std::array<double, 6> unused{};
  for (std::int64_t y = 0; y < kSide; ++y)
    for (std::int64_t x = 0; x < kSide; ++x) {
      double value = point.evaluate(static_cast<double>(x), static_cast<double>(y), unused);
      for (std::int64_t dy = 0; dy < kBox; ++dy)
        for (std::int64_t dx = 0; dx < kBox; ++dx) value += white.at(y + dy, x + dx) / kBox;
      image.at(y, x) = static_cast<float>(value);
    }
  return image;
}

std::vector<Source> found_in(const Image& image) {
  Backend& cpu = backend("cpu");
  const ImageHeader header = header_of();
  const auto plane = load(cpu, image);
  const BackgroundModel background = BackgroundModel::constant(image.shape(), 0, 1);
  const DetectOptions options;
  const KnownPixels known = known_pixels(cpu, *plane, {});
  const auto islands = cpu.label(*plane, background, options);
  const IslandPixels pixels = cpu.island_pixels(*plane, background, *islands, 1);
  std::vector<SourceSums> sums = deblend(cpu.measure(*plane, background, *islands), pixels, options, {});
  mark_cut(sums, cpu.label_runs(*islands), known);
  const SourceFitter fitter({FitRequest::Method::gaussian, false, 1}, header, kBeam);
  const std::vector<SourceFit> fits = fitter.fit(cpu, sums, pixels, options, known);
  return make_sources(sums, options, header, kBeam, fits);
}

/// Blank where the centre of a pixel is within `radius` of a place.
void blank_disc(Image& image, double px, double py, double radius) {
  for (std::int64_t y = 0; y < kSide; ++y)
    for (std::int64_t x = 0; x < kSide; ++x)
      if (std::hypot(static_cast<double>(x) - px, static_cast<double>(y) - py) <= radius) image.at(y, x) = kBlank;
}

void expect_point(const std::vector<Source>& sources, double peak, double x, double y) {
  ASSERT_EQ(sources.size(), 1u);
  EXPECT_TRUE(sources[0].fitted);
  EXPECT_EQ(sources[0].flag & kFlagEdge, kFlagEdge);
  EXPECT_NEAR(sources[0].total, peak, 5 * sources[0].e_total);
  EXPECT_LT(sources[0].e_total, 0.25 * peak);
  EXPECT_NEAR(sources[0].x, x, 5 * sources[0].e_x);
  EXPECT_NEAR(sources[0].y, y, 5 * sources[0].e_y);
}

TEST(CutSources, CentresBeyondTheBorderAreFound) {
  for (const double gap : {-3.0, -2.0, -1.0, 0.0, 1.0}) {
    SCOPED_TRACE(gap);
    expect_point(found_in(sky_of(100, gap, 50.3, 1)), 100, gap, 50.3);
    expect_point(found_in(sky_of(100, 40.6, static_cast<double>(kSide) - 1 - gap, 2)), 100, 40.6,
                 static_cast<double>(kSide) - 1 - gap);
  }
}

TEST(CutSources, CentresOnBlankPixelsAreFound) {
  for (const double gap : {-2.0, -0.5, 1.0}) {
    SCOPED_TRACE(gap);
    Image image = sky_of(100, 48.2, 50.3, 3);
    blank_disc(image, 48.2 - 12 - gap, 50.3, 12);
    expect_point(found_in(image), 100, 48.2, 50.3);
  }
}

TEST(CutSources, OneSourceOnBothSidesOfBlankPixelsIsOneRow) {
  Image hole = sky_of(100, 48.2, 50.3, 4), strip = sky_of(100, 48.2, 50.3, 5);
  blank_disc(hole, 48.2, 50.3, 2.5);
  expect_point(found_in(hole), 100, 48.2, 50.3);
  for (std::int64_t x = 0; x < kSide; ++x) strip.at(50, x) = strip.at(51, x) = kBlank;
  expect_point(found_in(strip), 100, 48.2, 50.3);
}

TEST(CutSources, WholeSourcesAreNotFlagged) {
  Image image = sky_of(100, 48.2, 50.3, 6);
  blank_disc(image, 10, 10, 5);
  const std::vector<Source> sources = found_in(image);
  ASSERT_EQ(sources.size(), 1u);
  EXPECT_EQ(sources[0].flag, 0);
}

TEST(KnownPixels, AreThoseInsideTheImageThatAreNotBlank) {
  Image image = random_image({20, 30}, 0.3, 7);
  image.at(3, 4) = 1e30f, image.at(3, 5) = -1e30f;
  for (std::int64_t x = 0; x < 30; ++x) image.at(7, x) = kBlank;
  for (const std::string& name : tested_backends()) {
    const KnownPixels known = known_pixels(backend(name), *load(backend(name), image), {});
    for (std::int64_t y = -1; y <= 20; ++y)
      for (std::int64_t x = -1; x <= 30; ++x)
        EXPECT_EQ(known.at(y, x), y >= 0 && x >= 0 && y < 20 && x < 30 && !std::isnan(image.at(y, x))) << y << " " << x;
  }
}

}  // namespace
}  // namespace reber::testing
