// SPDX-License-Identifier: BSD-3-Clause
// Sky models and PyBDSF's text tables, byte for byte as their readers want them.
#include "core/files/catalogue/sky_model.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "core/base/error.hpp"
#include "core/files/catalogue/catalogue_io.hpp"
#include "fits_files.hpp"

namespace reber {
namespace {

template <class Value>
void add(Catalogue& catalogue, const char* name, std::vector<Value> values) {
  catalogue.columns.push_back({{name, "", "", ""}, std::move(values)});
}

/// Two Gaussians of one source, a brighter point, and one without an axis.
Catalogue gaussians() {
  Catalogue c;
  c.frame = "FK5 J2000";
  c.equinox = 2000;
  c.frequency_hz = 1.5e8;
  c.image = "/data/dsim.fits";
  c.history = {"reber 0.1.0, input /data/dsim.fits"};
  using Whole = std::vector<std::int64_t>;
  add(c, "Gaus_id", Whole{0, 1, 2, 3});
  add(c, "Isl_id", Whole{0, 0, 1, 2});
  add(c, "Source_id", Whole{0, 0, 1, 2});
  using Real = std::vector<double>;
  add(c, "RA", Real{180.057301, 180.06, 359.99999999999, 10});
  add(c, "DEC", Real{-29.948931, -0.5, 5.25, 10});
  add(c, "Total_flux", Real{0.001, 0.002859, 0.25, 1});
  add(c, "DC_Maj", Real{1.62079 / 3600, 2.0 / 3600, 0, std::nan("")});
  add(c, "DC_Min", Real{0.395426 / 3600, 1.0 / 3600, 0, 0});
  add(c, "DC_PA", Real{164.358, 10, 0, 0});
  return c;
}

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string written(Patches patches) {
  const testing_files::TemporaryFolder folder;
  write_sky_model(gaussians(), patches, folder.file("a.skymodel"), false);
  return text_of(folder.file("a.skymodel"));
}

const std::string kHead =
    "Ra, Dec, I, Q, U, V, MajorAxis, MinorAxis, Orientation, ReferenceFrequency='1.50000e+08', SpectralIndex='[]'\n\n";

TEST(SkyModel, has_a_patch_per_source_the_brightest_first_and_leaves_out_what_has_no_axes) {
  EXPECT_EQ(written(Patches::source),
            "format = Name, Type, Patch, " + kHead +
                ", , dsim_patch_s1, 00:00:00, +00.00.00\n"
                "dsim_w0_i1_s1_g2, POINT, dsim_patch_s1, 00:00:00.000000, +05.15.00.000000, 2.500e-01, 0.0, 0.0, 0.0, "
                "0.00000e+00, 0.00000e+00, 0.00000e+00, 1.50000e+08, [-0.8]\n"
                ", , dsim_patch_s0, 00:00:00, +00.00.00\n"
                "dsim_w0_i0_s0_g1, GAUSSIAN, dsim_patch_s0, 12:00:14.400000, -00.30.00.000000, 2.859e-03, 0.0, 0.0, "
                "0.0, 2.00000e+00, 1.00000e+00, 1.00000e+01, 1.50000e+08, [-0.8]\n"
                "dsim_w0_i0_s0_g0, GAUSSIAN, dsim_patch_s0, 12:00:13.752240, -29.56.56.151600, 1.000e-03, 0.0, 0.0, "
                "0.0, 1.62079e+00, 3.95426e-01, 1.64358e+02, 1.50000e+08, [-0.8]\n");
}

TEST(SkyModel, patches_of_gaussians_of_all_and_of_none) {
  const auto count = [](const std::string& text, const std::string& part) {
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
    return found;
  };
  EXPECT_EQ(count(written(Patches::gaussian), ", , dsim_patch_w0_g"), 3U);
  EXPECT_EQ(count(written(Patches::single), ", , dsim_patch, 00:00:00"), 1U);
  const std::string none = written(Patches::none);
  EXPECT_EQ(none.substr(0, none.find('\n') + 2), "format = Name, Type, " + kHead);
  EXPECT_EQ(count(none, "patch"), 0U);
}

TEST(SkyModel, component_list_has_linear_spectra_and_declinations_without_plus) {
  const testing_files::TemporaryFolder folder;
  write_catalogue(gaussians(), folder.file("dsim-sources.txt"), false);
  const std::string text = text_of(folder.file("dsim-sources.txt"));
  EXPECT_EQ(text.substr(0, text.find('\n')),
            "Format = Name, Type, Ra, Dec, I, SpectralIndex, LogarithmicSI, ReferenceFrequency='150000000', MajorAxis, "
            "MinorAxis, Orientation");
  EXPECT_NE(text.find("s0c0,POINT,00:00:00.0000,05.15.00.0000,0.25,[-0.2],false,150000000,,,\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("s0c2,GAUSSIAN,12:00:13.7522,-29.56.56.1516,0.001,[-0.0008],false,150000000,1.62079,0.39542"),
            std::string::npos)
      << text;
}

TEST(SkyModel, other_frames_are_turned_to_j2000_with_their_angles) {
  const testing_files::TemporaryFolder folder;
  Catalogue old = gaussians();
  old.frame = "FK4 B1950";
  old.equinox = 1950;
  write_catalogue(old, folder.file("a.bbs"), false);
  // By astropy 5.2, FK4 B1950 to FK5 J2000; near the equator at 12 h the angle stays within .01 degrees.
  EXPECT_NE(text_of(folder.file("a.bbs")).find(", 12:02:48.16"), std::string::npos) << text_of(folder.file("a.bbs"));
}

TEST(SkyModel, unknown_frames_and_tables_without_gaussians_are_refused) {
  const testing_files::TemporaryFolder folder;
  Catalogue apparent = gaussians();
  apparent.frame = "GAPPT";
  EXPECT_THROW(write_catalogue(apparent, folder.file("a.bbs"), false), InputError);
  Catalogue other = gaussians();
  other.columns.erase(other.columns.begin());
  EXPECT_THROW(write_catalogue(other, folder.file("a.bbs"), false), InputError);
  EXPECT_EQ(folder.entries(), 0);
}

TEST(PybdsfText, has_its_title_and_its_widths) {
  const testing_files::TemporaryFolder folder;
  Catalogue c = gaussians();
  c.columns.resize(4);
  add(c, "S_Code", std::vector<std::string>{"M", "M", "S", "S"});
  write_catalogue(c, folder.file("dsim.gaul"), false);
  EXPECT_EQ(text_of(folder.file("dsim.gaul")),
            "# Gaussian list for dsim.fits\n# Generated by reber 0.1.0\n"
            "# Reference frequency of the detection (\"ch0\") image: 1.50000e+08 Hz\n"
            "# Equinox : 2000.0 \n\n# Gaus_id Isl_id Source_id RA S_Code\n"
            "   0    0    0 180.05730100000000 M   \n"
            "   1    0    0 180.06000000000000 M   \n"
            "   2    1    1 359.99999999999000 S   \n"
            "   3    2    2 10.00000000000000 S   \n");
}

TEST(CatalogueFormats, an_ending_counts_before_a_word) {
  EXPECT_STREQ(find_catalogue_format("a/B.SKYMODEL", "csv")->word, "bbs");
  EXPECT_STREQ(find_catalogue_format("true_sky.txt", "bbs")->word, "bbs");
  EXPECT_STREQ(find_catalogue_format("x-sources.txt")->word, "wsclean");
  EXPECT_EQ(find_catalogue_format("true_sky.txt"), nullptr);
}

}  // namespace
}  // namespace reber
