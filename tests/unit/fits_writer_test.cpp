// SPDX-License-Identifier: BSD-3-Clause
// The FITS writer: bits, kept keywords, checksums, and nothing half-written.
#include "core/files/fits/fits_writer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "core/base/error.hpp"
#include "core/files/fits/tile_writer.hpp"
#include "core/files/image/image_file.hpp"
#include "tests/unit/fits_files.hpp"

namespace reber {
namespace {

using testing_files::header;
using testing_files::joined;
using testing_files::load;
using testing_files::save;
using testing_files::sky_cards;
using testing_files::TemporaryFolder;

FloatRows ramp_rows(std::int64_t nx) {
  return [nx](std::int64_t y0, std::int64_t ny, float* out) {
    for (std::int64_t i = 0; i < nx * ny; ++i) out[i] = static_cast<float>(y0 * nx + i) * 0.5f;
  };
}

std::string card_of(const ImageHeader& found, const std::string& keyword) {
  for (const std::string& c : found.cards) {
    if (c.rfind(keyword, 0) == 0) return c;
  }
  return {};
}

/// Ones' complement sum of all words: zero (all bits set) for a file whose CHECKSUM is right.
std::uint32_t whole_sum(const std::string& bytes) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i + 3 < bytes.size(); i += 4) {
    std::uint32_t word = 0;
    for (std::size_t k = 0; k < 4; ++k) word = word << 8 | static_cast<unsigned char>(bytes[i + k]);
    sum += word;
    sum = (sum & 0xFFFFFFFFU) + (sum >> 32);
  }
  return static_cast<std::uint32_t>(sum);
}

std::vector<float> read_floats(const ImagePlane& image) {
  const auto source = image.pixels();
  std::vector<std::byte> raw(static_cast<std::size_t>(source->shape().count()) * 4);
  source->read_rows(0, source->shape().ny, raw.data());
  std::vector<float> out(raw.size() / 4);
  for (std::size_t i = 0; i < out.size(); ++i) {
    std::uint32_t word = 0;
    for (std::size_t k = 0; k < 4; ++k) word = word << 8 | static_cast<std::uint32_t>(raw[4 * i + k]);
    std::memcpy(&out[i], &word, 4);
  }
  return out;
}

TEST(FitsWriter, KeepsEveryBit) {
  const TemporaryFolder folder;
  const std::vector<float> values = {1.5f,
                                     -0.0f,
                                     std::numeric_limits<float>::quiet_NaN(),
                                     std::numeric_limits<float>::infinity(),
                                     std::numeric_limits<float>::denorm_min(),
                                     3.4e38f};
  write_fits(folder.file("o.fits"), {2, 3}, {}, FloatRows([&](std::int64_t y0, std::int64_t ny, float* out) {
               std::copy_n(values.begin() + y0 * 3, ny * 3, out);
             }),
             false);
  const auto found = read_floats(ImagePlane::open(folder.file("o.fits")));
  ASSERT_EQ(found.size(), values.size());
  EXPECT_EQ(std::memcmp(found.data(), values.data(), 24), 0);
}

TEST(FitsWriter, FilesAreWholeBlocksWithRightChecksums) {
  const TemporaryFolder folder;
  for (const Shape shape : {Shape{1, 1}, Shape{7, 13}, Shape{720, 1}, Shape{3000, 1500}}) {
    write_fits(folder.file("o.fits"), shape, {}, ramp_rows(shape.nx), true);
    const std::string bytes = load(folder.file("o.fits"));
    EXPECT_EQ(bytes.size() % 2880, 0U);
    EXPECT_EQ(whole_sum(bytes), 0xFFFFFFFFU) << shape.ny << " x " << shape.nx;
  }
}

TEST(FitsWriter, IntegerPlanesRoundTrip) {
  const TemporaryFolder folder;
  write_fits(folder.file("o.fits"), {2, 2}, {}, IntRows([](std::int64_t y0, std::int64_t ny, std::int32_t* out) {
               for (std::int64_t i = 0; i < 2 * ny; ++i) out[i] = static_cast<std::int32_t>(1000000007 + y0 * 2 + i);
             }),
             false);
  const ImagePlane image = ImagePlane::open(folder.file("o.fits"));
  EXPECT_EQ(image.header().bitpix, 32);
  std::vector<std::byte> raw(16);
  image.pixels()->read_rows(0, 2, raw.data());
  EXPECT_EQ(std::to_integer<int>(raw[15]), (1000000007 + 3) & 0xFF);
}

TEST(FitsWriter, KeepsTheSkyAndDropsWhatNoLongerHolds) {
  const TemporaryFolder folder;
  std::vector<std::string> cards = {
      "SIMPLE  = T",      "BITPIX  = 16",       "NAXIS   = 4",
      "NAXIS1  = 1",      "NAXIS2  = 3",        "NAXIS3  = 2",
      "NAXIS4  = 1",      "BSCALE  = 2.0",      "BZERO   = 1.0",
      "BLANK   = 5",      "CTYPE1  = 'STOKES'", "CRVAL1  = 1.0",
      "CTYPE4  = 'FREQ'", "CRVAL4  = 1.4E9",    "CRPIX4  = 1.0",
      "CDELT4  = 1.0E6",  "PC2_3   = 0.1",      "PC3_2   = -0.1",
      "PC4_1   = 0.0",    "OBJECT  = 'M87'",    "TELESCOP= 'VLA'",
      "DATAMAX = 7.0",    "DATASUM = '12'",     "HISTORY AIPS   CLEAN BMAJ=  1.2500E-02 BMIN=  8.3333E-03 BPA=  25.00",
      "HISTORY kept"};
  for (std::string c : sky_cards()) {
    if (c[5] == '1' || c[5] == '2') c[5] = static_cast<char>(c[5] + 1);
    cards.push_back(c);
  }
  save(folder.file("in.fits"), header(cards) + testing_files::data_blocks(std::vector<std::int16_t>(6)));
  const ImagePlane in = ImagePlane::open(folder.file("in.fits"));
  OutputHeader out;
  out.like = &in.header();
  out.unit = "Jy/beam";
  out.beam = Beam{0.02, 0.015, 40};
  out.history = {"made by a test with a line that is longer than seventy-two characters and must be folded"};
  write_fits(folder.file("o.fits"), {2, 3}, out, ramp_rows(3), false);
  const ImagePlane image = ImagePlane::open(folder.file("o.fits"));
  const ImageHeader& found = image.header();
  EXPECT_EQ(found.axes, (std::vector<std::int64_t>{3, 2}));
  EXPECT_TRUE(found.warnings.empty()) << found.warnings.front();
  EXPECT_EQ(found.object, "M87");
  EXPECT_EQ(found.telescope, "VLA");
  EXPECT_EQ(found.unit.kind, Unit::Kind::jy_per_beam);
  ASSERT_TRUE(found.beam.has_value());
  EXPECT_EQ(found.beam->major_deg, 0.02);
  EXPECT_EQ(found.beam->pa_deg, 40.0);
  EXPECT_DOUBLE_EQ(found.wcs.frequency_hz(), 1.4e9);
  for (const char* gone :
       {"BSCALE", "BZERO", "BLANK", "CTYPE3", "CTYPE4", "CRVAL4", "PC4_1", "PC2_3", "DATAMAX", "NAXIS3"})
    EXPECT_EQ(card_of(found, gone), "") << gone;
  EXPECT_NE(card_of(found, "PC1_2"), "");
  EXPECT_NE(card_of(found, "PC2_1"), "");
  for (const double x : {0.0, 2.0}) {
    const auto before = in.header().wcs.to_sky(x, 1), after = found.wcs.to_sky(x, 1);
    ASSERT_TRUE(before && after);
    EXPECT_DOUBLE_EQ(before->lon_deg, after->lon_deg);
    EXPECT_DOUBLE_EQ(before->lat_deg, after->lat_deg);
  }
}

TEST(FitsWriter, CardsReplaceThoseOfTheirNamesAndDescribeFurtherAxes) {
  const TemporaryFolder folder;
  std::vector<std::string> cards = {"SIMPLE  = T", "BITPIX  = 16",    "NAXIS   = 2",      "NAXIS1  = 3",
                                    "NAXIS2  = 2", "OBJECT  = 'M87'", "SPECSYS = 'LSRK'", "HISTORY kept"};
  save(folder.file("in.fits"), header(cards) + testing_files::data_blocks(std::vector<std::int16_t>(6)));
  const ImagePlane in = ImagePlane::open(folder.file("in.fits"));
  OutputHeader out;
  out.like = &in.header();
  out.cards = {"SPECSYS = 'TOPOCENT'", "CTYPE3  = 'STOKES'", "CTYPE4  = 'FREQ'", "CRVAL4  = 1.4E9"};
  out.more_axes = 2;
  write_fits(folder.file("o.fits"), {2, 3}, out, ramp_rows(3), {});
  const ImagePlane image = ImagePlane::open(folder.file("o.fits"));
  const ImageHeader& found = image.header();
  EXPECT_EQ(found.axes, (std::vector<std::int64_t>{3, 2, 1, 1}));
  EXPECT_EQ(std::ranges::count_if(found.cards, [](const std::string& card) { return card.starts_with("SPECSYS"); }), 1);
  EXPECT_NE(card_of(found, "SPECSYS").find("TOPOCENT"), std::string::npos);
  EXPECT_NE(card_of(found, "OBJECT").find("M87"), std::string::npos);
  EXPECT_NE(card_of(found, "CTYPE4"), "");
  EXPECT_EQ(read_floats(image), (std::vector<float>{0, 0.5, 1, 1.5, 2, 2.5}));
  EXPECT_THROW(write_tiles(folder.file("o.fits.fz"), {2, 3}, out, ramp_rows(3), {}), InternalError);
}

TEST(FitsWriter, FailuresLeaveTheOldFileAndNothingNew) {
  const TemporaryFolder folder;
  save(folder.file("o.fits"), "old");
  EXPECT_THROW(write_fits(folder.file("o.fits"), {2, 2}, {}, ramp_rows(2), false), InputError);
  const FloatRows failing = [](std::int64_t, std::int64_t, float*) { throw DeviceError("lost"); };
  EXPECT_THROW(write_fits(folder.file("o.fits"), {2, 2}, {}, failing, true), DeviceError);
  const std::atomic<bool> stop{true};
  EXPECT_THROW(write_fits(folder.file("o.fits"), {2, 2}, {}, ramp_rows(2), true, Progress({}, &stop)), Cancelled);
  EXPECT_EQ(load(folder.file("o.fits")), "old");
  EXPECT_EQ(folder.entries(), 1);
}

TEST(FitsWriter, TheInputIsNeverReplaced) {
  const TemporaryFolder folder;
  write_fits(folder.file("in.fits"), {2, 2}, {}, ramp_rows(2), false);
  const std::string before = load(folder.file("in.fits"));
  const ImagePlane in = ImagePlane::open(folder.file("in.fits"));
  OutputHeader out;
  out.like = &in.header();
  EXPECT_THROW(write_fits(folder.file("in.fits"), {2, 2}, out, ramp_rows(2), true), InputError);
  EXPECT_EQ(load(folder.file("in.fits")), before);
}

TEST(FitsWriter, SameInputGivesTheSameBytes) {
  const TemporaryFolder folder;
  for (const char* name : {"a", "b"}) write_fits(folder.file(name), {20, 30}, {}, ramp_rows(30), false);
  EXPECT_EQ(load(folder.file("a")), load(folder.file("b")));
}

}  // namespace
}  // namespace reber
