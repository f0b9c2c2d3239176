// SPDX-License-Identifier: BSD-3-Clause
// Sources of which pixels are missing, at the border and beside blank pixels: from the image to the rows.
#include "core/measure/sources/cut_sources.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "tests/support/small_sky.hpp"

namespace reber::testing {
namespace {

constexpr float kBlank = std::numeric_limits<float>::quiet_NaN();

Image point_sky(double peak, double px, double py, std::uint64_t seed) {
  return sky_of({{peak, px, py, beam_px()}}, seed);
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
    expect_point(found_in(point_sky(100, gap, 50.3, 1)), 100, gap, 50.3);
    expect_point(found_in(point_sky(100, 40.6, static_cast<double>(kSide) - 1 - gap, 2)), 100, 40.6,
                 static_cast<double>(kSide) - 1 - gap);
  }
}

/// What lies beyond the border is told by the shape alone: an error and a flag say so where it is not known.
TEST(CutSources, SourcesOfUnknownShapeBeyondTheBorderAreDoubted) {
  const Covariance beam = beam_px(), wide{1.2 * beam.xx, 0, 5 * beam.yy}, halo{16 * beam.xx, 0, 16 * beam.yy};
  for (const double gap : {-1.5, -3.0})
    for (const auto& scene : {std::vector<GaussianComponent>{{300, gap, 50.3, wide}},
                              std::vector<GaussianComponent>{{300, gap, 50.3, beam}, {100, gap - 1, 50.3, halo}}}) {
      SCOPED_TRACE(gap);
      double truth = 0, total = 0, error2 = 0;
      for (const GaussianComponent& one : scene) truth += one.peak * gaussian_area(one.fwhm2) / gaussian_area(beam);
      std::int64_t flags = 0;
      for (const Source& one : found_in(sky_of(scene, 11)))
        total += one.total, error2 += one.e_total * one.e_total, flags |= one.flag;
      EXPECT_NE(flags & kFlagBeyond, 0);
      EXPECT_LT(std::abs(total - truth), 5 * std::sqrt(error2));
    }
  for (const Source& one : found_in(point_sky(300, 3, 50.3, 12))) EXPECT_EQ(one.flag & kFlagBeyond, 0);
}

/// A centre on the border's own pixels is extrapolated as one beyond is; a beam inside nothing is unsure.
TEST(CutSources, FluxOnMissingPixelsIsUnsure) {
  const KnownPixels known({kSide, kSide});
  const Covariance beam{2.5 * 2.5, 0, 2.5 * 2.5};
  FittedGaussian fit;
  const auto at = [&](double x, bool free, bool alone) {
    fit.component = {300, x, 50.3, {1.5 * beam.xx, 0, 1.5 * beam.yy}};
    return extrapolated({fit, free, alone}, beam, known);
  };
  EXPECT_TRUE(at(0.3, true, false).beyond);
  EXPECT_GT(at(0.3, true, false).unsure, 0.05) << "a broken source";
  EXPECT_GT(at(-1.5, true, false).unsure, 1);
  EXPECT_LT(at(0.3, true, true).unsure, 0.1) << "a Gaussian";
  EXPECT_GT(at(-0.9, true, true).unsure, 0.05);
  EXPECT_TRUE(at(0.3, false, true).beyond);
  EXPECT_FALSE(at(1.4, true, false).beyond);
  EXPECT_GT(at(1.4, true, false).unsure, 0) << "cut within a beam";
  EXPECT_EQ(at(1.4, false, false).unsure, 0);
  EXPECT_EQ(at(2.7, true, false).unsure, 0) << "a beam inside";
}

/// What extrapolated rows leave, and a peak beside the border without a fit, may be any part of a source.
TEST(CutSources, PiecesWithoutAFitAreDoubted) {
  std::vector<SourceRow> rows(4);
  for (SourceRow& one : rows) one.cut = true, one.island = 1, one.sums.peak_y = 50;
  rows[0].sums.peak_x = 0, rows[1].sums.peak_x = 2, rows[2].sums.peak_x = 2, rows[3].sums.peak_x = 2;
  rows[3].island = 2;
  rows[0].fit = {{}, kFlagNotFitted};
  rows[1].fit = {FittedGaussian(), kFlagBeyond};
  rows[2].fit = rows[3].fit = {{}, kFlagNotFitted | kFlagRest};
  doubt_unfitted(rows, KnownPixels({kSide, kSide}));
  for (const std::size_t k : {0, 2}) {
    EXPECT_NE(rows[k].fit.flag & kFlagBeyond, 0) << k;
    EXPECT_GE(rows[k].fit.unsure, 16) << k;
  }
  EXPECT_EQ(rows[3].fit.flag & kFlagBeyond, 0);
}

TEST(CutSources, CentresOnBlankPixelsAreFound) {
  for (const double gap : {-2.0, -0.5, 1.0}) {
    SCOPED_TRACE(gap);
    Image image = point_sky(100, 48.2, 50.3, 3);
    blank_disc(image, 48.2 - 12 - gap, 50.3, 12);
    expect_point(found_in(image), 100, 48.2, 50.3);
  }
}

TEST(CutSources, OneSourceOnBothSidesOfBlankPixelsIsOneRow) {
  Image hole = point_sky(100, 48.2, 50.3, 4), strip = point_sky(100, 48.2, 50.3, 5);
  blank_disc(hole, 48.2, 50.3, 2.5);
  expect_point(found_in(hole), 100, 48.2, 50.3);
  for (std::int64_t x = 0; x < kSide; ++x) strip.at(50, x) = strip.at(51, x) = kBlank;
  expect_point(found_in(strip), 100, 48.2, 50.3);
}

TEST(CutSources, WingsBeyondABlankLineAreNoRows) {
  Image wing = point_sky(300, 48.2, 50.3, 6),
        other = sky_of({{300, 48.2, 50.3, beam_px()}, {60, 46.2, 60.3, beam_px()}}, 6);
  for (std::int64_t x = 0; x < kSide; ++x) wing.at(56, x) = other.at(56, x) = kBlank;
  expect_point(found_in(wing), 300, 48.2, 50.3);
  EXPECT_EQ(found_in(other).size(), 2u);
}

TEST(CutSources, WholeSourcesAreNotFlagged) {
  Image image = point_sky(100, 48.2, 50.3, 6);
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
