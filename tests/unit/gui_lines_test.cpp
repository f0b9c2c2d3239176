// SPDX-License-Identifier: BSD-3-Clause
// Lines over an image: contours, profiles, the coordinate grid, compass and scale bar.
#include <gtest/gtest.h>

#include <cmath>

#include "gui/model/image/profiles.hpp"
#include "gui/model/image/readout.hpp"
#include "gui/model/image/wcs_grid.hpp"
#include "gui/model/sky/compass.hpp"
#include "tests/support/testing.hpp"
#include "tests/unit/fits_files.hpp"

namespace reber::gui {
namespace {

constexpr float kBlank = std::numeric_limits<float>::quiet_NaN();

Wcs wcs_of(const std::string& type, double lon, double lat, double step_arcsec, double turn = 0) {
  const bool galactic = type == "GAL";
  const double s = std::sin(turn * 3.14159265358979323846 / 180), c = std::cos(turn * 3.14159265358979323846 / 180);
  std::string cards;
  for (const std::string& line :
       {std::string(galactic ? "CTYPE1  = 'GLON-CAR'" : "CTYPE1  = 'RA---TAN'"),
        std::string(galactic ? "CTYPE2  = 'GLAT-CAR'" : "CTYPE2  = 'DEC--TAN'"), std::string("CRPIX1  = 100.5"),
        std::string("CRPIX2  = 100.5"), fmt::format("CRVAL1  = {:.8f}", lon), fmt::format("CRVAL2  = {:.8f}", lat),
        fmt::format("CD1_1   = {:.15f}", -step_arcsec * c / 3600),
        fmt::format("CD1_2   = {:.15f}", step_arcsec * s / 3600),
        fmt::format("CD2_1   = {:.15f}", step_arcsec * s / 3600),
        fmt::format("CD2_2   = {:.15f}", step_arcsec * c / 3600), std::string("END")}) {
    cards += testing_files::card(line);
  }
  return Wcs::parse(cards, 0, 1, {1, 1}, 2, 200, 200);
}

CanvasTransform canvas_of(double zoom = 4, double rotation = 0) {
  ViewTransform view;
  view.centre = {99.5, 99.5};
  view.zoom = zoom;
  view.rotation_deg = rotation;
  return {view, {10, 20, 800, 600}};
}

TEST(GuiLines, AContourOfACircleIsClosedAndRound) {
  std::vector<float> field(81 * 81);
  for (int y = 0; y < 81; ++y) {
    for (int x = 0; x < 81; ++x) field[y * 81 + x] = static_cast<float>(-std::hypot(x - 40.3, y - 39.6));
  }
  const auto lines = trace_level(field.data(), 81, 81, -20);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_TRUE(lines[0].closed);
  EXPECT_GT(lines[0].points.size(), 100U);
  for (const PixelPosition& p : lines[0].points) EXPECT_NEAR(std::hypot(p.x - 40.3, p.y - 39.6), 20, 0.02);
}

TEST(GuiLines, ContoursStopAtBlanksAndAtTheBorder) {
  std::vector<float> field(20 * 30);
  for (int y = 0; y < 20; ++y) {
    for (int x = 0; x < 30; ++x) field[y * 30 + x] = static_cast<float>(y);
  }
  auto lines = trace_level(field.data(), 20, 30, 9.5);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_FALSE(lines[0].closed);
  EXPECT_EQ(lines[0].points.size(), 30U);
  field[9 * 30 + 12] = kBlank;
  lines = trace_level(field.data(), 20, 30, 9.5);
  EXPECT_EQ(lines.size(), 2U);
  std::fill(field.begin(), field.end(), kBlank);
  EXPECT_TRUE(trace_level(field.data(), 20, 30, 9.5).empty());
  EXPECT_TRUE(trace_level(field.data(), 1, 30, 9.5).empty());
}

TEST(GuiLines, EachCrossingIsInOneLine) {
  const Image image = testing::random_image({64, 64}, 0.05, 9);
  const auto lines = trace_level(image.data(), 64, 64, 0.1);
  std::size_t points = 0, crossings = 0;
  for (const Polyline& line : lines) points += line.points.size();
  const auto differ = [&](int y, int x, int dy, int dx) {
    return std::isfinite(image.at(y, x)) && std::isfinite(image.at(y + dy, x + dx)) &&
           (image.at(y, x) >= 0.1) != (image.at(y + dy, x + dx) >= 0.1);
  };
  for (int y = 0; y < 64; ++y) {
    for (int x = 0; x < 64; ++x) {
      crossings += x < 63 && differ(y, x, 0, 1);
      crossings += y < 63 && differ(y, x, 1, 0);
    }
  }
  // Crossings between two cells with blanks belong to no line.
  EXPECT_LE(points, crossings);
  EXPECT_GT(points, crossings * 9 / 10);
}

TEST(GuiLines, ContourLevelsBySigma) {
  ContourLevels levels;
  EXPECT_TRUE(levels.values().empty());
  levels.middle = 1;
  levels.sigma = 0.5;
  levels.count = 3;
  EXPECT_EQ(levels.values(), (std::vector<double>{-0.5, 2.5, 4, 7}));
}

TEST(GuiLines, ContourLevelsByPercentile) {
  ContourLevels levels;
  levels.rule = ContourLevels::Rule::percentile;
  EXPECT_TRUE(levels.values().empty());
  levels.at_percents = {3, 1, 3};
  EXPECT_EQ(levels.values(), (std::vector<double>{1, 3}));
  EXPECT_EQ(parse_percents("99.5, 50"), (std::vector<double>{50, 99.5}));
  for (const char* wrong : {"", "fifty", "50 60", "0", "100", "nan"})
    EXPECT_THROW((void)parse_percents(wrong), InputError) << wrong;
}

TEST(GuiLines, SmoothingSpreadsAPointAsAGaussianAndKeepsBlanks) {
  constexpr int kSide = 41, kMiddle = 20;
  std::vector<float> field(kSide * kSide, 0.0F);
  const auto at = [&](int y, int x) -> float& { return field[static_cast<std::size_t>(y * kSide + x)]; };
  at(kMiddle, kMiddle) = 1;
  smooth_field(field.data(), kSide, kSide, 6);
  double sum = 0;
  for (const float v : field) sum += v;
  EXPECT_NEAR(sum, 1, 1e-3);
  EXPECT_NEAR(at(kMiddle, kMiddle + 3) / at(kMiddle, kMiddle), 0.5, 1e-3);  // half of the width to one side
  EXPECT_FLOAT_EQ(at(kMiddle, kMiddle + 4), at(kMiddle - 4, kMiddle));
  // A constant stays one beside blanks, and those stay blank.
  std::fill(field.begin(), field.end(), 2.0F);
  at(3, 3) = kBlank;
  smooth_field(field.data(), kSide, kSide, 6);
  EXPECT_TRUE(std::isnan(at(3, 3)));
  EXPECT_NEAR(at(3, 4), 2, 1e-6);
  EXPECT_NEAR(at(0, 0), 2, 1e-6);
}

TEST(GuiLines, ProfilesKeepPeaksAndBlanks) {
  Image image({40, 50});
  std::fill_n(image.data(), 2000, 1.0F);
  image.at(7, 30) = 9;
  image.at(7, 3) = kBlank;
  const auto pixels = Pyramid::make(std::make_shared<const Image>(image.clone()), {});
  const Profile row = row_profile(*pixels, 7, -5, 100);
  ASSERT_EQ(row.values.size(), 50U);
  EXPECT_EQ(row.values[30], 9);
  EXPECT_TRUE(std::isnan(row.values[3]));
  EXPECT_EQ(column_profile(*pixels, 30, 0, 39).values[7], 9);
  EXPECT_TRUE(row_profile(*pixels, 40, 0, 10).values.empty());
  const auto columns = decimate(row, 5);
  EXPECT_EQ(columns[3].high, 9);
  EXPECT_EQ(columns[0].low, 1);
  const Profile line = line_profile(*pixels, {25, 7}, {35, 7});
  ASSERT_EQ(line.values.size(), 11U);
  EXPECT_EQ(line.values[5], 9);
  EXPECT_TRUE(std::isnan(line_profile(*pixels, {-9, -9}, {-5, -5}).values[0]));
}

TEST(GuiLines, GridLinesLieOnTheirCoordinates) {
  for (const double turn : {0.0, 90.0, 140.0}) {
    for (const double lat : {-66.0, 12.0, 89.99}) {
      const Wcs wcs = wcs_of("RA", 359.999, lat, 5, turn);
      for (const auto frame : {SkySystem::Frame::icrs, SkySystem::Frame::galactic}) {
        const SkyView sky(wcs, {frame, 2000});
        const CanvasTransform canvas = canvas_of();
        const SkyGrid grid = sky_grid(sky, canvas, true, 150);
        ASSERT_GE(grid.lines.size(), 4U) << turn << " " << lat;
        EXPECT_GE(grid.labels.size(), 4U);
        for (const auto& line : grid.lines) {
          for (const ScreenPoint& point : line) {
            const PixelPosition p = canvas.to_image(point);
            const auto at = sky.to_sky(p.x, p.y);
            ASSERT_TRUE(at.has_value());
            const auto off = [](double v, double step) { return std::abs(v - step * std::round(v / step)); };
            // 5 arcsec a pixel, 4 screen units a pixel: 0.05 units are 0.0625 arcsec.
            const double lon =
                off(at->lon_deg, grid.lon_step_deg) * std::cos(at->lat_deg * 3.14159265358979323846 / 180);
            EXPECT_LT(std::min(lon, off(at->lat_deg, grid.lat_step_deg)) * 3600, 0.0625);
          }
        }
      }
    }
  }
}

TEST(GuiLines, CompassFollowsTheTurnOfTheImageAndTheView) {
  const Wcs wcs = wcs_of("RA", 50, 20, 5, 30);
  const SkyView sky(wcs, {});
  const auto plain = compass_at(sky, canvas_of(), {99.5, 99.5});
  ASSERT_TRUE(plain.has_value());
  // CD turned by 30 degrees: north lies 30 degrees from +y, towards +x. The screen's y points down.
  EXPECT_NEAR(plain->north.x, 0.5, 1e-3);
  EXPECT_NEAR(plain->north.y, -std::sqrt(0.75), 1e-3);
  EXPECT_NEAR(plain->north.x * plain->east.x + plain->north.y * plain->east.y, 0, 1e-3);
  const auto turned = compass_at(sky, canvas_of(4, 30), {99.5, 99.5});
  EXPECT_NEAR(turned->north.x, 0, 1e-3);
  EXPECT_NEAR(turned->north.y, -1, 1e-3);
  EXPECT_FALSE(compass_at(SkyView(wcs_of("RA", 50, 90, 5), {}), canvas_of(), {99.5, 99.5}).has_value());
}

TEST(GuiLines, ScaleBarHasARoundLengthThatFits) {
  const Wcs wcs = wcs_of("RA", 50, 20, 5);
  const auto bar = scale_bar_at(wcs, canvas_of(), {99.5, 99.5}, 150);
  ASSERT_TRUE(bar.has_value());
  // 150 units of 1.25 arcsec are 187 arcsec: 2 arcmin is the longest round length.
  EXPECT_EQ(bar->text, "2'");
  EXPECT_NEAR(bar->length, 96, 0.01);
  EXPECT_FALSE(scale_bar_at(Wcs(), canvas_of(), {0, 0}, 150).has_value());
}

TEST(GuiLines, NoiseNearbyIgnoresBlanksAndSources) {
  Image image = testing::random_image({100, 100}, 0.2, 4);
  const auto pixels = Pyramid::make(std::make_shared<const Image>(image.clone()), {});
  const auto noise = noise_around(*pixels, {2, 97});
  ASSERT_TRUE(noise.has_value());
  EXPECT_NEAR(noise->sigma, 1, 0.15);
  Image blank({50, 50});
  std::fill_n(blank.data(), 2500, kBlank);
  EXPECT_FALSE(noise_around(*Pyramid::make(std::make_shared<const Image>(blank.clone()), {}), {5, 5}).has_value());
}

}  // namespace
}  // namespace reber::gui
