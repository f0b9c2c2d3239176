// SPDX-License-Identifier: BSD-3-Clause
// Random headers against astropy: pixels to the sky, and every frame to ICRS (tests/support/sky_headers_reference.py).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "core/sky/model/sky_frames.hpp"
#include "core/sky/model/wcs.hpp"
#include "tests/support/source_file.hpp"
#include "tests/unit/fits_files.hpp"

namespace reber {
namespace {

/// A line of the table.
struct RandomHeader {
  std::string cards;  ///< of 80 characters each
  std::string words;  ///< as the table has them
  int axes = 2, x_axis = 0, y_axis = 1;
  std::vector<double> values;  ///< x, y (1-based), longitude, latitude, the same in ICRS
};

RandomHeader read(const std::string& line) {
  static const std::map<char, std::string> kStems{
      {'T', "CTYPE"}, {'V', "CRVAL"}, {'P', "CRPIX"},   {'D', "CDELT"},   {'R', "CROTA"},   {'C', "CD"},
      {'M', "PC"},    {'Q', "PV"},    {'L', "LONPOLE"}, {'B', "LATPOLE"}, {'S', "RADESYS"}, {'E', "EQUINOX"},
      {'A', "A_"},    {'F', "B_"},    {'O', "A_ORDER"}, {'G', "B_ORDER"}};
  RandomHeader out;
  std::istringstream numbers(line.substr(line.find(',') + 1)), words(line.substr(0, line.find(',')));
  for (std::string number; std::getline(numbers, number, ',');) out.values.push_back(std::stod(number));
  std::vector<int> celestial;
  out.words = words.str();
  for (std::string word; words >> word;) {
    const std::size_t equals = word.find('=');
    const std::string key = kStems.at(word[0]) + word.substr(1, equals - 1), value = word.substr(equals + 1);
    const bool text = word[0] == 'T' || word[0] == 'S';
    out.cards += testing_files::card(fmt::format("{:8}= {}", key, text ? fmt::format("'{:8}'", value) : value));
    if (word[0] != 'T') continue;
    const int axis = std::stoi(word.substr(1, equals - 1));
    out.axes = std::max(out.axes, axis);
    if (value != "FREQ" && value != "STOKES") celestial.push_back(axis - 1);
  }
  std::ranges::sort(celestial);
  out.x_axis = celestial.at(0), out.y_axis = celestial.at(1);
  out.cards += testing_files::card("END");
  return out;
}

/// REBER_SKY_HEADERS names another table than the committed one.
std::vector<RandomHeader> headers() {
  const char* other = std::getenv("REBER_SKY_HEADERS");
  std::ifstream file(other != nullptr ? std::string(other) : testing::source_file("tests/support/sky_headers.txt"));
  std::vector<RandomHeader> out;
  for (std::string line; std::getline(file, line);) out.push_back(read(line));
  EXPECT_GT(out.size(), 1U);
  return out;
}

constexpr double kLargest = 200;

Wcs wcs_of(const RandomHeader& header) {
  return Wcs::parse(header.cards, header.x_axis, header.y_axis,
                    std::vector<double>(static_cast<std::size_t>(header.axes), 1.0), header.axes, kLargest, kLargest);
}

TEST(SkyHeaders, PixelsLieWhereAstropyHasThem) {
  constexpr double kBoundDeg = 1e-9;
  double worst = 0;
  for (const RandomHeader& header : headers()) {
    const Wcs wcs = wcs_of(header);
    EXPECT_TRUE(wcs.celestial()) << header.words << ": " << wcs.why_not();
    if (!wcs.celestial()) continue;
    const auto sky = wcs.to_sky(header.values[0] - 1, header.values[1] - 1);
    EXPECT_TRUE(sky.has_value()) << header.words;
    if (!sky) continue;
    const double error = separation_deg(*sky, {header.values[2], header.values[3]});
    worst = std::max(worst, error);
    EXPECT_FALSE(!(error <= kBoundDeg)) << error << " deg: " << header.words;
  }
  RecordProperty("worst_deg", fmt::format("{}", worst));
}

TEST(SkyHeaders, FramesAreThoseOfAstropy) {
  // The table's digits, and the E-terms of FK4, whose constants astropy rounds otherwise.
  constexpr double kBoundDeg = 2e-9, kBoundOfFk4Deg = 2e-8;
  for (const RandomHeader& header : headers()) {
    const Wcs wcs = wcs_of(header);
    const auto system = system_of(wcs);
    EXPECT_TRUE(system.has_value()) << header.words << ": " << wcs.frame_name();
    if (!system) continue;
    const SkyPosition given{header.values[2], header.values[3]}, expected{header.values[4], header.values[5]};
    const double error = separation_deg(SkyConverter(*system, SkySystem{})(given), expected);
    const bool fk4 = system->frame == SkySystem::Frame::fk4;
    EXPECT_FALSE(!(error <= (fk4 ? kBoundOfFk4Deg : kBoundDeg))) << error << " deg: " << header.words;
    const SkyPosition back = SkyConverter(SkySystem{}, *system)(expected);
    EXPECT_FALSE(!(separation_deg(back, given) <= (fk4 ? kBoundOfFk4Deg : kBoundDeg))) << header.words;
  }
}

TEST(SkyHeaders, APolynomialOnLaterAxesIsRefused) {
  // WCSLIB 7.12 takes it for that of other axes: places would be degrees off.
  const RandomHeader header = read(
      "T1=FREQ V1=9 D1=1 T2=RA---TPV T3=DEC--TPV V2=78.334 V3=-5.105 P2=103.9 P3=23.3 D2=-0.0008 D3=0.0008 "
      "Q2_1=0.998707 "
      "Q2_4=0.01186 Q3_1=0.998233 Q3_4=0.009406,1,1,0,0,0,0");
  const Wcs wcs = wcs_of(header);
  EXPECT_FALSE(wcs.celestial());
  EXPECT_FALSE(wcs_of(read("T2=RA---TPV T1=DEC--TPV V2=78.334 V1=-5.105 P2=103.9 P1=23.3 D2=-0.0008 D1=0.0008 "
                           "Q2_4=0.01186,1,1,0,0,0,0"))
                   .celestial());
  EXPECT_NE(wcs.why_not().find("first two axes"), std::string::npos) << wcs.why_not();
}

}  // namespace
}  // namespace reber
