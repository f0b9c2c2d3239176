// SPDX-License-Identifier: BSD-3-Clause
// Spellings of brightness units.
#include "core/model/unit.hpp"

#include <gtest/gtest.h>

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

TEST(Unit, NeverGuesses) {
  for (const char* text : {"", "Jy", "counts", "adu/s", "MJY/BEAM", "MK", "Jy/beam km/s", "Jy/beam.km/s", "Jy/",
                           "/beam", "beam/Jy", "xJy/beam", "deg", "electron", "Jy m/s", "KK", "DN"}) {
    const Unit unit = Unit::parse(text);
    EXPECT_EQ(unit.kind, Kind::unknown) << text;
    EXPECT_EQ(unit.factor, 1) << text;
    EXPECT_EQ(unit.name(), text);
  }
}

TEST(Unit, NameIsWithoutThePrefix) {
  EXPECT_EQ(Unit::parse("mJy/bm").name(), "Jy/beam");
  EXPECT_EQ(Unit::parse("MJy/sr").name(), "Jy/sr");
  EXPECT_EQ(Unit::parse("JY/PIXEL").name(), "Jy/pixel");
  EXPECT_EQ(Unit::parse("mK").name(), "K");
}

}  // namespace
}  // namespace reber
