// SPDX-License-Identifier: BSD-3-Clause
// Spectral axes: hand-worked values, readings of unusual names, and random headers against the papers' formulas.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "core/sky/model/spectral.hpp"
#include "tests/support/source_file.hpp"

namespace reber {
namespace {

fits::CardTable table_of(const std::vector<std::string>& lines) {
  std::string cards;
  for (std::string line : lines) {
    line.resize(fits::kCardBytes, ' ');
    cards += line;
  }
  return fits::CardTable(std::move(cards));
}

/// A header of two celestial axes and one spectral axis with these cards.
SpectralAxis third_axis(std::vector<std::string> cards) {
  for (const char* card : {"CTYPE1  = 'RA---SIN'", "CTYPE2  = 'DEC--SIN'", "CRVAL1  = 150.0", "CRVAL2  = -30.0",
                           "CDELT1  = -0.001", "CDELT2  = 0.001", "CRPIX1  = 8.0", "CRPIX2  = 8.0"})
    cards.emplace_back(card);
  return SpectralAxis(table_of(cards));
}

TEST(SpectralAxis, the_matrix_goes_before_the_step) {
  const SpectralAxis pc = third_axis(
      {"CTYPE3  = 'FREQ'", "CRVAL3  = 1.3E9", "CRPIX3  = 1.0", "CDELT3  = 1.0E6", "PC3_3   = 2.0", "CUNIT3  = 'Hz'"});
  EXPECT_DOUBLE_EQ(pc.frequency_hz({1, 1, 4}), 1.306e9);
}

TEST(SpectralAxis, units_are_read_in_every_spelling_and_no_milli_is_a_mega) {
  for (const auto& [unit, scale] : {std::pair{"km/s", 1e3},
                                    {"KM/S", 1e3},
                                    {"km.s-1", 1e3},
                                    {"km s^-1", 1e3},
                                    {"km s-1", 1e3},
                                    {"cm/s", 1e-2},
                                    {"M/S", 1.0},
                                    {"m.s**-1", 1.0}}) {
    const SpectralAxis axis = third_axis({"CTYPE3  = 'VRAD'", fmt::format("CUNIT3  = '{}'", unit), "CRPIX3  = 1.0",
                                          "CRVAL3  = 31.0", "CDELT3  = 4.0", "RESTFRQ = 1.42040575177E9"});
    EXPECT_NEAR(axis.velocity({1, 1, 2}), 35 * scale, 1e-9 * scale) << unit;
    EXPECT_NEAR(axis.frequency_hz({1, 1, 2}), 1.42040575177e9 * (1 - 35 * scale / 299792458.0), 1e-3) << unit;
  }
  const auto frequency = [](const char* unit) {
    return third_axis({"CTYPE3  = 'FREQ'", fmt::format("CUNIT3  = '{}'", unit), "CRVAL3  = 5.0", "CDELT3  = 1.0",
                       "CRPIX3  = 1.0"})
        .frequency_hz({1, 1, 1});
  };
  EXPECT_DOUBLE_EQ(frequency("mhz"), 5e6);
  EXPECT_DOUBLE_EQ(frequency("mHz"), 5e-3);
  EXPECT_DOUBLE_EQ(frequency("GHZ"), 5e9);
  EXPECT_DOUBLE_EQ(frequency("THZ"), 5e12);
}

TEST(SpectralAxis, wavelengths_and_wave_numbers_are_read_in_every_spelling) {
  const auto metres = [](const char* type, const char* unit) {
    const SpectralAxis axis = third_axis({fmt::format("CTYPE3  = '{}'", type), fmt::format("CUNIT3  = '{}'", unit),
                                          "CRVAL3  = 2.0", "CDELT3  = 1.0", "CRPIX3  = 1.0"});
    return 299792458.0 / axis.frequency_hz({1, 1, 1});
  };
  for (const auto& [unit, scale] : {std::pair{"MM", 1e-3},
                                    {"mm", 1e-3},
                                    {"CM", 1e-2},
                                    {"UM", 1e-6},
                                    {"NM", 1e-9},
                                    {"A", 1e-10},
                                    {"ANGSTROM", 1e-10},
                                    {"Micron", 1e-6},
                                    {"Mm", 1e6}})
    EXPECT_NEAR(metres("WAVE", unit) / (2 * scale), 1, 1e-12) << unit;
  for (const char* unit : {"kayser", "KAYSER", "CM-1", "CM**-1", "cm-1"})
    EXPECT_NEAR(metres("WAVN", unit) / 5e-3, 1, 1e-12) << unit;
  EXPECT_NEAR(metres("ENER", "KEV") / (6.62607015e-34 * 299792458.0 / (2e3 * 1.602176634e-19)), 1, 1e-6);
}

TEST(SpectralAxis, wavelengths_in_air_have_the_index_at_15_degrees) {
  // Edlen (1953), as WCSLIB has it; with s the vacuum's wave number per micrometre.
  for (const double micrometres : {0.45, 0.5503, 1.2, 2.0}) {
    const SpectralAxis axis =
        third_axis({"CTYPE3  = 'AWAV'", "CUNIT3  = 'um'", fmt::format("CRVAL3  = {}", micrometres), "CDELT3  = 0.001",
                    "CRPIX3  = 1.0"});
    const double vacuum = 299792458e6 / axis.frequency_hz({1, 1, 1}), s2 = 1 / (vacuum * vacuum);
    const double index = 1 + 6.4328e-5 + 2.94981e-2 / (146 - s2) + 2.554e-4 / (41 - s2);
    EXPECT_NEAR(vacuum / micrometres / index, 1, 1e-8);  // WCSLIB stops its iteration there
  }
}

TEST(SpectralAxis, what_is_not_read_is_told_with_a_remedy) {
  const SpectralAxis table = third_axis({"CTYPE3  = 'WAVE-TAB'", "CUNIT3  = 'm'", "CRVAL3  = 1.0", "CDELT3  = 1.0",
                                         "CRPIX3  = 1.0", "PS3_0   = 'WCS-TAB'", "PS3_1   = 'WAVE'"});
  EXPECT_NE(table.why_not().find("in a table are not read; write the axis with CRVAL"), std::string::npos)
      << table.why_not();
}

TEST(SpectralAxis, velo_of_aips_is_read_by_velref_and_the_reading_is_told) {
  const std::vector<std::string> cards{"CTYPE3  = 'VELO-LSR'", "CUNIT3  = 'm/s'", "CRPIX3  = 1.0",
                                       "CRVAL3  = 3.0E6",      "CDELT3  = 5.0E3", "RESTFRQ = 1.42040575177E9"};
  const SpectralAxis optical = third_axis(cards);
  EXPECT_NEAR(optical.frequency_hz({1, 1, 1}), 1.42040575177e9 / (1 + 3e6 / 299792458.0), 1e-3);
  EXPECT_EQ(optical.reading(), "VELO-LSR taken as VOPT, as VELREF is missing");
  std::vector<std::string> with = cards;
  with.emplace_back("VELREF  = 257");
  EXPECT_NEAR(third_axis(with).frequency_hz({1, 1, 1}), 1.42040575177e9 * (1 - 3e6 / 299792458.0), 1e-3);
  for (const char* frame : {"BAR", "GEO", "TOP", "GAL", "HEL", "OBS"}) {
    std::vector<std::string> other = cards;
    other[0] = fmt::format("CTYPE3  = 'VELO-{}'", frame);
    EXPECT_EQ(third_axis(other).frequency_hz({1, 1, 1}), optical.frequency_hz({1, 1, 1})) << frame;
    EXPECT_EQ(third_axis(other).reading(), fmt::format("VELO-{} taken as VOPT, as VELREF is missing", frame));
  }
}

TEST(SpectralAxis, planes_of_obit_have_the_frequencies_that_the_header_lists) {
  const SpectralAxis axis = third_axis({"CTYPE3  = 'SPECLNMF'", "CUNIT3  = 'Hz'", "CRPIX3  = 1.0", "CRVAL3  = 1.284E9",
                                        "CDELT3  = 5.0E7", "NTERM   = 2", "FREQ0001= 9.0E8", "FREQ0002= 9.5E8"});
  EXPECT_DOUBLE_EQ(axis.frequency_hz({1, 1, 1}), 1.284e9);
  EXPECT_DOUBLE_EQ(axis.frequency_hz({1, 1, 2}), 1.284e9);
  EXPECT_DOUBLE_EQ(axis.frequency_hz({1, 1, 3}), 9e8);
  EXPECT_DOUBLE_EQ(axis.frequency_hz({1, 1, 4}), 9.5e8);
  EXPECT_EQ(axis.reading(), "SPECLNMF taken as FREQ");
}

TEST(SpectralAxis, a_unit_of_another_kind_gives_no_frequency_and_the_reason) {
  const SpectralAxis axis =
      third_axis({"CTYPE3  = 'FREQ'", "CUNIT3  = 'Jy'", "CRVAL3  = 1.4", "CRPIX3  = 1.0", "CDELT3  = 1.0"});
  EXPECT_EQ(axis.axis(), 2);
  EXPECT_TRUE(std::isnan(axis.frequency_hz({1, 1, 1})));
  EXPECT_NE(axis.why_not().find("CUNIT3='Jy'"), std::string::npos) << axis.why_not();
}

TEST(SpectralAxis, a_longer_name_keeps_its_kind_and_its_unit) {
  for (const char* type : {"FREQUENCY", "Frequency", "FREQ LSR", "FREQ--", "FREQ-LSRK"}) {
    const SpectralAxis axis = third_axis(
        {fmt::format("CTYPE3  = '{}'", type), "CUNIT3  = 'MHz'", "CRVAL3  = 1300.0", "CDELT3  = 1.0", "CRPIX3  = 1.0"});
    EXPECT_DOUBLE_EQ(axis.frequency_hz({1, 1, 3}), 1.302e9) << type;
  }
  const std::vector<std::string> cards{"CTYPE3  = 'VELOCITY'", "CUNIT3  = 'km/s'", "CRVAL3  = 1000.0",
                                       "CDELT3  = 5.0",        "CRPIX3  = 1.0",    "RESTFRQ = 1.42040575177E9"};
  const double beta = 1.01e6 / 299792458.0;
  EXPECT_NEAR(third_axis(cards).velocity({1, 1, 3}), 1.01e6, 1e-6);
  EXPECT_NEAR(third_axis(cards).frequency_hz({1, 1, 3}), 1.42040575177e9 * std::sqrt((1 - beta) / (1 + beta)), 1);
  std::vector<std::string> with = cards;
  with.emplace_back("VELREF  = 257");
  EXPECT_NEAR(third_axis(with).frequency_hz({1, 1, 3}), 1.42040575177e9 * (1 - beta), 1);
}

TEST(SpectralAxis, an_axis_without_a_step_stands_at_its_reference_value) {
  for (const char* reference : {"CRPIX3  = 1.0", "CRPIX3  = 0.0"})
    EXPECT_DOUBLE_EQ(
        third_axis({"CTYPE3  = 'FREQ'", "CRVAL3  = 1.3E9", "CDELT3  = 0.0", reference}).frequency_hz({1, 1, 1}), 1.3e9);
}

TEST(SpectralAxis, a_step_holds_beside_a_matrix_of_the_sky_alone) {
  const SpectralAxis axis(
      table_of({"CTYPE1  = 'RA---SIN'", "CTYPE2  = 'DEC--SIN'", "CD1_1   = -0.001", "CD2_2   = 0.001",
                "CTYPE3  = 'FREQ'", "CRVAL3  = 1.3E9", "CDELT3  = 1.0E6", "CRPIX3  = 1.0"}));
  EXPECT_DOUBLE_EQ(axis.frequency_hz({1, 1, 3}), 1.302e9);
}

TEST(SpectralAxis, an_axis_that_cannot_be_read_does_not_put_planes_at_the_rest_frequency) {
  for (const char* type : {"CTYPE3  = 'FREQ-TAB'", "CTYPE3  = 'VRAD-X2F'", "CTYPE3  = 'FREQ-GRI'"}) {
    const fits::CardTable cards = table_of({"CTYPE1  = 'RA---SIN'", "CTYPE2  = 'DEC--SIN'", type, "CRVAL3  = 1.3E9",
                                            "CDELT3  = 1.0E6", "CRPIX3  = 1.0", "RESTFRQ = 1.42E9"});
    const SpectralAxis axis(cards);
    EXPECT_FALSE(axis.why_not().empty()) << type;
    EXPECT_TRUE(std::isnan(find_frequency(cards, axis, 3, {1, 1, 2}))) << type;
  }
}

/// tests/support/spectral_reference.py wrote the headers and, by formulas of its own, the frequencies.
TEST(SpectralAxis, random_headers_agree_with_the_formulas_of_paper_iii) {
  std::ifstream file(testing::source_file("tests/support/spectral_reference.txt"));
  std::string line;
  std::vector<std::string> cards;
  int compared = 0;
  while (std::getline(file, line)) {
    if (line.starts_with("#")) continue;
    if (!line.starts_with("= ")) {
      cards.push_back(line);
      continue;
    }
    std::istringstream row(line.substr(2));
    double expected = 0, p = 0;
    row >> expected;
    std::vector<double> pixel;
    while (row >> p) pixel.push_back(p);
    const double found = SpectralAxis(table_of(cards)).frequency_hz(pixel);
    EXPECT_LE(std::abs(found - expected), 1e-9 * expected) << fmt::format("{}\n{:.17g}", fmt::join(cards, "\n"), found);
    cards.clear();
    ++compared;
  }
  EXPECT_GE(compared, 500);
}

}  // namespace
}  // namespace reber
