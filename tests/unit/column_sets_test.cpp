// SPDX-License-Identifier: BSD-3-Clause
// The sets of columns: every name of Aegean's and Selavy's tables in its place, with the numbers in its unit.
#include "core/measure/sources/column_sets.hpp"
#include "core/measure/extended/extended_catalogue.hpp"
#include "core/measure/sources/source_columns.hpp"
#include "core/studies/forced.hpp"
#include "tests/support/source_file.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

namespace reber {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::vector<Source> two_sources() {
  Source a;
  a.island = 12;
  a.ra = 83.866441;
  a.dec = -69.269927;
  a.e_ra = 1e-4;
  a.e_dec = 2e-4;
  a.total = 0.843563;
  a.e_total = kNaN;
  a.peak = 0.780068;
  a.major_deg = 12.0 / 3600;
  a.minor_deg = 9.0 / 3600;
  a.pa_deg = 176.5;
  a.rms = 1e-3;
  a.shared = true;
  a.fitted = true;
  Source b = a;
  b.flag = kFlagSmall | kFlagBeamShape;
  b.fitted = false;
  return {a, b};
}

ImageHeader header_of(const std::string& unit) {
  ImageHeader header;
  header.unit = Unit::parse(unit);
  return header;
}

Catalogue equatorial(const std::vector<Source>& sources, const std::string& unit = "Jy/beam") {
  Catalogue catalogue = make_catalogue(sources, header_of(unit), {"made"});
  catalogue.frame = "FK5 J2000";
  catalogue.frequency_hz = 1.3675e9;
  return catalogue;
}

double real(const Catalogue& catalogue, const std::string& name, std::size_t row = 0) {
  const Column* const column = catalogue.find(name);
  return column != nullptr ? std::get<std::vector<double>>(column->values)[row] : kNaN;
}
std::int64_t whole(const Catalogue& catalogue, const std::string& name, std::size_t row = 0) {
  return std::get<std::vector<std::int64_t>>(catalogue.find(name)->values)[row];
}
std::string text(const Catalogue& catalogue, const std::string& name, std::size_t row = 0) {
  return std::get<std::vector<std::string>>(catalogue.find(name)->values)[row];
}

TEST(ColumnSets, PybdsfIsOurOwnTable) {
  const auto sources = two_sources();
  const Catalogue own = equatorial(sources);
  const Catalogue same = in_columns(own, sources, ColumnSet::pybdsf, {});
  ASSERT_EQ(same.columns.size(), own.columns.size());
  for (std::size_t i = 0; i < own.columns.size(); ++i) EXPECT_EQ(same.columns[i].info.name, own.columns[i].info.name);
}

TEST(ColumnSets, AegeanHasArcsecondsJanskysAndMinusOneForNoError) {
  const auto sources = two_sources();
  const Catalogue out = in_columns(equatorial(sources), sources, ColumnSet::aegean, Beam{0.01, 0.005, 30});
  EXPECT_DOUBLE_EQ(real(out, "ra"), 83.866441);
  EXPECT_DOUBLE_EQ(real(out, "err_ra"), 1e-4);
  EXPECT_NEAR(real(out, "a"), 12, 1e-12);
  EXPECT_NEAR(real(out, "b"), 9, 1e-12);
  EXPECT_DOUBLE_EQ(real(out, "int_flux"), 0.843563);
  EXPECT_EQ(real(out, "err_int_flux"), -1);
  EXPECT_DOUBLE_EQ(real(out, "psf_a"), 36);
  EXPECT_DOUBLE_EQ(real(out, "psf_pa"), 30);
  EXPECT_EQ(out.find("a")->info.unit, "arcsec");
  EXPECT_EQ(out.find("peak_flux")->info.unit, "Jy/beam");
  EXPECT_EQ(whole(out, "source", 0), 0);
  EXPECT_EQ(whole(out, "source", 1), 1);
  EXPECT_EQ(whole(out, "flags", 0), 0);
  EXPECT_EQ(whole(out, "flags", 1), 1 + 4 + 16);
  EXPECT_EQ(text(out, "ra_str"), "05:35:27.95");
  EXPECT_EQ(text(out, "dec_str"), "-69:16:11.74");
}

TEST(ColumnSets, CasdaHasMillijanskysAndMegahertz) {
  const auto sources = two_sources();
  const Catalogue out = in_columns(equatorial(sources), sources, ColumnSet::casda, {});
  EXPECT_EQ(text(out, "island_id"), "island_12");
  EXPECT_EQ(text(out, "component_id", 1), "component_12b");
  EXPECT_EQ(text(out, "component_name"), "J053527-691611");
  EXPECT_EQ(text(out, "ra_hms_cont"), "05:35:27.9");
  EXPECT_EQ(text(out, "dec_dms_cont"), "-69:16:12");
  EXPECT_NEAR(real(out, "ra_err"), 0.36, 1e-12);
  EXPECT_NEAR(real(out, "freq"), 1367.5, 1e-9);
  EXPECT_NEAR(real(out, "flux_peak"), 780.068, 1e-9);
  EXPECT_NEAR(real(out, "flux_int"), 843.563, 1e-9);
  EXPECT_TRUE(std::isnan(real(out, "flux_int_err")));
  EXPECT_NEAR(real(out, "maj_axis"), 12, 1e-12);
  EXPECT_EQ(out.find("flux_int")->info.unit, "mJy");
  EXPECT_EQ(out.find("flux_peak")->info.unit, "mJy/beam");
  EXPECT_EQ(whole(out, "has_siblings"), 1);
  EXPECT_EQ(whole(out, "fit_is_estimate", 0), 0);
  EXPECT_EQ(whole(out, "fit_is_estimate", 1), 1);
  EXPECT_EQ(out.history.back(), "columns: casda");
}

TEST(ColumnSets, NamesOfPlacesKeepTheSignOfLessThanADegree) {
  auto sources = two_sources();
  sources[0].dec = -0.5;
  sources[1].dec = 0.5;
  const Catalogue out = in_columns(equatorial(sources), sources, ColumnSet::casda, {});
  EXPECT_EQ(text(out, "component_name", 0), "J053527-003000");
  EXPECT_EQ(text(out, "component_name", 1), "J053527+003000");
  EXPECT_EQ(text(out, "dec_dms_cont", 0), "-00:30:00");
}

TEST(ColumnSets, CasdaHasThe25ColumnsThatVastReads) {
  const auto sources = two_sources();
  const Catalogue out = in_columns(equatorial(sources), sources, ColumnSet::casda, {});
  for (const char* name :
       {"island_id",       "component_id",   "ra_deg_cont",   "dec_deg_cont",    "ra_err",
        "dec_err",         "flux_peak",      "flux_peak_err", "rms_image",       "flux_int",
        "flux_int_err",    "maj_axis",       "min_axis",      "maj_axis_deconv", "min_axis_deconv",
        "maj_axis_err",    "min_axis_err",   "pos_ang",       "pos_ang_err",     "pos_ang_deconv",
        "chi_squared_fit", "spectral_index", "flag_c4",       "has_siblings",    "spectral_index_from_TT"})
    EXPECT_NE(out.find(name), nullptr) << name;
  EXPECT_EQ(real(out, "chi_squared_fit"), 999) << "no residual is known here";
  EXPECT_EQ(real(out, "spectral_index"), -99);
  EXPECT_EQ(whole(out, "spectral_index_from_TT"), 0);
}

TEST(ColumnSets, BrightnessInAnotherUnitIsNotScaled) {
  const auto sources = two_sources();
  const Catalogue out = in_columns(equatorial(sources, "K"), sources, ColumnSet::casda, {});
  EXPECT_EQ(out.find("flux_peak")->info.unit, "K");
  EXPECT_DOUBLE_EQ(real(out, "flux_peak"), 0.780068);
}

TEST(ColumnSets, GalacticPositionsAreCalledThat) {
  const auto sources = two_sources();
  Catalogue own = equatorial(sources);
  own.frame = "Galactic";
  for (Column& column : own.columns) {
    if (column.info.name == "RA") column.info.name = "GLON";
    if (column.info.name == "E_RA") column.info.name = "E_GLON";
    if (column.info.name == "DEC") column.info.name = "GLAT";
  }
  const Catalogue out = in_columns(own, sources, ColumnSet::aegean, {});
  EXPECT_DOUBLE_EQ(real(out, "glon"), 83.866441);
  EXPECT_DOUBLE_EQ(real(out, "err_glon"), 1e-4);
  EXPECT_EQ(out.find("ra"), nullptr);
  EXPECT_EQ(out.find("ra_str"), nullptr);
  EXPECT_NE(in_columns(own, sources, ColumnSet::casda, {}).find("glat_deg_cont"), nullptr);
}

TEST(ColumnSets, NamesAreUniqueAndEveryColumnIsDescribed) {
  for (const Word<ColumnSet>& word : words<ColumnSet>) {
    const ColumnSet set = word.value;
    std::set<std::string> names;
    for (const SetColumn& column : set_columns(set)) {
      EXPECT_TRUE(names.insert(column.info.name).second) << column.info.name;
      EXPECT_FALSE(column.info.text.empty()) << column.info.name;
      EXPECT_FALSE(column.info.ucd.empty()) << column.info.name;
    }
  }
}

TEST(ColumnSets, AreWhatTheDocumentationSays) {
  std::ifstream file(testing::source_file("docs/columns.md"));
  std::ostringstream text;
  text << file.rdbuf();
  EXPECT_EQ(text.str(), columns_document() + extended_columns_document() + forced_columns_document())
      << "write it anew: reber --list-columns > docs/columns.md";
}

TEST(ColumnSets, SexagesimalTextCarries) {
  EXPECT_EQ(sexagesimal_hours(0, 2), "00:00:00.00");
  EXPECT_EQ(sexagesimal_hours(359.99999999, 2), "00:00:00.00");
  EXPECT_EQ(sexagesimal_hours(180, 0), "12:00:00");
  EXPECT_EQ(sexagesimal_degrees(-0.000001, 2), "-00:00:00.00");
  EXPECT_EQ(sexagesimal_degrees(59.99999999, 1), "+60:00:00.0");
  EXPECT_EQ(sexagesimal_degrees(kNaN, 1), "");
}

}  // namespace
}  // namespace reber
