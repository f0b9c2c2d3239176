// SPDX-License-Identifier: BSD-3-Clause
// The FITS reader: what it takes from a header, and what it refuses.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <zlib.h>

#include <cmath>
#include <cstring>
#include <functional>

#include "core/base/error.hpp"
#include "core/files/image/image_file.hpp"
#include "core/sky/model/image_header.hpp"
#include "core/sky/model/rectangle_source.hpp"
#include "tests/unit/fits_files.hpp"

namespace reber {
namespace {

using testing_files::card;
using testing_files::data_blocks;
using testing_files::header;
using testing_files::joined;
using testing_files::save;
using testing_files::sky_cards;
using testing_files::TemporaryFolder;

std::vector<std::string> shape_cards(int bitpix, const std::vector<int>& axes) {
  std::vector<std::string> cards = {"SIMPLE  = T", "BITPIX  = " + std::to_string(bitpix),
                                    "NAXIS   = " + std::to_string(axes.size())};
  for (std::size_t i = 0; i < axes.size(); ++i)
    cards.push_back("NAXIS" + std::to_string(i + 1) + "  = " + std::to_string(axes[i]));
  return cards;
}

std::vector<float> ramp(std::size_t count) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<float>(i);
  return values;
}

/// A 3 x 2 image of floats with these further cards.
std::string small_image(const std::vector<std::string>& more) {
  return header(joined(shape_cards(-32, {3, 2}), more)) + data_blocks(ramp(6));
}

float float_at(const PixelSource& source, std::int64_t y, std::int64_t x) {
  std::vector<std::byte> row(static_cast<std::size_t>(source.shape().nx) * 4);
  source.read_rows(y, 1, row.data());
  unsigned char bytes[4];
  for (std::size_t i = 0; i < 4; ++i)
    bytes[3 - i] = static_cast<unsigned char>(row[static_cast<std::size_t>(4 * x) + i]);
  float value = 0;
  std::memcpy(&value, bytes, 4);
  return value;
}

class FitsReader : public testing::Test {
 protected:
  ImagePlane open(const std::string& bytes, const OpenOptions& options = {}) {
    save(folder_.file("image.fits"), bytes);
    return ImagePlane::open(folder_.file("image.fits"), options);
  }
  ImageHeader read(const std::string& bytes, const OpenOptions& options = {}) { return open(bytes, options).header(); }

  /// The message of the refusal.
  template <class Failure = DataError>
  std::string refusal(const std::string& bytes, const OpenOptions& options = {}) {
    try {
      const ImagePlane image = open(bytes, options);
      const auto source = image.pixels();
    } catch (const Failure& error) {
      return error.what();
    }
    return "(was read)";
  }
  TemporaryFolder folder_;
};

void expect_in(const std::string& message, const std::string& word) {
  EXPECT_NE(message.find(word), std::string::npos) << "'" << word << "' is not in: " << message;
}

TEST_F(FitsReader, PixelsLieWhereTheyShould) {
  const ImagePlane image = open(small_image({}));
  const auto source = image.pixels();
  EXPECT_EQ(source->shape(), (Shape{2, 3}));
  EXPECT_TRUE(source->format().big_endian);
  for (int y = 0; y < 2; ++y) {
    for (int x = 0; x < 3; ++x) EXPECT_EQ(float_at(*source, y, x), static_cast<float>(3 * y + x));
  }
}

TEST_F(FitsReader, EveryPlaneOfEveryAxisOrderIsGathered) {
  // Axes 2 x 3 x 4 with the sky on axes 1 and 3: x steps by one, y by six.
  std::vector<std::string> cards = shape_cards(-32, {2, 3, 4});
  for (std::string c : sky_cards()) {
    if (c[5] == '2') c[5] = '3';
    cards.push_back(c);
  }
  for (int plane = 0; plane < 3; ++plane) {
    OpenOptions options;
    options.plane = plane;
    const ImagePlane image = open(header(cards) + data_blocks(ramp(24)), options);
    EXPECT_EQ(image.header().x_axis, 0);
    EXPECT_EQ(image.header().y_axis, 2);
    EXPECT_EQ(image.header().planes, 3);
    const auto source = image.pixels();
    for (int y = 0; y < 4; ++y) {
      for (int x = 0; x < 2; ++x) EXPECT_EQ(float_at(*source, y, x), static_cast<float>(x + 2 * plane + 6 * y));
    }
  }
  // Sky on axes 2 and 3: x steps by two, and the rows are gathered pixel by pixel.
  cards = shape_cards(-32, {2, 3, 4});
  for (std::string c : sky_cards()) {
    if (c[5] == '1' || c[5] == '2') c[5] = static_cast<char>(c[5] + 1);
    cards.push_back(c);
  }
  OpenOptions options;
  options.plane = 1;
  const ImagePlane image = open(header(cards) + data_blocks(ramp(24)), options);
  const auto source = image.pixels();
  EXPECT_EQ(source->shape(), (Shape{4, 3}));
  for (int y = 0; y < 4; ++y) {
    for (int x = 0; x < 3; ++x) EXPECT_EQ(float_at(*source, y, x), static_cast<float>(1 + 2 * x + 6 * y));
  }
}

TEST_F(FitsReader, RectanglesAreTheirPartOfTheRows) {
  for (const bool gathered : {false, true}) {
    std::vector<std::string> cards = shape_cards(-32, {5, 6, 4});
    for (std::string c : sky_cards()) {
      if (gathered && (c[5] == '1' || c[5] == '2')) c[5] = static_cast<char>(c[5] + 1);
      cards.push_back(c);
    }
    OpenOptions options;
    options.plane = 2;
    const ImagePlane image = open(header(cards) + data_blocks(ramp(120)), options);
    const auto source = image.pixels();
    const auto* const rectangles = source->rectangle_source();
    ASSERT_NE(rectangles, nullptr);
    const Shape shape = source->shape();
    std::vector<std::byte> all(static_cast<std::size_t>(shape.count() * 4)), part(2 * 3 * 4);
    source->read_rows(0, shape.ny, all.data());
    rectangles->read_rectangle({1, 2, 2, 3}, part.data());
    for (std::int64_t y = 0; y < 2; ++y)
      EXPECT_EQ(0, std::memcmp(part.data() + y * 12, all.data() + ((1 + y) * shape.nx + 2) * 4, 12));
    EXPECT_THROW(rectangles->read_rectangle({0, shape.nx - 2, 1, 3}, part.data()), InternalError);
  }
}

TEST_F(FitsReader, TheSkyIsFoundByTheNamesOfAnySystem) {
  for (const char* names : {"RA---SIN DEC--SIN", "GLON-CAR GLAT-CAR", "ELON-TAN ELAT-TAN", "SLON-TAN SLAT-TAN"}) {
    std::vector<std::string> cards = shape_cards(-32, {2, 3, 4});
    for (std::string c : sky_cards()) {
      if (c.starts_with("CTYPE1")) c = "CTYPE1  = '" + std::string(names).substr(0, 8) + "'";
      if (c.starts_with("CTYPE2")) c = "CTYPE2  = '" + std::string(names).substr(9) + "'";
      if (c[5] == '1' || c[5] == '2') c[5] = static_cast<char>(c[5] + 1);
      cards.push_back(c);
    }
    OpenOptions options;
    options.plane = 0;
    const ImageHeader image = read(header(cards) + data_blocks(ramp(24)), options);
    EXPECT_EQ(image.x_axis, 1) << names;
    EXPECT_EQ(image.y_axis, 2) << names;
  }
}

TEST_F(FitsReader, ACubeNeedsAPlane) {
  const std::string cube = header(shape_cards(-32, {3, 2, 4})) + data_blocks(ramp(24));
  const std::string message = refusal<InputError>(cube);
  expect_in(message, "--plane");
  expect_in(message, "4 planes");
  OpenOptions options;
  options.plane = 4;
  expect_in(refusal<InputError>(cube, options), "plane 4");
  options.plane = 3;
  EXPECT_EQ(float_at(*open(cube, options).pixels(), 0, 0), 18.0f);
}

TEST_F(FitsReader, HdusAreListedAndChosen) {
  const std::string primary = header({"SIMPLE  = T", "BITPIX  = 8", "NAXIS   = 0", "EXTEND  = T"});
  const auto extension = [](const char* name, float first) {
    std::vector<float> values = ramp(6);
    for (float& v : values) v += first;
    return header({"XTENSION= 'IMAGE'", "BITPIX  = -32", "NAXIS   = 2", "NAXIS1  = 3", "NAXIS2  = 2", "PCOUNT  = 0",
                   "GCOUNT  = 1", std::string("EXTNAME = '") + name + "'"}) +
           data_blocks(values);
  };
  const std::string file = primary + extension("SCI", 10) + extension("ERR", 20);
  const ImagePlane first = open(file);
  EXPECT_EQ(first.header().hdu, 1);
  ASSERT_EQ(first.header().hdus.size(), 3U);
  EXPECT_EQ(first.header().hdus[2].name, "ERR");
  EXPECT_EQ(first.header().hdus[2].kind, "image");
  OpenOptions options;
  options.hdu = 2;
  EXPECT_EQ(float_at(*open(file, options).pixels(), 0, 0), 20.0f);
  options.hdu = 0;
  expect_in(refusal<InputError>(file, options), "HDU 0");
  options.hdu = 7;
  expect_in(refusal<InputError>(file, options), "HDU 7");
}

TEST_F(FitsReader, ALaterTruncatedHduIsOnlyAWarning) {
  const std::string second = header({"XTENSION= 'IMAGE'", "BITPIX  = -32", "NAXIS   = 2", "NAXIS1  = 300",
                                     "NAXIS2  = 200", "PCOUNT  = 0", "GCOUNT  = 1"});
  const ImageHeader found = read(small_image(sky_cards()) + second + data_blocks(ramp(6)));
  ASSERT_EQ(found.warnings.size(), 1U);
  expect_in(found.warnings[0], "truncated");
}

TEST_F(FitsReader, ScalingIsReadAndNonsenseRefused) {
  const PixelFormat format = open(small_image({"BSCALE  = 2.5D-1", "BZERO   = -1.0"})).pixels()->format();
  EXPECT_EQ(format.scale, 0.25);
  EXPECT_EQ(format.zero, -1.0);
  EXPECT_FALSE(format.blank.has_value());
  for (const char* bad : {"BSCALE  = 0.0", "BSCALE  = 'abc'", "BSCALE  = 1E999", "BSCALE  = NaN"})
    expect_in(refusal(small_image({bad})), "BSCALE");
  expect_in(refusal(small_image({"BZERO   = 1E999"})), "BZERO");
  const std::string integers =
      header(joined(shape_cards(16, {3, 2}), {"BLANK   = -7"})) + data_blocks(std::vector<std::int16_t>(6));
  EXPECT_EQ(open(integers).pixels()->format().blank, -7);
}

TEST_F(FitsReader, BeamsAreReadFromKeywordsHistoryAndThePrimary) {
  const auto beam = [&](const std::vector<std::string>& more) { return read(small_image(joined(sky_cards(), more))); };
  const ImageHeader plain = beam({"BMAJ    = 0.0125", "BMIN    = 0.01", "BPA     = 25.0"});
  ASSERT_TRUE(plain.beam.has_value());
  EXPECT_EQ(plain.beam->pa_deg, 25.0);
  EXPECT_TRUE(plain.warnings.empty());
  const ImageHeader no_angle = beam({"BMAJ    = 0.0125", "BMIN    = 0.01"});
  ASSERT_TRUE(no_angle.beam.has_value());
  EXPECT_EQ(no_angle.beam->pa_deg, 0.0);
  expect_in(no_angle.beam_note, "BPA");
  EXPECT_TRUE(no_angle.warnings.empty());
  const ImageHeader aips = beam({"HISTORY AIPS   CLEAN BMAJ=  1.0000E-02 BMIN=  5.0000E-03 BPA=  10.00",
                                 "HISTORY AIPS   CLEAN BMAJ=  1.2500E-02 BMIN=  8.3333E-03 BPA=  25.00"});
  ASSERT_TRUE(aips.beam.has_value());
  EXPECT_EQ(aips.beam->major_deg, 0.0125);
  EXPECT_EQ(aips.beam->pa_deg, 25.0);
  expect_in(aips.beam_note, "HISTORY");
}

TEST_F(FitsReader, BadBeamsAreNamedAndNotUsed) {
  const std::vector<std::vector<std::string>> bad = {{"BMAJ    = 0.0", "BMIN    = 0.0"},
                                                     {"BMAJ    = -0.01", "BMIN    = -0.01"},
                                                     {"BMAJ    = 0.01", "BMIN    = 0.02"},
                                                     {"BMAJ    = 'NaN'", "BMIN    = 0.01"},
                                                     {"BMAJ    = 0.01"},
                                                     {"BMAJ    = 12.0", "BMIN    = 10.0"}};
  for (const auto& cards : bad) {
    const ImageHeader found = read(small_image(joined(sky_cards(), cards)));
    EXPECT_FALSE(found.beam.has_value());
    ASSERT_EQ(found.warnings.size(), 1U);
    expect_in(found.warnings[0], "BMAJ");
    expect_in(found.beam_note, "BMAJ");
  }
  const ImageHeader missing = read(small_image(joined(sky_cards(), {"BUNIT   = 'JY/BEAM'"})));
  ASSERT_EQ(missing.warnings.size(), 1U);
  expect_in(missing.warnings[0], "BMAJ");
  const ImageHeader table = read(small_image(joined(sky_cards(), {"CASAMBM = T"})));
  ASSERT_EQ(table.warnings.size(), 1U);
  expect_in(table.warnings[0], "there is no table BEAMS");
}

TEST_F(FitsReader, DamagedHeadersNameTheKeyword) {
  const auto with = [](std::vector<std::string> cards) { return header(cards) + data_blocks(ramp(6)); };
  const std::pair<std::string, const char*> cases[] = {
      {"", "empty file"},
      {"x", "not a FITS file"},
      {std::string(2880, '\0'), "not a FITS file"},
      {with({"SIMPLE  = F", "BITPIX  = -32", "NAXIS   = 2", "NAXIS1  = 3", "NAXIS2  = 2"}), "SIMPLE=F"},
      {with(shape_cards(24, {3, 2})), "BITPIX"},
      {with({"SIMPLE  = T", "BITPIX  = -32", "NAXIS   = 2", "NAXIS1  = 3"}), "NAXIS2"},
      {with({"SIMPLE  = T", "BITPIX  = -32", "NAXIS   = 2", "NAXIS1  = 3.5", "NAXIS2  = 2"}), "NAXIS1"},
      {with({"SIMPLE  = T", "BITPIX  = -32", "NAXIS   = 2", "NAXIS1  = 3", "NAXIS1  = 4", "NAXIS2  = 2"}), "NAXIS1"},
      {with(shape_cards(-32, {3, 0})), "NAXIS2=0"},
      {with(shape_cards(-32, {3, 2, 1, 1, 1, 1, 1, 1, 1, 1})), "NAXIS=10"},
      {with(shape_cards(-32, {6})), "NAXIS=1"},
      {with(shape_cards(-32, {2000, 2000})), "truncated data (expected 16000000 bytes, found 2880)"},
      {header(shape_cards(-32, {3, 2})).substr(0, 400), "END"},
      {std::string("\x1f\x9d") + "x", ".Z"},
      {std::string("PK\x03\x04") + "x", "zip"}};
  for (const auto& [bytes, word] : cases) expect_in(refusal(bytes), word);
}

// Before any pixel is read, to the byte.
TEST_F(FitsReader, OpeningNoticesTheLastByteMissing) {
  const std::string whole = header(shape_cards(-32, {50, 50})) + data_blocks(ramp(2500));
  const std::size_t begin = header(shape_cards(-32, {50, 50})).size();
  save(folder_.file("cut.fits"), whole.substr(0, begin + 10000));
  EXPECT_NO_THROW((void)ImagePlane::open(folder_.file("cut.fits")));
  for (const std::size_t size : {9999, 9000, 7200, 7121, 7120})
    expect_in(refusal(whole.substr(0, begin + size)), fmt::format("expected 10000 bytes, found {}", size).c_str());
}

TEST_F(FitsReader, EveryTruncationIsRefusedOrWhole) {
  const std::string whole = small_image(sky_cards());
  const std::size_t pixels_end = whole.size() - 2880 + 24;
  for (std::size_t size = 0; size < whole.size(); size += 19) {
    save(folder_.file("cut.fits"), whole.substr(0, size));
    bool opened = true;
    try {
      const ImagePlane image = ImagePlane::open(folder_.file("cut.fits"));
      float_at(*image.pixels(), 1, 2);
    } catch (const DataError&) {
      opened = false;
    }
    EXPECT_EQ(opened, size >= pixels_end) << size;
  }
}

TEST_F(FitsReader, FilesOfOtherKindsAreRefusedWithTheSystemsWords) {
  EXPECT_EQ(::mkfifo(folder_.file("pipe").c_str(), 0600), 0);
  const std::pair<std::string, const char*> cases[] = {{folder_.path(), "it is a folder"},
                                                       {folder_.file("none.fits"), "No such file or directory"},
                                                       {folder_.file("pipe"), "pipe"},
                                                       {"/dev/zero", "device"}};
  for (const auto& [path, words] : cases) {
    try {
      ImagePlane::open(path);
      ADD_FAILURE() << path << " was opened";
    } catch (const DataError& error) {
      expect_in(error.what(), words);
    }
  }
}

std::string gzipped(const std::string& bytes) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

TEST_F(FitsReader, GzipIsCheckedAndBounded) {
  const std::string plain = small_image({});
  const std::string packed = gzipped(plain);
  EXPECT_EQ(float_at(*open(packed).pixels(), 1, 2), 5.0f);
  // Two members make one file; zero bytes behind are padding.
  EXPECT_EQ(
      float_at(*open(gzipped(plain.substr(0, 3000)) + gzipped(plain.substr(3000)) + std::string(512, '\0')).pixels(), 1,
               2),
      5.0f);
  for (std::size_t cut = 1; cut < packed.size() - 3; cut += 5)
    expect_in(refusal(packed.substr(0, packed.size() - cut)), "gzip");
  std::string wrong = packed;
  wrong[wrong.size() - 6] = static_cast<char>(wrong[wrong.size() - 6] ^ 1);
  expect_in(refusal(wrong), "gzip");
  OpenOptions options;
  options.max_inflated_bytes = 1 << 20;
  expect_in(refusal(gzipped(std::string(std::size_t{64} << 20, ' ')), options), "limit of 1048576 bytes");
}

TEST_F(FitsReader, NamesAreTakenLiterally) {
  for (const char* name :
       {"a[1:2,1:2].fits", "!a.fits", " lead.fits", "~nobody.fits", "mem:", "%s%n.fits", "a\nb.fits", "-", "@l"}) {
    save(folder_.file(name), small_image({}));
    EXPECT_EQ(ImagePlane::open(folder_.file(name)).header().shape, (Shape{2, 3})) << name;
  }
}

TEST_F(FitsReader, AFileThatChangesWhileItIsReadIsNotRead) {
  const ImagePlane image = open(small_image({}));
  const auto source = image.pixels();
  std::filesystem::resize_file(folder_.file("image.fits"), 2884);
  std::vector<std::byte> rows(24);
  EXPECT_THROW(source->read_rows(0, 2, rows.data()), DataError);
}

TEST_F(FitsReader, HeadersOfManyCardsAreQuick) {
  std::vector<std::string> cards = joined(shape_cards(-32, {3, 2}), sky_cards());
  for (int i = 0; i < 20000; ++i) cards.push_back("HISTORY line " + std::to_string(i));
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(read(header(cards) + data_blocks(ramp(6))).cards.size(), cards.size());
  EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), 1.0);
}

TEST(MemorySource, ReadsRowsInNativeOrder) {
  const std::vector<float> pixels = ramp(6);
  const auto source = memory_source(pixels.data(), {2, 3});
  std::vector<float> row(3);
  source->read_rows(1, 1, reinterpret_cast<std::byte*>(row.data()));
  EXPECT_EQ(row, (std::vector<float>{3, 4, 5}));
}

}  // namespace
}  // namespace reber
