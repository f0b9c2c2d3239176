// SPDX-License-Identifier: BSD-3-Clause
// Columns of angles as text and numbers: kinds, units, signs, odd cells.
#include "core/sky/model/angle_column.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "core/sky/model/sexagesimal.hpp"
#include "core/sky/model/sky_list.hpp"

namespace reber {
namespace {

using Texts = std::vector<std::string>;

AngleColumn longitudes(const Texts& cells, const std::string& unit = "") {
  return read_angles({{"ra", unit, "", ""}, cells}, false, true, unit);
}
AngleColumn latitudes(const Texts& cells, const std::string& unit = "") {
  return read_angles({{"dec", unit, "", ""}, cells}, true, false, unit);
}

TEST(ReadAngle, EverySpellingOfOneAngle) {
  const double deg = 12 + 34 / 60.0 + 56.7 / 3600;
  for (const char* text : {"12:34:56.7", "12 34 56.7", " 12  34 56.7 ", "+12:34:56.7", "12.34.56.7", "12\t34\t56.7"})
    EXPECT_NEAR(read_angle(text).value_or(AngleText{}).value, deg, 1e-12) << text;
  for (const char* text : {"12h34m56.7s", "12H34M56.7S", "12h 34m 56.7s", "12h34m56.7", "12h34'56.7\""})
    EXPECT_NEAR(read_angle(text).value_or(AngleText{}).value, 15 * deg, 1e-11) << text;
  for (const char* text : {"12d34m56.7s",
                           "12\xC2\xB0"
                           "34'56.7\"",
                           "12\xC2\xB0 34\xE2\x80\xB2 56.7\xE2\x80\xB3", "12d34'56.7"})
    EXPECT_NEAR(read_angle(text).value_or(AngleText{}).value, deg, 1e-12) << text;
  EXPECT_NEAR(read_angle("45296.7arcsec")->value, deg, 1e-11);
  EXPECT_NEAR(read_angle("754.945 arcmin")->value, deg, 1e-11);
  EXPECT_NEAR(read_angle("1 rad")->value, 180 / M_PI, 1e-12);
  EXPECT_NEAR(read_angle("1.5hourangle")->value, 22.5, 1e-12);
  EXPECT_NEAR(read_angle("12:34.5")->value, 12.575, 1e-12);
  EXPECT_NEAR(read_angle("12:34:60.0")->value, 12 + 35 / 60.0, 1e-12);  // rounded by another program
}

TEST(ReadAngle, ASignHoldsForAllFields) {
  const double deg = -(30 / 60.0 + 15 / 3600.0);
  for (const char* text : {"-00:30:15.0", "-00 30 15.0", "-00.30.15.0", "-0d30m15s", "- 00 30 15",
                           "\xE2\x88\x92"
                           "00:30:15",
                           "-00\xC2\xB0"
                           "30'15\""})
    EXPECT_NEAR(read_angle(text).value_or(AngleText{}).value, deg, 1e-12) << text;
}

TEST(ReadAngle, WhatIsNoAngle) {
  for (const char* text : {"", "masked", "12:60:00", "12:34:61", "12:34:56:78", "1.2.3.4.5", "12:-34:56", "12.5:30",
                           "inf", "nan", "J1234", "12:", ":12", "--12", "12h34d", "1 2 3 4"})
    EXPECT_FALSE(read_angle(text).has_value()) << text;
}

TEST(AngleColumn, ASingleNumberIsDegreesAndFieldsAreHours) {
  EXPECT_NEAR(longitudes({"188.009939", "187.98722"}).degrees[0], 188.009939, 1e-12);
  EXPECT_EQ(longitudes({"188.009939"}).unit, "deg");
  EXPECT_TRUE(longitudes({"188.009939"}).assumed);
  EXPECT_NEAR(longitudes({"12:32:02.385"}).degrees[0], 15 * (12 + 32 / 60.0 + 2.385 / 3600), 1e-11);
  EXPECT_EQ(longitudes({"12:32:02.385"}).unit, "h:m:s");
  EXPECT_NEAR(longitudes({"12 32"}).degrees[0], 188, 1e-11);
  EXPECT_NEAR(longitudes({"12.32.02.385"}).degrees[0], 15 * (12 + 32 / 60.0 + 2.385 / 3600), 1e-11);
  EXPECT_NEAR(longitudes({"188d00m35s"}).degrees[0], 188 + 35 / 3600.0, 1e-11);
  EXPECT_NEAR(latitudes({"-00.30.15.0"}).degrees[0], -(30 / 60.0 + 15 / 3600.0), 1e-12);
  // Galactic longitudes have no hours.
  EXPECT_NEAR(read_angles({{"glon", "", "", ""}, Texts{"120:30:00"}}, false, false, "").degrees[0], 120.5, 1e-12);
}

TEST(AngleColumn, TheUnitDecides) {
  EXPECT_NEAR(longitudes({"12.5"}, "hourangle").degrees[0], 187.5, 1e-12);
  EXPECT_NEAR(longitudes({"12.5"}, "h").degrees[0], 187.5, 1e-12);
  EXPECT_NEAR(longitudes({"12.5"}, "\"h:m:s\"").degrees[0], 187.5, 1e-12);
  EXPECT_NEAR(longitudes({"3.25"}, "rad").degrees[0], 3.25 * 180 / M_PI, 1e-12);
  EXPECT_NEAR(longitudes({"36000"}, "arcsec").degrees[0], 10, 1e-12);
  EXPECT_NEAR(longitudes({"188:00:35"}, "deg").degrees[0], 188 + 35 / 3600.0, 1e-11);
  EXPECT_NEAR(longitudes({"188 00 35"}, "\"d:m:s\"").degrees[0], 188 + 35 / 3600.0, 1e-11);
  EXPECT_NEAR(longitudes({"12 32 02"}, "hh:mm:ss").degrees[0], 15 * (12 + 32 / 60.0 + 2 / 3600.0), 1e-11);
  const Column numbers{{"ra", "hourangle", "", ""}, std::vector<double>{12.5}};
  EXPECT_NEAR(read_angles(numbers, false, true, "hourangle").degrees[0], 187.5, 1e-12);
}

TEST(AngleColumn, UnitsAreOfTheirSize) {
  const std::vector<std::pair<const char*, double>> in_a_turn{
      {"deg", 360},         {"arcmin", 360 * 60}, {"arcsec", 360 * 3600},        {"mas", 360 * 3.6e6},
      {"uas", 360 * 3.6e9}, {"hourangle", 24.0},  {"rad", 2 * std::numbers::pi}, {"mrad", 2e3 * std::numbers::pi}};
  for (const auto& [unit, count] : in_a_turn) {
    ASSERT_TRUE(degrees_per(unit).has_value()) << unit;
    EXPECT_NEAR(*degrees_per(unit) * count, 360, 1e-10) << unit;
  }
  EXPECT_FALSE(degrees_per("parsec").has_value());
}

TEST(AngleColumn, AnOddCellIsRefusedAlone) {
  const AngleColumn mixed = longitudes({"188.0", "masked", "187.5", "12:30:00", "", "nan", "400", "--"});
  EXPECT_EQ(mixed.degrees[0], 188);
  EXPECT_EQ(mixed.degrees[2], 187.5);
  for (const std::size_t row : {1U, 3U, 4U, 5U, 6U, 7U}) EXPECT_TRUE(std::isnan(mixed.degrees[row])) << row;
  ASSERT_EQ(mixed.refused.size(), 3U);
  EXPECT_EQ(mixed.refused[0], "row 2: 'masked' is no angle");
  EXPECT_EQ(mixed.refused[1].substr(0, 18), "row 4: '12:30:00' ");
  EXPECT_EQ(mixed.refused[2].substr(0, 6), "row 7:");
  const AngleColumn hours = longitudes({"12:30:00", "12:31:00", "188.0", "24:00:01"});
  EXPECT_NEAR(hours.degrees[1], 187.75, 1e-12);
  EXPECT_EQ(hours.refused.size(), 2U);
  EXPECT_EQ(latitudes({"+12.0", "91", "-90"}).refused.size(), 1U);
}

TEST(AngleColumn, OddCellsCostOtherColumnsTheirRowsAlone) {
  Catalogue catalogue;
  catalogue.columns.push_back({{"ra", "", "", ""}, Texts{"10.0", "11.0", "bad"}});
  catalogue.columns.push_back({{"dec", "", "", ""}, std::vector<double>{1, 2, 3}});
  catalogue.columns.push_back({{"Total_flux", "Jy", "", ""}, Texts{"0.5", "masked", "0.25"}});
  const SkyList list = sky_list(catalogue);
  EXPECT_EQ(list.lon[1], 11);
  EXPECT_TRUE(std::isnan(list.lat[2]));
  EXPECT_EQ(list.total[2], 0.25);
  EXPECT_TRUE(std::isnan(list.total[1]));
  EXPECT_EQ(describe_refused(list), "column ra, row 3: 'bad' is no angle");
}

}  // namespace
}  // namespace reber
