// SPDX-License-Identifier: BSD-3-Clause
// Celestial coordinates: positions, frames, frequencies, and what makes a system unusable.
#include "core/sky/model/wcs.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <thread>

#include "tests/unit/fits_files.hpp"

namespace reber {
namespace {

using testing_files::card;
using testing_files::joined;
using testing_files::sky_cards;

Wcs parse(const std::vector<std::string>& lines, int x = 0, int y = 1, const std::vector<double>& fixed = {1, 1},
          double nx = 9, double ny = 9) {
  std::string cards;
  for (const std::string& line : lines) cards += card(line);
  return Wcs::parse(cards + card("END"), x, y, fixed, static_cast<int>(fixed.size()), nx, ny);
}

/// The cards with one of them replaced.
std::vector<std::string> changed(const std::string& keyword, const std::string& line) {
  auto cards = sky_cards();
  for (std::string& c : cards) {
    if (c.rfind(keyword, 0) == 0) c = line;
  }
  return cards;
}

TEST(Wcs, ReferencePixelIsZeroBasedAndComesBack) {
  const Wcs wcs = parse(sky_cards());
  ASSERT_TRUE(wcs.celestial()) << wcs.why_not();
  const auto sky = wcs.to_sky(4, 4);
  ASSERT_TRUE(sky.has_value());
  EXPECT_NEAR(sky->lon_deg, 187.5, 1e-12);
  EXPECT_NEAR(sky->lat_deg, 12.0, 1e-12);
  for (const double x : {0.0, 3.25, 8.0}) {
    const auto there = wcs.to_sky(x, 7.5);
    ASSERT_TRUE(there.has_value());
    const auto back = wcs.to_pixel(*there);
    ASSERT_TRUE(back.has_value());
    EXPECT_NEAR(back->x, x, 1e-9);
    EXPECT_NEAR(back->y, 7.5, 1e-9);
  }
}

TEST(Wcs, PixelsThatARoundedLongitudeCannotTellApartStillHaveASky) {
  for (const char* reference : {"33.0", "1.0", "500.0", "-2000.25"}) {
    const std::string at = reference;
    const Wcs wcs = parse({"CTYPE1  = 'RA---SIN'", "CTYPE2  = 'DEC--SIN'", "CRPIX1  = " + at, "CRPIX2  = " + at,
                           "CRVAL1  = 359.7059304038394", "CRVAL2  = -12.3911231", "CDELT1  = -2.77777777777778E-11",
                           "CDELT2  = 2.77777777777778E-11"},
                          0, 1, {1, 1}, 64, 64);
    ASSERT_TRUE(wcs.celestial()) << reference << ": " << wcs.why_not();
    const auto sky = wcs.to_sky(10, 50);
    ASSERT_TRUE(sky.has_value());
    const auto back = wcs.to_pixel(*sky);
    ASSERT_TRUE(back.has_value());
    EXPECT_NEAR(back->x, 10, 0.01) << reference;
    EXPECT_NEAR(back->y, 50, 0.01) << reference;
  }
}

TEST(Wcs, DistortionsOfThirdOrderAreInThePixelsScale) {
  const Wcs wcs = parse({"CTYPE1  = 'RA---TAN-SIP'", "CTYPE2  = 'DEC--TAN-SIP'", "CRPIX1  = 33.0", "CRPIX2  = 33.0",
                         "CRVAL1  = 187.7", "CRVAL2  = 12.4", "CD1_1   = -2.8E-10", "CD2_2   = 2.8E-10", "A_ORDER = 3",
                         "B_ORDER = 3", "A_3_0   = 1.0E-6", "B_0_3   = 1.0E-6"},
                        0, 1, {1, 1}, 64, 64);
  const auto m = wcs.sky_per_pixel(42, 27);
  ASSERT_TRUE(m.has_value()) << wcs.why_not();
  EXPECT_NEAR(m->a / (-2.8e-10 * (1 + 3e-6 * 10 * 10)), 1, 1e-9);
  EXPECT_NEAR(m->d / (2.8e-10 * (1 + 3e-6 * 5 * 5)), 1, 1e-9);
}

TEST(Wcs, SkyPerPixelIsTheLocalMatrix) {
  const auto m = parse(sky_cards()).sky_per_pixel(4, 4);
  ASSERT_TRUE(m.has_value());
  EXPECT_NEAR(m->a, -10.0 / 3600, 1e-9);
  EXPECT_NEAR(m->d, 10.0 / 3600, 1e-9);
  EXPECT_NEAR(m->b, 0, 1e-9);
  EXPECT_NEAR(m->c, 0, 1e-9);
  // Rotated by 30 degrees: the determinant keeps the pixel's area and the mirrored sense of the sky.
  const auto rotated = parse(joined(sky_cards(), {"CROTA2  = 30.0"})).sky_per_pixel(4, 4);
  ASSERT_TRUE(rotated.has_value());
  EXPECT_NEAR(rotated->determinant(), -std::pow(10.0 / 3600, 2), 1e-12);
  EXPECT_NEAR(rotated->d, 10.0 / 3600 * std::cos(30 * M_PI / 180), 1e-9);
}

/// A system whose native pole or equator lies at RA 187.7, with square pixels.
Wcs square_pixels(const std::string& projection, double deg, double lat) {
  std::vector<std::string> cards{"CTYPE1  = 'RA---" + projection + "'",
                                 "CTYPE2  = 'DEC--" + projection + "'",
                                 "CRVAL1  = 187.70593075",
                                 fmt::format("CRVAL2  = {}", lat),
                                 "CRPIX1  = 5.0",
                                 "CRPIX2  = 5.0",
                                 fmt::format("CDELT1  = {:.16E}", -deg),
                                 fmt::format("CDELT2  = {:.16E}", deg)};
  return parse(cards);
}

TEST(Wcs, SkyPerPixelHoldsForPixelsOfAnySize) {
  for (const double deg : {0.1e-6 / 3600, 1e-6 / 3600, 1e-3 / 3600, 1 / 3600.0, 1.0, 10.0}) {
    for (const char* projection : {"TAN", "SIN", "ARC", "STG", "ZEA", "CAR", "SFL", "AIT"}) {
      const bool zenithal = std::string("TAN SIN ARC STG ZEA").find(projection) != std::string::npos;
      const auto m = square_pixels(projection, deg, zenithal ? 12.39112331 : 0).sky_per_pixel(4, 4);
      ASSERT_TRUE(m.has_value()) << projection << deg;
      EXPECT_NEAR(m->a / deg, -1, 1e-10) << projection << deg;
      EXPECT_NEAR(m->d / deg, 1, 1e-10) << projection << deg;
      EXPECT_NEAR(m->b / deg, 0, 1e-10) << projection << deg;
      EXPECT_NEAR(m->c / deg, 0, 1e-10) << projection << deg;
    }
  }
}

TEST(Wcs, SkyPerPixelHoldsFarFromTheReference) {
  const double deg = 1 / 3600.0, radian = M_PI / 180, y = 0.5 / radian;  // 0.5 in the plane of projection
  const struct {
    const char* projection;
    double east, north;
  } slopes[] = {{"TAN", std::cos(std::atan(0.5)), std::pow(std::cos(std::atan(0.5)), 2)},
                {"SIN", 1, 1 / std::cos(std::asin(0.5))},
                {"ARC", std::sin(0.5) / 0.5, 1},
                {"STG", std::sin(2 * std::atan(0.25)) / 0.5, 1 / (1 + 0.0625)},
                {"ZEA", std::sin(2 * std::asin(0.25)) / 0.5, 1 / std::cos(std::asin(0.25))},
                {"CAR", std::cos(0.5), 1}};
  for (const auto& s : slopes) {
    const auto m = square_pixels(s.projection, deg, 0).sky_per_pixel(4, 4 + y / deg);
    ASSERT_TRUE(m.has_value()) << s.projection;
    EXPECT_NEAR(m->a / deg, -s.east, 1e-10) << s.projection;
    EXPECT_NEAR(m->d / deg, s.north, 1e-10) << s.projection;
  }
}

TEST(Wcs, SkyPerPixelHoldsAtThePole) {
  auto cards = changed("CRVAL2", "CRVAL2  = 90.0");
  const auto m = parse(cards).sky_per_pixel(5, 4);
  ASSERT_TRUE(m.has_value());
  EXPECT_NEAR(std::abs(m->determinant()), std::pow(10.0 / 3600, 2), 1e-11);
}

TEST(Wcs, LongitudeLiesInZeroTo360) {
  for (const char* reference : {"CRVAL1  = 0.0", "CRVAL1  = -170.0", "CRVAL1  = 359.9999", "CRVAL1  = 540.0"}) {
    const Wcs wcs = parse(changed("CRVAL1", reference));
    for (int x = 0; x < 9; ++x) {
      const auto sky = wcs.to_sky(x, 4);
      ASSERT_TRUE(sky.has_value());
      EXPECT_GE(sky->lon_deg, 0) << reference;
      EXPECT_LT(sky->lon_deg, 360) << reference;
    }
  }
}

TEST(Wcs, FramesFollowRadesysThenEquinox) {
  EXPECT_EQ(parse(sky_cards()).frame_name(), "ICRS");
  EXPECT_TRUE(std::isnan(parse(sky_cards()).equinox()));
  EXPECT_EQ(parse(joined(changed("RADESYS", "COMMENT"), {"EQUINOX = 2000.0"})).frame_name(), "FK5 J2000");
  EXPECT_EQ(parse(joined(changed("RADESYS", "COMMENT"), {"EQUINOX = 1950.0"})).frame_name(), "FK4 B1950");
  EXPECT_EQ(parse(joined(changed("RADESYS", "COMMENT"), {"EPOCH   = 1950.0"})).frame(), Wcs::Frame::fk4);
  EXPECT_EQ(parse(changed("RADESYS", "COMMENT")).frame(), Wcs::Frame::icrs);
  EXPECT_EQ(parse(changed("RADESYS", "RADESYS = 'FK5'")).equinox(), 2000.0);
  auto galactic = changed("CTYPE1", "CTYPE1  = 'GLON-CAR'");
  galactic[5] = "CTYPE2  = 'GLAT-CAR'";
  EXPECT_EQ(parse(galactic).frame(), Wcs::Frame::galactic);
  EXPECT_EQ(parse(galactic).frame_name(), "Galactic");
  EXPECT_EQ(parse(galactic).projection(), "CAR");
}

TEST(Wcs, UnusableSystemsNameTheKeyword) {
  const std::pair<std::vector<std::string>, const char*> cases[] = {
      {{"BUNIT   = 'K'"}, "CTYPE1"},
      {changed("CDELT1", "CDELT1  = 0.0"), "CDELT1"},
      {changed("CRVAL1", "CRVAL1  = 'abc'"), "CRVAL1"},
      {changed("CRVAL2", "CRVAL2  = 200.0"), "CRVAL2"},
      {changed("CTYPE1", "CTYPE1  = 'RA---XYZ'"), "CTYPE1"},
      {changed("CTYPE2", "CTYPE2  = 'FREQ'"), "CTYPE2"},
      {changed("CTYPE1", "CTYPE1  = 5"), "CTYPE1"},
      {joined(sky_cards(), {"CD1_1   = 0.001", "CD1_2   = 0.001", "CD2_1   = 0.001", "CD2_2   = 0.001"}), "CD"},
      {changed("CRPIX2", "CRPIX2  = 1E999"), "CRPIX2"}};
  for (const auto& [cards, word] : cases) {
    const Wcs wcs = parse(cards);
    EXPECT_FALSE(wcs.celestial()) << word;
    EXPECT_NE(wcs.why_not().find(word), std::string::npos) << wcs.why_not();
    EXPECT_FALSE(wcs.to_sky(4, 4).has_value());
    EXPECT_FALSE(wcs.to_pixel({187.5, 12}).has_value());
    EXPECT_FALSE(wcs.sky_per_pixel(4, 4).has_value());
  }
  EXPECT_FALSE(Wcs().celestial());
}

TEST(Wcs, PlateSolutionsBesideADescriptionDoNotReachWcslib) {
  const auto with = [](const char* keyword) {
    std::string cards = card("CTYPE1  = 'RA---TAN-SIP'") + card("CTYPE2  = 'DEC--TAN-SIP'");
    for (const char* text : {"CRPIX1  = 8.5", "CRPIX2  = 8.5", "CRVAL1  = 10.0", "CRVAL2  = 20.0", "CDELT1  = -0.001",
                             "CDELT2  = 0.001", "A_ORDER = 2", "A_2_0   = 1E-6", "B_ORDER = 2", "B_0_2   = 1E-6"})
      cards += card(text);
    if (*keyword != '\0') cards += card(keyword);
    return Wcs::parse(cards + card("END"), 0, 1, {1, 1}, 2, 64, 48);
  };
  const auto plain = with("").to_sky(20, 30);
  ASSERT_TRUE(plain);
  for (const char* keyword : {"CNPIX1  = 5.0", "CNPIX2  = 6.5", "AMDX1   = 67.2", "AMDY13  = 0.1", "PPO3    = 177500.0",
                              "XPIXELSZ= 15.0", "PLTRAH  = 1.0", "PLTDECSN= '+'"}) {
    SCOPED_TRACE(keyword);
    const Wcs wcs = with(keyword);
    EXPECT_TRUE(wcs.celestial()) << wcs.why_not();
    const auto sky = wcs.to_sky(20, 30);
    ASSERT_TRUE(sky);
    EXPECT_EQ(sky->lon_deg, plain->lon_deg);
    EXPECT_EQ(sky->lat_deg, plain->lat_deg);
  }
}

TEST(Wcs, StringsWithoutClosingQuoteDoNotReachWcslib) {
  // WCSLIB 7.12 copies such a string, and what follows it, into 80 characters.
  EXPECT_FALSE(parse(changed("CUNIT1", "CUNIT1  = 'deg     T")).celestial());
  EXPECT_FALSE(parse(changed("CTYPE1", "CTYPE1  = 'RA---SIN")).celestial());
  EXPECT_TRUE(parse(joined(sky_cards(), {"OBJECT  = 'no end", "SPECSYS = 'LSRK"})).celestial());
  EXPECT_FALSE(parse(joined(sky_cards(), {"WCSAXES = 1000000"})).celestial());
}

TEST(Wcs, PixelsOffTheSkyHaveNoPosition) {
  const Wcs wcs = parse({"CTYPE1  = 'RA---AIT'", "CRPIX1  = 50.5", "CRVAL1  = 0.0", "CDELT1  = -4.0",
                         "CTYPE2  = 'DEC--AIT'", "CRPIX2  = 25.5", "CRVAL2  = 0.0", "CDELT2  = 4.0"},
                        0, 1, {1, 1}, 100, 50);
  ASSERT_TRUE(wcs.celestial()) << wcs.why_not();
  EXPECT_FALSE(wcs.to_sky(0, 0).has_value());
  EXPECT_TRUE(wcs.to_sky(49, 24).has_value());
  EXPECT_FALSE(wcs.sky_per_pixel(0, 0).has_value());
}

TEST(Wcs, FrequencyComesFromThePlaneElseTheRestFrequency) {
  const std::vector<std::string> axis = {"CTYPE3  = 'FREQ'", "CRPIX3  = 1.0", "CRVAL3  = 1.0E9", "CDELT3  = 1.0E6",
                                         "CUNIT3  = 'Hz'"};
  EXPECT_DOUBLE_EQ(parse(joined(sky_cards(), axis), 0, 1, {1, 1, 4}).frequency_hz(), 1.003e9);
  EXPECT_DOUBLE_EQ(parse(joined(sky_cards(), {"RESTFRQ = 1.42E9"})).frequency_hz(), 1.42e9);
  EXPECT_DOUBLE_EQ(parse(joined(sky_cards(), {"RESTFREQ= 1.42E9"})).frequency_hz(), 1.42e9);
  EXPECT_TRUE(std::isnan(parse(sky_cards()).frequency_hz()));
  const std::vector<std::string> velocity = {"CTYPE3  = 'VRAD'", "CRPIX3  = 1.0", "CRVAL3  = 2997924.58",
                                             "CDELT3  = 1.0", "RESTFRQ = 1.0E9"};
  EXPECT_DOUBLE_EQ(parse(joined(sky_cards(), velocity), 0, 1, {1, 1, 1}).frequency_hz(), 0.99e9);
}

TEST(Wcs, AnyTwoAxesCanBeXAndY) {
  std::vector<std::string> cards = {"CTYPE1  = 'STOKES'", "CRPIX1  = 1.0", "CRVAL1  = 1.0", "CDELT1  = 1.0"};
  for (std::string c : sky_cards()) {
    if (c[5] == '1' || c[5] == '2') c[5] = static_cast<char>(c[5] + 1);
    cards.push_back(c);
  }
  const Wcs wcs = parse(cards, 1, 2, {1, 1, 1});
  ASSERT_TRUE(wcs.celestial()) << wcs.why_not();
  EXPECT_NEAR(wcs.to_sky(4, 4)->lon_deg, 187.5, 1e-12);
  EXPECT_LT(wcs.to_sky(5, 4)->lon_deg, 187.5);
}

TEST(Wcs, CopiesWorkInDifferentThreads) {
  const Wcs original = parse(sky_cards());
  const double wanted = original.to_sky(1, 2)->lon_deg;
  std::vector<int> wrong(4, 0);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&original, &wrong, wanted, t, copy = original]() {
      for (int i = 0; i < 2000; ++i) {
        if (copy.to_sky(1, 2)->lon_deg != wanted) ++wrong[static_cast<std::size_t>(t)];
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const int n : wrong) EXPECT_EQ(n, 0);
}

}  // namespace
}  // namespace reber
