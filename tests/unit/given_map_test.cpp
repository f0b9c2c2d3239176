// SPDX-License-Identifier: BSD-3-Clause
// Maps given for an image: which skies and units agree, and which do not.
#include "core/files/fits/given_map.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "core/sky/model/fits_cards.hpp"
#include "tests/unit/fits_files.hpp"

namespace reber {
namespace {

constexpr std::int64_t kSide = 200;

/// A gnomonic sky of 200 x 200 pixels of 3.6 arcsec; `changed` holds what differs from the image's cards.
ImageHeader sky(const std::vector<std::pair<std::string, std::string>>& changed = {}) {
  std::vector<std::pair<std::string, std::string>> cards{
      {"NAXIS", "2"},           {"NAXIS1", "200"},    {"NAXIS2", "200"},   {"CTYPE1", "'RA---TAN'"},
      {"CTYPE2", "'DEC--TAN'"}, {"CRVAL1", "150.0"},  {"CRVAL2", "2.0"},   {"CRPIX1", "100.5"},
      {"CRPIX2", "100.5"},      {"CDELT1", "-0.001"}, {"CDELT2", "0.001"}, {"RADESYS", "'ICRS'"}};
  for (const auto& [name, value] : changed) {
    std::erase_if(cards, [&](const auto& card) { return card.first == name; });
    if (!value.empty()) cards.emplace_back(name, value);
  }
  std::string text;
  for (const auto& [name, value] : cards) text += testing_files::card((name + "        ").substr(0, 8) + "= " + value);
  text += testing_files::card("END");
  ImageHeader header;
  header.shape = {kSide, kSide};
  header.wcs = Wcs::parse(text, 0, 1, {}, 2, kSide, kSide);
  EXPECT_TRUE(header.wcs.celestial()) << header.wcs.why_not();
  return header;
}

double apart(const ImageHeader& map) { return pixels_apart(map, nullptr, sky()); }

// Rotations and reference positions of the other frames, and distances, by astropy 5.2.
TEST(GivenMap, SkiesAreComparedInOneFrame) {
  EXPECT_EQ(apart(sky()), 0);
  EXPECT_LT(apart(sky({{"CTYPE1", "'GLON-TAN'"},
                       {"CTYPE2", "'GLAT-TAN'"},
                       {"CRVAL1", "236.9545829800487"},
                       {"CRVAL2", "41.90511037922905"},
                       {"PC1_1", "0.581709184936921"},
                       {"PC1_2", "0.8133968429739711"},
                       {"PC2_1", "-0.8133968429739711"},
                       {"PC2_2", "0.581709184936921"},
                       {"RADESYS", ""}})),
            1e-3);
  EXPECT_LT(apart(sky({{"CRVAL1", "149.3541969650285"},
                       {"CRVAL2", "2.240302730713945"},
                       {"PC1_1", "0.9999969866804155"},
                       {"PC1_2", "0.002454919568723983"},
                       {"PC2_1", "-0.00245491956872398"},
                       {"PC2_2", "0.9999969866804155"},
                       {"RADESYS", "'FK4'"},
                       {"EQUINOX", "1950.0"}})),
            0.1);
  EXPECT_GT(apart(sky({{"RADESYS", "'FK4'"}, {"EQUINOX", "1950.0"}})), 600);
  EXPECT_GT(apart(sky({{"CTYPE1", "'GLON-TAN'"}, {"CTYPE2", "'GLAT-TAN'"}, {"RADESYS", ""}})), 8e4);
}

TEST(GivenMap, CentreScaleParityAndAngleAreSeen) {
  EXPECT_NEAR(apart(sky({{"CRPIX1", "100.9"}})), 0.4, 1e-3);
  EXPECT_NEAR(apart(sky({{"CRVAL2", "2.01"}})), 10, 1e-2);
  EXPECT_NEAR(apart(sky({{"CDELT1", "0.001"}})), 199, 0.1);
  EXPECT_NEAR(apart(sky({{"CDELT1", "-0.001006"}, {"CDELT2", "0.001006"}})), 0.8443, 1e-3);
  EXPECT_NEAR(apart(sky({{"CROTA2", "1.0"}})), 2.456, 1e-2);
  EXPECT_NEAR(apart(sky({{"CTYPE1", "'RA---SIN'"}, {"CTYPE2", "'DEC--SIN'"}})), 4.244e-4, 1e-5);
  EXPECT_GT(apart(sky({{"CRVAL1", "330.0"}, {"CRVAL2", "-2.0"}})), 1e5);
}

TEST(GivenMap, UnitsOfOneKindHaveAFactor) {
  const auto factor = [](const char* map, const char* image) {
    return unit_factor(Unit::parse(map), Unit::parse(image));
  };
  EXPECT_EQ(factor("Jy/beam", "JY/BEAM"), 1);
  EXPECT_EQ(factor("", "Jy/beam"), 1);
  EXPECT_EQ(factor("K", ""), 1);
  EXPECT_EQ(factor("counts", "counts"), 1);
  EXPECT_DOUBLE_EQ(factor("mJy/beam", "Jy/beam").value(), 1e-3);
  EXPECT_DOUBLE_EQ(factor("uJy/beam", "mJy/beam").value(), 1e-3);
  EXPECT_DOUBLE_EQ(factor("K", "mK").value(), 1e3);
  EXPECT_FALSE(factor("K", "Jy/beam"));
  EXPECT_FALSE(factor("Jy/pixel", "Jy/beam"));
  EXPECT_FALSE(factor("counts", "Jy/beam"));
}

}  // namespace
}  // namespace reber
