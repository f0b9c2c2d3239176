// SPDX-License-Identifier: BSD-3-Clause
// Brightness from one unit to another, against astropy 5.2.1: brightness_temperature() and beam_angular_area() of a
// beam of 12.5 by 7.25 arcsec at 1.4 GHz, pixels of 1.5 arcsec.
#include "core/sky/model/brightness.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/fits_files.hpp"

namespace reber {
namespace {

using testing_files::card;

const BrightnessBasis kBasis{Beam{12.5 / 3600, 7.25 / 3600, 30}, 1.4e9, 1.5 * 1.5 / 3600 / 3600};

struct Known {
  double value;
  const char* from;
  const char* to;
  double astropy;
};

TEST(Brightness, is_astropys_in_every_unit) {
  const Known rows[] = {{2.5e-3, "Jy/beam", "K", 17.200849313917182},
                        {2.5, "mJy/beam", "K", 17.200849313917182},
                        {2.5e-3, "Jy/beam", "MJy/sr", 1.0358045993807787},
                        {2.5e-3, "Jy/beam", "Jy/pixel", 5.4778493831003165e-05},
                        {2.5, "K", "MJy/sr", 0.15054556034955655},
                        {2.5, "K", "mJy/beam", 0.3633541510617813},
                        {2.5, "MJy/sr", "K", 41.515671305669365},
                        {2.5, "MJy/sr", "Jy/beam", 0.006033956601212579},
                        {2.5, "MJy/sr", "Jy/pixel", 0.00013221242178242562},
                        {2.5, "mJy/beam", "Jy/beam", 2.5e-3}};
  for (const Known& row : rows) {
    const Unit from = Unit::parse(row.from), to = Unit::parse(row.to);
    const BrightnessFactor there = brightness_factor(from, to, kBasis), back = brightness_factor(to, from, kBasis);
    ASSERT_TRUE(there.times && back.times) << row.from << " " << row.to << " " << there.why_not;
    EXPECT_TRUE(std::abs(row.value * *there.times / row.astropy - 1) <= 1e-8) << row.from << " " << row.to;
    EXPECT_TRUE(std::abs(*there.times * *back.times - 1) <= 1e-12) << row.from << " " << row.to;
  }
}

TEST(Brightness, says_what_it_lacks) {
  const auto why = [](const char* from, const char* to, const BrightnessBasis& basis) {
    const BrightnessFactor factor = brightness_factor(Unit::parse(from), Unit::parse(to), basis);
    EXPECT_EQ(factor.times.has_value(), factor.why_not.empty());
    return factor.why_not;
  };
  BrightnessBasis none;
  EXPECT_NE(why("Jy/beam", "K", none).find("no beam"), std::string::npos);
  none.beam = kBasis.beam;
  none.frequency_hz = std::nan("");
  none.pixel_deg2 = std::nan("");
  EXPECT_NE(why("Jy/beam", "K", none).find("no frequency"), std::string::npos);
  EXPECT_NE(why("MJy/sr", "Jy/pixel", none).find("size of a pixel"), std::string::npos);
  EXPECT_NE(why("counts", "K", kBasis).find("'counts'"), std::string::npos);
  EXPECT_NE(why("Jy/beam km/s", "K", kBasis).find("summed"), std::string::npos);
  EXPECT_NE(why("K km/s", "Jy/beam km/s", kBasis).find("frequency"), std::string::npos);
  EXPECT_EQ(why("Jy/beam km/s", "K km/s", kBasis), "");
  EXPECT_EQ(why("Jy/beam", "mJy/beam", {}), "");
  BrightnessBasis empty = kBasis;
  empty.beam = Beam{};
  EXPECT_NE(why("Jy/beam", "MJy/sr", empty).find("no beam"), std::string::npos);
}

ImageHeader wide(const std::string& projection, double step_deg, const char* unit) {
  std::string cards;
  for (const std::string& line :
       {"CTYPE1  = 'RA---" + projection + "'", "CTYPE2  = 'DEC--" + projection + "'", std::string("CRPIX1  = 51.0"),
        std::string("CRPIX2  = 51.0"), "CDELT1  = -" + std::to_string(step_deg),
        "CDELT2  = " + std::to_string(step_deg), std::string("CRVAL1  = 30.0"), std::string("CRVAL2  = 10.0"),
        std::string("RESTFRQ = 1.4E9"), std::string("END")})
    cards += card(line);
  ImageHeader header;
  header.shape = {101, 101};
  header.wcs = Wcs::parse(cards, 0, 1, {1, 1}, 2, 101, 101);
  header.unit = Unit::parse(unit);
  return header;
}

TEST(Brightness, pixels_of_many_sizes_are_no_unit) {
  EXPECT_NEAR(brightness_basis(wide("TAN", 0.001, "MJy/sr"), {}).pixel_deg2, 1e-6, 1e-10);
  EXPECT_TRUE(std::isnan(brightness_basis(wide("TAN", 0.1, "MJy/sr"), {}).pixel_deg2));
  EXPECT_TRUE(std::isnan(brightness_basis(wide("SIN", 0.1, "Jy/pixel"), {}).pixel_deg2));
  EXPECT_NEAR(brightness_basis(wide("SIN", 0.1, "Jy/beam"), {}).pixel_deg2, 1e-2, 1e-6) << "as the beam in pixels";
  EXPECT_EQ(brightness_basis(wide("TAN", 0.1, "K"), {}).frequency_hz, 1.4e9);
}

}  // namespace
}  // namespace reber
