// SPDX-License-Identifier: BSD-3-Clause
// CASA's table of beams: written and read back, planes without a beam, and tables that cannot be used.
#include "core/fits/beam_table.hpp"
#include "core/model/image_header.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/base/error.hpp"
#include "core/fits/cube_writer.hpp"
#include "core/fits/fits_image.hpp"
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
  const ImageHeader in = FitsImage::open(folder.file("in.fits"), options).header();
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
    writer.write_plane(plane, rows, {});
  }
  EXPECT_EQ(folder.entries(), 2);  // the input and a temporary
  writer.finish();
  EXPECT_EQ(folder.entries(), 2);
  for (std::int64_t plane = 0; plane < 6; ++plane) {
    SCOPED_TRACE(plane);
    options.plane = plane;
    const FitsImage image = FitsImage::open(folder.file("out.fits"), options);
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
  const ImageHeader in = FitsImage::open(folder.file("in.fits"), options).header();
  OutputHeader out;
  out.like = &in;
  out.beam = Beam{0.004, 0.003, 30};
  { CubeWriter abandoned(folder.file("out.fits"), out, {}, false); }
  EXPECT_EQ(folder.entries(), 1);
  CubeWriter writer(folder.file("out.fits"), out, {}, false);
  writer.finish();
  options.plane = 4;
  const ImageHeader header = FitsImage::open(folder.file("out.fits"), options).header();
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
  return FitsImage::open(folder.file("t.fits"), options).header();
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

}  // namespace
}  // namespace reber
