// SPDX-License-Identifier: BSD-3-Clause
// Spellings of brightness units.
#include "core/sky/model/unit.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace reber {
namespace {

using Kind = Unit::Kind;

struct Spelling {
  const char* text;
  Kind kind;
  double factor;
};

TEST(Unit, ReadsTheUsualSpellings) {
  const Spelling spellings[] = {{"Jy/beam", Kind::jy_per_beam, 1},
                                {"JY/BEAM", Kind::jy_per_beam, 1},
                                {"Jy beam-1", Kind::jy_per_beam, 1},
                                {"Jy beam^-1", Kind::jy_per_beam, 1},
                                {"Jy.beam**-1", Kind::jy_per_beam, 1},
                                {"Jy*beam^(-1)", Kind::jy_per_beam, 1},
                                {"Jy/bm", Kind::jy_per_beam, 1},
                                {"jy/beam", Kind::jy_per_beam, 1},
                                {" JY / BEAM  ", Kind::jy_per_beam, 1},
                                {"Jy per beam", Kind::jy_per_beam, 1},
                                {"mJy/beam", Kind::jy_per_beam, 1e-3},
                                {"uJy/beam", Kind::jy_per_beam, 1e-6},
                                {"\xC2\xB5Jy/beam", Kind::jy_per_beam, 1e-6},
                                {"mJy beam-1", Kind::jy_per_beam, 1e-3},
                                {"JY/PIXEL", Kind::jy_per_pixel, 1},
                                {"Jy/pix", Kind::jy_per_pixel, 1},
                                {"mJy/pixel", Kind::jy_per_pixel, 1e-3},
                                {"Jy pixel-1", Kind::jy_per_pixel, 1},
                                {"MJy/sr", Kind::jy_per_sr, 1e6},
                                {"MJY/SR", Kind::jy_per_sr, 1e6},
                                {"Jy/sr", Kind::jy_per_sr, 1},
                                {"Jy sr-1", Kind::jy_per_sr, 1},
                                {"K", Kind::kelvin, 1},
                                {"mK", Kind::kelvin, 1e-3},
                                {"uK", Kind::kelvin, 1e-6},
                                {"Kelvin", Kind::kelvin, 1},
                                {"KELVIN", Kind::kelvin, 1},
                                {"K (Tb)", Kind::kelvin, 1}};
  for (const Spelling& s : spellings) {
    const Unit unit = Unit::parse(s.text);
    EXPECT_EQ(unit.kind, s.kind) << s.text;
    EXPECT_EQ(unit.factor, s.factor) << s.text;
    EXPECT_EQ(unit.text, s.text);
  }
}

TEST(Unit, KeepsOddSpellings) {
  const Spelling spellings[] = {{"Jy/beams", Kind::jy_per_beam, 1},
                                {"JY/BMAREA", Kind::jy_per_beam, 1},
                                {"Jy/beamarea", Kind::jy_per_beam, 1},
                                {"Jy/(beam)", Kind::jy_per_beam, 1},
                                {"Jy (beam)^-1", Kind::jy_per_beam, 1},
                                {"Jy beam -1", Kind::jy_per_beam, 1},
                                {"Jy-beam", Kind::jy_per_beam, 1},
                                {"Jybeam-1", Kind::jy_per_beam, 1},
                                {"Jy perbeam", Kind::jy_per_beam, 1},
                                {"m Jy/beam", Kind::jy_per_beam, 1e-3},
                                {"mJY/BEAM", Kind::jy_per_beam, 1e-3},
                                {"mjy/beam", Kind::jy_per_beam, 1e-3},
                                {"\xCE\xBCJy/beam", Kind::jy_per_beam, 1e-6},
                                {"\xB5Jy/beam", Kind::jy_per_beam, 1e-6},
                                {"nJy/beam", Kind::jy_per_beam, 1e-9},
                                {"kJy/beam", Kind::jy_per_beam, 1e3},
                                {"MJy/beam", Kind::jy_per_beam, 1e6},
                                {"GJy/beam", Kind::jy_per_beam, 1e9},
                                {"Jansky/beam", Kind::jy_per_beam, 1},
                                {"JANSKY/BEAM", Kind::jy_per_beam, 1},
                                {"mJansky/beam", Kind::jy_per_beam, 1e-3},
                                {"Jy/px", Kind::jy_per_pixel, 1},
                                {"JY/PIXELS", Kind::jy_per_pixel, 1},
                                {"Jy/ster", Kind::jy_per_sr, 1},
                                {"MJy/steradian", Kind::jy_per_sr, 1e6},
                                {"MJy ster-1", Kind::jy_per_sr, 1e6},
                                {"nK", Kind::kelvin, 1e-9},
                                {"kK", Kind::kelvin, 1e3},
                                {"GK", Kind::kelvin, 1e9},
                                {"\xC2\xB5K", Kind::kelvin, 1e-6},
                                {"kelvins", Kind::kelvin, 1},
                                {"K(Ta*)", Kind::kelvin, 1},
                                {"mK (T_mb)", Kind::kelvin, 1e-3},
                                {"KELVIN (TB)", Kind::kelvin, 1}};
  for (const Spelling& s : spellings) {
    const Unit unit = Unit::parse(s.text);
    EXPECT_EQ(unit.kind, s.kind) << s.text;
    EXPECT_EQ(unit.factor, s.factor) << s.text;
    EXPECT_EQ(unit.spectral, "") << s.text;
    EXPECT_EQ(unit.text, s.text);
  }
}

TEST(Unit, ReadsTheStandardsUnitsInAnyOrder) {
  const double per_arcsec2 = std::pow(3600 * 180 / M_PI, 2), per_deg2 = std::pow(180 / M_PI, 2);
  const struct {
    const char* text;
    Kind kind;
    double factor;
    const char *spectral, *name, *total;
  } units[] = {{"beam-1 Jy", Kind::jy_per_beam, 1, "", "Jy/beam", "Jy"},
               {"beam^-1 Jy", Kind::jy_per_beam, 1, "", "Jy/beam", "Jy"},
               {"beam**-1 mJy", Kind::jy_per_beam, 1e-3, "", "Jy/beam", "Jy"},
               {"10**-3 Jy/beam", Kind::jy_per_beam, 1e-3, "", "Jy/beam", "Jy"},
               {"pixel-1 uJy", Kind::jy_per_pixel, 1e-6, "", "Jy/pixel", "Jy"},
               {"sr-1 MJy", Kind::jy_per_sr, 1e6, "", "Jy/sr", "Jy"},
               {"Jy/arcsec2", Kind::jy_per_sr, per_arcsec2, "", "Jy/sr", "Jy"},
               {"arcsec-2 mJy", Kind::jy_per_sr, 1e-3 * per_arcsec2, "", "Jy/sr", "Jy"},
               {"JY/ARCSEC**2", Kind::jy_per_sr, per_arcsec2, "", "Jy/sr", "Jy"},
               {"Jy arcmin-2", Kind::jy_per_sr, per_arcsec2 / 3600, "", "Jy/sr", "Jy"},
               {"kJy/deg^2", Kind::jy_per_sr, 1e3 * per_deg2, "", "Jy/sr", "Jy"},
               {"W m-2 Hz-1 sr-1", Kind::jy_per_sr, 1e26, "", "Jy/sr", "Jy"},
               {"erg/s/cm2/Hz/sr", Kind::jy_per_sr, 1e23, "", "Jy/sr", "Jy"},
               {"Jy/beam km/s", Kind::jy_per_beam, 1, "km/s", "Jy beam-1 km s-1", "Jy km/s"},
               {"Jy/beam.km/s", Kind::jy_per_beam, 1, "km/s", "Jy beam-1 km s-1", "Jy km/s"},
               {"Jy beam-1 km s-1", Kind::jy_per_beam, 1, "km/s", "Jy beam-1 km s-1", "Jy km/s"},
               {"km Jy beam-1 s-1", Kind::jy_per_beam, 1, "km/s", "Jy beam-1 km s-1", "Jy km/s"},
               {"JY/BEAM*KM/S", Kind::jy_per_beam, 1, "km/s", "Jy beam-1 km s-1", "Jy km/s"},
               {"JY/BEAM M/S", Kind::jy_per_beam, 1e-3, "km/s", "Jy beam-1 km s-1", "Jy km/s"},
               {"mJy/beam km/sec", Kind::jy_per_beam, 1e-3, "km/s", "Jy beam-1 km s-1", "Jy km/s"},
               {"Jy/beam m/s", Kind::jy_per_beam, 1e-3, "km/s", "Jy beam-1 km s-1", "Jy km/s"},
               {"Jy km/s/beam", Kind::jy_per_beam, 1, "km/s", "Jy beam-1 km s-1", "Jy km/s"},
               {"Jy/beam Hz", Kind::jy_per_beam, 1, "Hz", "Jy beam-1 Hz", "Jy Hz"},
               {"JY/BEAM HZ", Kind::jy_per_beam, 1, "Hz", "Jy beam-1 Hz", "Jy Hz"},
               {"Jy/beam MHz", Kind::jy_per_beam, 1e6, "Hz", "Jy beam-1 Hz", "Jy Hz"},
               {"Jy/pixel km/s", Kind::jy_per_pixel, 1, "km/s", "Jy pixel-1 km s-1", "Jy km/s"},
               {"MJy/sr km/s", Kind::jy_per_sr, 1e6, "km/s", "Jy sr-1 km s-1", "Jy km/s"},
               {"K km/s", Kind::kelvin, 1, "km/s", "K km/s", "Jy km/s"},
               {"K.km.s-1", Kind::kelvin, 1, "km/s", "K km/s", "Jy km/s"},
               {"K KM/S", Kind::kelvin, 1, "km/s", "K km/s", "Jy km/s"},
               {"K (km/s)", Kind::kelvin, 1, "km/s", "K km/s", "Jy km/s"},
               {"mK km s^-1", Kind::kelvin, 1e-3, "km/s", "K km/s", "Jy km/s"}};
  for (const auto& u : units) {
    const Unit unit = Unit::parse(u.text);
    EXPECT_EQ(unit.kind, u.kind) << u.text;
    EXPECT_NEAR(unit.factor / u.factor, 1, 1e-13) << u.text;
    EXPECT_EQ(unit.spectral, u.spectral) << u.text;
    EXPECT_EQ(unit.name(), u.name) << u.text;
    EXPECT_EQ(unit.total_name(), u.total) << u.text;
    EXPECT_EQ(Unit::parse(unit.name()).kind, unit.kind) << u.text;
  }
}

TEST(Unit, NeverGuesses) {
  for (const char* text : {"",
                           "Jy",
                           "counts",
                           "adu/s",
                           "MJY/BEAM",
                           "MK",
                           "Jy/",
                           "/beam",
                           "beam/Jy",
                           "xJy/beam",
                           "deg",
                           "electron",
                           "Jy m/s",
                           "KK",
                           "DN",
                           "MJY/PIXEL",
                           "MK km/s",
                           "K/beam",
                           "Jy/beam/pixel",
                           "Jy/arcsec",
                           "Jy/beam2",
                           "Jy2/beam",
                           "Jy/beam km/S/V",
                           "Jy/beam s",
                           "K s-1",
                           "log(Jy/beam)",
                           "mag/arcsec2",
                           "Jy/beam/km",
                           "UJY/BEAM",
                           "mk",
                           "km/s",
                           "Hz",
                           "beam",
                           "Jy/beam/voxel"}) {
    const Unit unit = Unit::parse(text);
    EXPECT_EQ(unit.kind, Kind::unknown) << text;
    EXPECT_EQ(unit.factor, 1) << text;
    EXPECT_EQ(unit.name(), text);
  }
}

TEST(Unit, KnowsWhatIsOfAPixelWhateverItIs) {
  for (const char* text : {"Jy/pixel", "mJy pix-1", "photon/pixel", "adu/pix", "count pixel-1", "erg/s/cm2/pixel"})
    EXPECT_TRUE(Unit::parse(text).per_pixel) << text;
  for (const char* text : {"Jy/beam", "K", "counts", "pixel", "Jy", "", "photon/pixel2"})
    EXPECT_FALSE(Unit::parse(text).per_pixel) << text;
}

TEST(Unit, AReadableValueHasThePrefixOfItsSize) {
  using Shown = std::pair<std::string, double>;
  const Unit unit = Unit::parse("Jy/beam");
  EXPECT_EQ(unit.readable(2e-5), Shown("\xC2\xB5Jy/beam", 1e6));
  EXPECT_EQ(unit.readable(-2e-2), Shown("mJy/beam", 1e3));
  EXPECT_EQ(unit.readable(2), Shown("Jy/beam", 1));
  EXPECT_EQ(unit.readable(0), Shown("Jy/beam", 1));
  EXPECT_EQ(Unit::parse("mJy/beam").readable(2e-2).first, "\xC2\xB5Jy/beam");
}

TEST(Unit, NameIsWithoutThePrefix) {
  EXPECT_EQ(Unit::parse("mJy/bm").name(), "Jy/beam");
  EXPECT_EQ(Unit::parse("MJy/sr").name(), "Jy/sr");
  EXPECT_EQ(Unit::parse("JY/PIXEL").name(), "Jy/pixel");
  EXPECT_EQ(Unit::parse("mK").name(), "K");
}

}  // namespace
}  // namespace reber
