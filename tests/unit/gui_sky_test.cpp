// SPDX-License-Identifier: BSD-3-Clause
// Positions as the viewer shows them, against a table made by astropy (tests/support/sky_reference.py).
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "core/base/error.hpp"
#include "gui/model/image/readout.hpp"
#include "gui/model/sky/compass.hpp"
#include "tests/support/testing.hpp"
#include "tests/unit/fits_files.hpp"
#include "tests/unit/sky_rows.hpp"

namespace reber::gui {
namespace {

constexpr double kDegree = 3.14159265358979323846 / 180;

using testing::sky_header;
using testing::sky_rows;

SkySystem system_named(const std::string& name, const std::string& equinox) {
  using Frame = SkySystem::Frame;
  const std::map<std::string, Frame> frames = {{"icrs", Frame::icrs},
                                               {"fk5", Frame::fk5},
                                               {"fk4", Frame::fk4},
                                               {"galactic", Frame::galactic},
                                               {"ecliptic", Frame::ecliptic}};
  return {frames.at(name), std::stod(equinox)};
}

TEST(GuiSky, FramesAreThoseOfAstropy) {
  double worst = 0;
  for (const auto& row : sky_rows("frame")) {
    const SkySystem from = system_named(row[1], row[2]), to = system_named(row[5], row[6]);
    const SkyPosition given{std::stod(row[3]), std::stod(row[4])}, expected{std::stod(row[7]), std::stod(row[8])};
    const double error = separation_deg(SkyConverter(from, to)(given), expected) * 3.6e9;
    worst = std::max(worst, error);
    // FK4 with its E-terms is known to milliarcseconds; a twentieth of one is below every shown digit.
    const bool fk4 = row[1] == "fk4" || row[5] == "fk4";
    EXPECT_FALSE(!(error <= (fk4 ? 50.0 : 0.01))) << name_of(from) << " -> " << name_of(to) << ": " << error << " uas";
  }
  RecordProperty("worst_uas", std::to_string(worst));
}

TEST(GuiSky, ConversionsComeBack) {
  for (const auto& row : sky_rows("frame")) {
    const SkySystem from = system_named(row[1], row[2]), to = system_named(row[5], row[6]);
    const SkyPosition given{std::stod(row[3]), std::stod(row[4])};
    const SkyPosition back = SkyConverter(to, from)(SkyConverter(from, to)(given));
    EXPECT_FALSE(!(separation_deg(back, given) * 3.6e9 <= 20)) << row[1] << " " << row[5];
  }
}

TEST(GuiSky, SexagesimalTextIsAstropysToTheLastDigit) {
  for (const auto& row : sky_rows("text")) {
    CoordinateStyle style;
    style.system.frame = row[1] == "1" ? SkySystem::Frame::icrs : SkySystem::Frame::galactic;
    const int digits = std::stoi(row[4]);
    // The step whose tenth is worth one unit of the longitude's last digit; the latitude has its own.
    const double unit = std::pow(10.0, -digits) / 3600;
    const SkyPosition p{std::stod(row[2]), std::stod(row[3])};
    EXPECT_EQ(position_text(p, style, 10 * unit * (row[1] == "1" ? 15 : 1) * 1.0001)[0], row[5]);
    EXPECT_EQ(position_text(p, style, 10 * unit * 1.0001)[1], row[6]);
  }
}

TEST(GuiSky, PixelsHaveAstropysPositionsToTheLastShownDigit) {
  if (!testing::have_data()) GTEST_SKIP() << testing::no_data();
  for (const auto& row : sky_rows("pixel")) {
    const ImageHeader& header = sky_header(row[1]);
    const double x = std::stod(row[2]), y = std::stod(row[3]);
    const SkyPosition expected{std::stod(row[4]), std::stod(row[5])};
    const auto own = system_of(header.wcs);
    ASSERT_TRUE(own.has_value()) << row[1];
    for (const bool sexagesimal : {true, false}) {
      const CoordinateStyle style{*own, sexagesimal, false};
      const Readout readout = make_readout(header, {x, y}, true, 1, std::nullopt, style);
      const auto text = position_text(expected, style, pixel_step_deg(header.wcs, x, y));
      EXPECT_EQ(readout.lon, text[0]) << row[1] << " " << x << " " << y;
      EXPECT_EQ(readout.lat, text[1]) << row[1] << " " << x << " " << y;
    }
  }
}

TEST(GuiSky, ReadoutsHaveNoMinusZeroAndTellASmallChangeOfALargeValue) {
  ImageHeader header;
  header.unit = Unit::parse("Jy/beam");
  const Readout readout = make_readout(header, {-0.04, -0.06}, true, 1000000.125f, std::nullopt, {});
  EXPECT_EQ(readout.pixel, "x 0.0  y -0.1");
  EXPECT_EQ(readout.value, "1000000.12 Jy/beam");
  EXPECT_EQ(make_readout(header, {0.94, 2}, true, 1, std::nullopt, {}).pixel, "x 0.9  y 2.0");
}

TEST(GuiSky, TemperaturesOfMomentsAreInKelvinTimesVelocity) {
  ImageHeader header;
  header.wcs = Wcs::parse(testing_files::card("RESTFRQ = 1.42E9") + testing_files::card("END"), 0, 1, {1, 1}, 2, 9, 9);
  header.beam = Beam{10.0 / 3600, 10.0 / 3600, 0};
  header.unit = Unit::parse("Jy/beam");
  const std::string kelvin = make_readout(header, {1, 1}, true, 1, std::nullopt, {}).kelvin;
  ASSERT_TRUE(kelvin.ends_with(" K")) << kelvin;
  header.unit = Unit::parse("Jy beam-1 km s-1");
  EXPECT_EQ(make_readout(header, {1, 1}, true, 1, std::nullopt, {}).kelvin, kelvin + " km/s");
}

TEST(GuiSky, PlacesOnTheSkyAreDrawnWhereAstropyHasThem) {
  if (!testing::have_data()) GTEST_SKIP() << testing::no_data();
  double worst = 0;
  for (const auto& row : sky_rows("pixel")) {
    const auto at = sky_header(row[1]).wcs.to_pixel({std::stod(row[4]), std::stod(row[5])});
    ASSERT_TRUE(at.has_value()) << row[1];
    const double away = std::hypot(at->x - std::stod(row[2]), at->y - std::stod(row[3]));
    worst = std::max(worst, away);
    EXPECT_FALSE(!(away <= 0.001)) << row[1] << ": " << at->x << " " << at->y << ", expected " << row[2] << " "
                                   << row[3];
  }
  RecordProperty("worst_pixels", std::to_string(worst));
}

TEST(GuiSky, NeighbouringPixelsReadDifferently) {
  if (!testing::have_data()) GTEST_SKIP() << testing::no_data();
  for (const auto& row : sky_rows("pixel")) {
    const ImageHeader& header = sky_header(row[1]);
    const double x = std::stod(row[2]), y = std::stod(row[3]);
    for (const bool sexagesimal : {true, false}) {
      for (const auto frame : {SkySystem::Frame::icrs, SkySystem::Frame::galactic}) {
        const CoordinateStyle style{{frame, 2000}, sexagesimal, false};
        const auto text = [&](double dx, double dy) {
          return make_readout(header, {x + dx, y + dy}, true, 1, std::nullopt, style).position();
        };
        EXPECT_NE(text(0, 0), text(1, 0)) << row[1];
        EXPECT_NE(text(0, 0), text(0, 1)) << row[1];
      }
    }
  }
}

TEST(GuiSky, DrawnEllipsesHaveAstropysTips) {
  if (!testing::have_data()) GTEST_SKIP() << testing::no_data();
  for (const auto& row : sky_rows("ellipse")) {
    const ImageHeader& header = sky_header(row[1]);
    const PixelPosition at{std::stod(row[2]), std::stod(row[3])};
    const auto outline = sky_ellipse(header.wcs, at, std::stod(row[4]), std::stod(row[5]), std::stod(row[6]), 4);
    ASSERT_EQ(outline.size(), 4U) << row[1];
    for (int tip = 0; tip < 2; ++tip) {
      const double dx = std::stod(row[7 + 2 * tip]) - at.x, dy = std::stod(row[8 + 2 * tip]) - at.y;
      // Half axes of 2 and 1 pixels; the curvature of an all-sky map bends them by a few hundredths, that of pixels
      // of half a degree by one.
      const bool wide = std::stod(row[4]) > 1;
      const double bound = row[1].find("allsky") != std::string::npos ? 0.15 : wide ? 0.02 : 0.01;
      EXPECT_FALSE(!(std::hypot(outline[tip].x - dx, outline[tip].y - dy) <= bound))
          << row[1] << " tip " << tip << ": " << outline[tip].x << " " << outline[tip].y << ", expected " << dx << " "
          << dy;
    }
  }
}

TEST(GuiSky, EllipsesOfMirroredTurnedNonSquarePixels) {
  // Pixels of 4 x 10 arcsec, turned by 25 degrees, longitude rising to the right.
  std::string cards;
  const double s = std::sin(25 * kDegree), c = std::cos(25 * kDegree);
  for (const std::string& line :
       {std::string("CTYPE1  = 'RA---SIN'"), std::string("CTYPE2  = 'DEC--SIN'"), std::string("CRPIX1  = 50.0"),
        std::string("CRPIX2  = 50.0"), std::string("CRVAL1  = 120.0"), std::string("CRVAL2  = -30.0"),
        fmt::format("CD1_1   = {:.12f}", 4 * c / 3600), fmt::format("CD1_2   = {:.12f}", -10 * s / 3600),
        fmt::format("CD2_1   = {:.12f}", 4 * s / 3600), fmt::format("CD2_2   = {:.12f}", 10 * c / 3600),
        std::string("END")}) {
    cards += testing_files::card(line);
  }
  const Wcs wcs = Wcs::parse(cards, 0, 1, {1, 1}, 2, 100, 100);
  ASSERT_TRUE(wcs.celestial()) << wcs.why_not();
  const PixelPosition at{30, 70};
  const auto centre = wcs.to_sky(at.x, at.y);
  const auto outline = sky_ellipse(wcs, at, 40.0 / 3600, 20.0 / 3600, 35, 4);
  // The tip seen from the centre: 20 arcsec away, at position angle 35.
  const auto tip = wcs.to_sky(at.x + outline[0].x, at.y + outline[0].y);
  ASSERT_TRUE(tip.has_value());
  EXPECT_NEAR(separation_deg(*centre, *tip) * 3600, 20, 1e-4);
  const double east = (tip->lon_deg - centre->lon_deg) * std::cos(centre->lat_deg * kDegree),
               north = tip->lat_deg - centre->lat_deg;
  EXPECT_NEAR(std::atan2(east, north) / kDegree, 35, 0.01);
}

TEST(GuiSky, TextsNeverShowSixtyOrThreeHundredAndSixty) {
  const CoordinateStyle hours{{}, true, false}, degrees{{}, false, false};
  const double arcsec = 1.0 / 3600;
  EXPECT_EQ(position_text({359.9999999, -0.00000001}, hours, 10 * arcsec)[0], "00:00:00.00");
  EXPECT_EQ(position_text({359.9999999, -0.00000001}, hours, 10 * arcsec)[1], "+00:00:00");
  EXPECT_EQ(position_text({15 - 1e-9, -0.9999999999}, hours, 10 * arcsec)[0], "01:00:00.00");
  EXPECT_EQ(position_text({15, -0.9999999999}, hours, 10 * arcsec)[1], "-01:00:00");
  EXPECT_EQ(position_text({359.9999999, -1e-9}, degrees, 10 * arcsec)[0], "0.0000");
  EXPECT_EQ(position_text({359.9999999, -1e-9}, degrees, 10 * arcsec)[1], "+0.0000");
  EXPECT_EQ(position_text({std::nan(""), 1}, hours, arcsec)[0], "--");
}

TEST(GuiSky, TypedPlaces) {
  const CoordinateStyle style;
  const TypedPlace a = parse_place("12:34:56.7 -12:34:56 5'", style);
  ASSERT_TRUE(a.sky.has_value());
  EXPECT_NEAR(a.sky->lon_deg, 15 * (12 + 34 / 60.0 + 56.7 / 3600), 1e-10);
  EXPECT_NEAR(a.sky->lat_deg, -(12 + 34 / 60.0 + 56 / 3600.0), 1e-10);
  EXPECT_NEAR(*a.size_deg, 5 / 60.0, 1e-12);
  const TypedPlace b = parse_place("12h34m56.7s, -12d34m56s", style);
  EXPECT_NEAR(b.sky->lon_deg, a.sky->lon_deg, 1e-10);
  EXPECT_NEAR(b.sky->lat_deg, a.sky->lat_deg, 1e-10);
  const TypedPlace c = parse_place("gal 120:30:00 -3.5", style);
  EXPECT_EQ(c.system.frame, SkySystem::Frame::galactic);
  EXPECT_NEAR(c.sky->lon_deg, 120.5, 1e-12);
  CoordinateStyle fits = style;
  fits.one_based = true;
  EXPECT_NEAR(parse_place("pixel 100 200", fits).pixel->x, 99, 1e-12);
  EXPECT_NEAR(*parse_place("100 200 50 px", style).size_px, 50, 1e-12);
  EXPECT_NEAR(parse_place("-10 +45 30arcsec", style).sky->lon_deg, 350, 1e-12);
  for (const char* wrong : {"", "12", "12 95", "abc 12", "12:61:00 5", "1 2 3 4", "10 10 -5'", "10 10 nan", "inf 10",
                            "12:3:4:5 10", "pixel a b"}) {
    EXPECT_THROW((void)parse_place(wrong, style), InputError) << wrong;
  }
}

}  // namespace
}  // namespace reber::gui
