// SPDX-License-Identifier: BSD-3-Clause
// CASA's table of beams: written and read back, planes without a beam, and tables that cannot be used.
#include "core/files/fits/beam_table.hpp"
#include "core/sky/model/image_header.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/base/error.hpp"
#include "core/files/fits/cube_writer.hpp"
#include "core/files/image/image_file.hpp"
#include "tests/unit/fits_files.hpp"

namespace reber {
namespace {

using testing_files::load;
using testing_files::save;
using testing_files::TemporaryFolder;

std::string card(const std::string& text) {
  std::string out = text;
  out.resize(80, ' ');
  return out;
}

/// A cube of 3 channels and 2 polarisations, 4 x 2 pixels, the channel as value.
std::string cube() {
  std::string header;
  for (const char* text : {"SIMPLE  =                    T",
                           "BITPIX  =                  -32",
                           "NAXIS   =                    4",
                           "NAXIS1  =                    4",
                           "NAXIS2  =                    2",
                           "NAXIS3  =                    3",
                           "NAXIS4  =                    2",
                           "CTYPE1  = 'RA---SIN'",
                           "CTYPE2  = 'DEC--SIN'",
                           "CTYPE3  = 'FREQ    '",
                           "CTYPE4  = 'STOKES  '",
                           "CRVAL1  = 10.0",
                           "CRVAL2  = 20.0",
                           "CDELT1  = -0.001",
                           "CDELT2  = 0.001",
                           "CRPIX1  = 2.0",
                           "CRPIX2  = 1.0",
                           "CRVAL3  = 1.4E9",
                           "CDELT3  = 1E6",
                           "CRPIX3  = 1.0",
                           "CRVAL4  = 1.0",
                           "CDELT4  = 1.0",
                           "CRPIX4  = 1.0",
                           "BUNIT   = 'Jy/beam '",
                           "BMAJ    = 0.003",
                           "BMIN    = 0.003",
                           "HISTORY AIPS   CLEAN BMAJ=  9.9 BMIN=  9.9 BPA=   0.00",
                           "END"})
    header += card(text);
  header.resize(2880 * ((header.size() + 2879) / 2880), ' ');
  return header + std::string(2880, '\0');
}

std::vector<std::optional<Beam>> six_beams() {
  std::vector<std::optional<Beam>> beams;
  for (int plane = 0; plane < 6; ++plane) beams.push_back(Beam{(10.0 + plane) / 3600, 8.0 / 3600, 12.5 * plane});
  beams[2].reset();
  return beams;
}

TEST(BeamTable, IsWrittenWithTheCubeAndReadForEachPlane) {
  const TemporaryFolder folder;
  save(folder.file("in.fits"), cube());
  OpenOptions options;
  options.plane = 0;
  const ImageHeader in = ImagePlane::open(folder.file("in.fits"), options).header();
  EXPECT_TRUE(in.plane_beams.empty());
  OutputHeader out;
  out.like = &in;
  out.unit = "Jy/beam";
  out.history = {"smoothed"};
  CubeWriter writer(folder.file("out.fits"), out, six_beams(), false);
  for (std::int64_t plane = 5; plane >= 0; --plane) {
    const FloatRows rows = [&](std::int64_t, std::int64_t ny, float* pixels) {
      std::fill_n(pixels, ny * 4, static_cast<float>(plane));
    };
    writer.write_plane(plane, rows, {}, plane % 4);  // in bands of so many rows
  }
  EXPECT_EQ(folder.entries(), 2);  // the input and a temporary
  writer.finish();
  EXPECT_EQ(folder.entries(), 2);
  for (std::int64_t plane = 0; plane < 6; ++plane) {
    SCOPED_TRACE(plane);
    options.plane = plane;
    const ImagePlane image = ImagePlane::open(folder.file("out.fits"), options);
    EXPECT_EQ(image.header().warnings.empty(), plane != 2);  // Jy/beam without a beam
    EXPECT_EQ(image.header().axes, (std::vector<std::int64_t>{4, 2, 3, 2}));
    EXPECT_EQ(image.header().plane_beams.size(), 6U);
    EXPECT_EQ(image.header().beam.has_value(), plane != 2);
    if (image.header().beam) {
      EXPECT_NEAR(image.header().beam->major_deg * 3600, 10.0 + static_cast<double>(plane), 1e-5);
      EXPECT_NEAR(image.header().beam->pa_deg, 12.5 * static_cast<double>(plane), 1e-5);
    } else {
      EXPECT_NE(image.header().beam_note.find("none for plane 2"), std::string::npos);
    }
    EXPECT_NEAR(image.header().wcs.frequency_hz(), 1.4e9 + 1e6 * static_cast<double>(plane % 3), 1);
    EXPECT_EQ(decode_doubles(*image.pixels()).front(), static_cast<double>(plane));
  }
}

TEST(BeamTable, OneBeamForAllPlanesNeedsNoTable) {
  const TemporaryFolder folder;
  save(folder.file("in.fits"), cube());
  OpenOptions options;
  options.plane = 0;
  const ImageHeader in = ImagePlane::open(folder.file("in.fits"), options).header();
  OutputHeader out;
  out.like = &in;
  out.beam = Beam{0.004, 0.003, 30};
  { CubeWriter abandoned(folder.file("out.fits"), out, {}, false); }
  EXPECT_EQ(folder.entries(), 1);
  CubeWriter writer(folder.file("out.fits"), out, {}, false);
  writer.finish();
  options.plane = 4;
  const ImageHeader header = ImagePlane::open(folder.file("out.fits"), options).header();
  EXPECT_TRUE(header.plane_beams.empty());
  ASSERT_TRUE(header.beam.has_value());
  EXPECT_DOUBLE_EQ(header.beam->major_deg, 0.004);
}

/// The cube with this table behind it.
ImageHeader with_table(const TemporaryFolder& folder, std::string table, const std::string& from,
                       const std::string& to) {
  const std::size_t at = table.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  table.replace(at, from.size(), to);
  std::string file = cube();
  file.replace(file.find("BUNIT   = 'Jy/beam '"), 80, card("CASAMBM =                    T"));
  save(folder.file("t.fits"), file + table);
  OpenOptions options;
  options.plane = 1;
  return ImagePlane::open(folder.file("t.fits"), options).header();
}

std::string word(std::uint64_t value, int bytes) {
  std::string out;
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) out += static_cast<char>(value >> shift & 0xFFU);
  return out;
}

/// Rows of every other type than CASA's own: BMAJ as double in arcmin, BMIN and CHAN as integers, POL as a byte.
TEST(BeamTable, OtherTypesAndUnitsAreRead) {
  const TemporaryFolder folder;
  std::string data;
  for (std::uint64_t row = 0; row < 6; ++row)
    data +=
        word(std::bit_cast<std::uint64_t>(0.1), 8) + word(row == 3 ? 20 : 3, 2) + word(row % 3, 8) + word(row / 3, 1);
  data.resize(2880, '\0');
  const std::vector<std::string> columns{
      "TFIELDS = 5",    "TTYPE1  = 'bmaj'",   "TFORM1  = '1D'",   "TUNIT1  = 'arcmin'", "TTYPE2  = 'BMIN'",
      "TFORM2  = 'I'",  "TUNIT2  = 'arcsec'", "TTYPE3  = 'CHAN'", "TFORM3  = '1K'",     "TTYPE4  = 'POL'",
      "TFORM4  = '1B'", "TTYPE5  = 'BPA'",    "TFORM5  = '0E'",   "EXTNAME = 'BEAMS'"};
  const auto table = [&](const std::vector<std::string>& cards) {
    return testing_files::header(testing_files::joined({"XTENSION= 'BINTABLE'", "BITPIX  = 8", "NAXIS   = 2",
                                                        "NAXIS1  = 19", "NAXIS2  = 6", "PCOUNT  = 0", "GCOUNT  = 1"},
                                                       cards)) +
           data;
  };
  // BPA holds nothing: no usable table.
  EXPECT_TRUE(with_table(folder, table(columns), "BEAMS", "BEAMS").plane_beams.empty());
  std::vector<std::string> whole = columns;
  whole[11] = "TTYPE5  = 'OTHER'";
  whole.insert(whole.begin() + 13, {"TTYPE6  = 'BPA'", "TFORM6  = '1B'"});
  whole[0] = "TFIELDS = 6";
  const auto narrow = table(whole);
  EXPECT_TRUE(with_table(folder, narrow, "BEAMS", "BEAMS").plane_beams.empty());  // 20 bytes of columns in 19
  std::string padded;
  for (std::size_t row = 0; row < 6; ++row) padded += data.substr(19 * row, 19) + word(10, 1);
  padded.resize(2880, '\0');
  data = padded;
  const ImageHeader header = with_table(folder, table(whole), "NAXIS1  = 19", "NAXIS1  = 20");
  ASSERT_EQ(header.plane_beams.size(), 6U);
  ASSERT_TRUE(header.plane_beams[0].has_value());
  EXPECT_NEAR(header.plane_beams[0]->major_deg * 3600, 6, 1e-9);
  EXPECT_NEAR(header.plane_beams[0]->minor_deg * 3600, 3, 1e-9);
  EXPECT_NEAR(header.plane_beams[0]->pa_deg, 10, 1e-9);
  // An ellipse that is wider than long is turned.
  EXPECT_NEAR(header.plane_beams[3]->major_deg * 3600, 20, 1e-9);
  EXPECT_NEAR(header.plane_beams[3]->minor_deg * 3600, 6, 1e-9);
  EXPECT_NEAR(header.plane_beams[3]->pa_deg, 100, 1e-9);
  data.replace(20 + 10, 8, word(std::uint64_t{1} << 60, 8));
  const ImageHeader astray = with_table(folder, table(whole), "NAXIS1  = 19", "NAXIS1  = 20");
  EXPECT_TRUE(astray.plane_beams.empty());
  ASSERT_FALSE(astray.warnings.empty());
  EXPECT_NE(astray.warnings.back().find("row 2 of the table BEAMS has CHAN 1.15"), std::string::npos)
      << astray.warnings.back();
}

TEST(BeamTable, OneThatCannotBeUsedIsToldAndBmajStands) {
  const TemporaryFolder folder;
  std::vector<std::int64_t> axes{4, 2, 3, 2};
  const std::string good = fits::beam_table_blocks(six_beams(), fits::CardTable(), axes, 0, 1);
  const ImageHeader degrees = with_table(folder, good, "TUNIT1  = 'arcsec  '", "TUNIT1  = 'deg     '");
  EXPECT_EQ(degrees.plane_beams.size(), 6U);
  for (const auto& [from, to] : {std::pair{"'BMIN    '", "'OTHER   '"}, std::pair{"'1E      '", "'9Z      '"},
                                 std::pair{"'BEAMS   '", "'OTHERS  '"}}) {
    const ImageHeader header = with_table(folder, good, from, to);
    EXPECT_TRUE(header.plane_beams.empty());
    ASSERT_TRUE(header.beam.has_value());
    EXPECT_DOUBLE_EQ(header.beam->major_deg, 0.003);
    ASSERT_FALSE(header.warnings.empty());
    EXPECT_NE(header.warnings.back().find("BEAMS"), std::string::npos) << header.warnings.back();
  }
}

/// CASAMBM rules; where it is missing the beams are used, and that is told.
TEST(BeamTable, OneThatTheHeaderDoesNotSpeakOfIsUsedAndToldAndOneItDeniesIsNot) {
  const TemporaryFolder folder;
  const std::string good = fits::beam_table_blocks(six_beams(), fits::CardTable(), {4, 2, 3, 2}, 0, 1);
  const auto read = [&](const std::string& in_place_of_unit, const std::string& table) {
    std::string file = cube();
    file.replace(file.find("BUNIT   = 'Jy/beam '"), 80, card(in_place_of_unit));
    save(folder.file("t.fits"), file + table);
    OpenOptions options;
    options.plane = 1;
    return ImagePlane::open(folder.file("t.fits"), options).header();
  };
  const auto told = [](const ImageHeader& header, const std::string& words) {
    return std::ranges::any_of(header.warnings,
                               [&](const std::string& one) { return one.find(words) != std::string::npos; });
  };
  const ImageHeader silent = read("COMMENT of the unit", good);
  EXPECT_EQ(silent.plane_beams.size(), 6U);
  EXPECT_TRUE(told(silent, "though CASAMBM is missing: it is used"));
  const ImageHeader denied = read("CASAMBM =                    F", good);
  EXPECT_TRUE(denied.plane_beams.empty());
  ASSERT_TRUE(denied.beam.has_value());
  EXPECT_DOUBLE_EQ(denied.beam->major_deg, 0.003);
  EXPECT_TRUE(told(denied, "though CASAMBM is F: it is not used"));
  std::string damaged = good;
  damaged.replace(damaged.find("'BMIN    '"), 10, "'OTHER   '");
  const ImageHeader lacking = read("COMMENT of the unit", damaged);
  EXPECT_TRUE(lacking.plane_beams.empty());
  EXPECT_TRUE(told(lacking, "though CASAMBM is missing: it is not used: "));
}

}  // namespace
}  // namespace reber
