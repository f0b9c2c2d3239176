// SPDX-License-Identifier: BSD-3-Clause
// RICE_1 tiles decoded in this process: CFITSIO's bits for whatever CFITSIO wrote, and no trust in the bytes.
#include "core/files/fits/rice_tiles.hpp"

#include <fitsio.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/thread_budget.hpp"
#include "core/files/fits/fits_file.hpp"
#include "core/files/image/image_file.hpp"
#include "core/files/tiles/rice_decoder.hpp"
#include "tests/support/rice_files.hpp"
#include "tests/unit/fits_files.hpp"

extern "C" {  // of libcfitsio, in none of its installed headers
int fits_rdecomp(unsigned char* c, int clen, unsigned int* array, int nx, int nblock);
int fits_rdecomp_short(unsigned char* c, int clen, unsigned short* array, int nx, int nblock);
int fits_rdecomp_byte(unsigned char* c, int clen, unsigned char* array, int nx, int nblock);
}

namespace reber {
namespace {

using rice_files::Case;
using rice_files::encode;
using rice_files::image_of;
using rice_files::kNx;
using rice_files::kNy;
using rice_files::write;
using testing_files::load;
using testing_files::save;
using testing_files::TemporaryFolder;

int theirs(unsigned char* c, int size, std::vector<std::uint32_t>& out, int block) {
  return fits_rdecomp(c, size, out.data(), static_cast<int>(out.size()), block);
}
int theirs(unsigned char* c, int size, std::vector<std::uint16_t>& out, int block) {
  return fits_rdecomp_short(c, size, out.data(), static_cast<int>(out.size()), block);
}
int theirs(unsigned char* c, int size, std::vector<std::uint8_t>& out, int block) {
  return fits_rdecomp_byte(c, size, out.data(), static_cast<int>(out.size()), block);
}

/// Runs of pixels whose differences have few bits or many, and runs of equal ones.
template <class Pixel>
std::vector<Pixel> pixels_of(std::mt19937& random, std::size_t count) {
  std::vector<Pixel> values(count);
  auto at = static_cast<std::uint32_t>(random());
  unsigned bits = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (i % 40 == 0) bits = static_cast<unsigned>(random() % 34);
    if (bits > 0 && bits <= 32) at += static_cast<std::uint32_t>(random() >> (32 - bits)) - (1U << (bits - 1));
    values[i] = static_cast<Pixel>(at);
  }
  return values;
}

template <class Pixel>
void streams_agree() {
  std::mt19937 random(3);
  int damaged = 0, sound = 0;
  for (int round = 0; round < 400; ++round) {
    const int block = (const int[]){16, 32, 1, 7, 4000}[round % 5];
    std::vector<Pixel> values = pixels_of<Pixel>(random, 1 + random() % 1500);
    const std::vector<Pixel> original = values;
    // Behind the stream zeros must not be counted for ever, by CFITSIO's decoder neither: ones stand there.
    std::vector<unsigned char> stream(8 * values.size() + 100'000, 0xFF);
    const int size = encode(values, stream.data(), static_cast<int>(8 * values.size() + 64), block);
    ASSERT_GT(size, 0);
    std::vector<Pixel> found(values.size());
    const auto count = static_cast<std::int64_t>(values.size());
    ASSERT_TRUE(fits::rice_decode(stream.data(), static_cast<std::size_t>(size), block, count, found.data()));
    ASSERT_EQ(found, original);
    for (int change = 0; change < 40; ++change) {
      std::vector<unsigned char> other = stream;
      int length = size;
      if (change % 4 == 0)
        length = static_cast<int>(random() % static_cast<unsigned>(size + 1));
      else
        for (int k = 0; k < change % 4; ++k)
          other[random() % static_cast<unsigned>(size)] ^= static_cast<unsigned char>(1U << random() % 8);
      // A copy of exactly so many bytes and the padding, for the sanitizers.
      const std::vector<unsigned char> exact(other.begin(),
                                             other.begin() + length + static_cast<std::ptrdiff_t>(fits::kRicePadding));
      std::vector<Pixel> own(values.size()), cfitsio(values.size());
      const bool good = fits::rice_decode(exact.data(), static_cast<std::size_t>(length), block, count, own.data());
      const int status = theirs(other.data(), length, cfitsio, block);
      if (good) {
        ASSERT_EQ(status, 0);
        ASSERT_EQ(own, cfitsio);
      } else if (sizeof(Pixel) < 4) {
        ASSERT_NE(status, 0);  // of four bytes CFITSIO takes parameters that no encoder writes
      }
      ++(good ? sound : damaged);
    }
  }
  EXPECT_GT(damaged, 1000);
  EXPECT_GT(sound, 1000);
}

TEST(RiceTiles, StreamsOfAnyBlockGiveCfitsiosPixelsAndDamageIsSeenAsThere) {
  streams_agree<std::uint8_t>();
  streams_agree<std::uint16_t>();
  streams_agree<std::uint32_t>();
}

/// The pixels as CFITSIO reads them, blanks as NaN.
template <class Real>
std::vector<Real> read_by_cfitsio(const std::string& path, int type) {
  fitsfile* file = nullptr;
  int status = 0, any = 0;
  Real blank = std::numeric_limits<Real>::quiet_NaN();
  std::vector<Real> values(static_cast<std::size_t>(kNx * kNy));
  fits_open_file(&file, (path + "[1]").c_str(), READONLY, &status);
  fits_read_img(file, type, 1, kNx * kNy, &blank, values.data(), &any, &status);
  fits_close_file(file, &status);
  EXPECT_EQ(status, 0) << path;
  return values;
}

/// The stored rows, read in bands of so many.
std::vector<std::byte> rows_of(const PixelSource& source, std::int64_t band) {
  const Shape shape = source.shape();
  const std::int64_t row = shape.nx * bytes_of(source.format().type);
  std::vector<std::byte> raw(static_cast<std::size_t>(shape.ny * row));
  for (std::int64_t y = 0; y < shape.ny; y += band)
    source.read_rows(y, std::min(band, shape.ny - y), raw.data() + y * row);
  return raw;
}

std::unique_ptr<PixelSource> open_rice(const std::shared_ptr<const fits::FitsFile>& file) {
  auto source = file->pixels(0);
  // What CFITSIO decodes comes as doubles: the test would compare CFITSIO with itself.
  EXPECT_TRUE(file->stored() == Stored::coded_by_rows);
  return source;
}

void expect_cfitsios(const std::string& path, const Case& how) {
  const auto file = fits::FitsFile::open(path, {}, Planes::one);
  const auto source = open_rice(file);
  const auto raw = rows_of(*source, kNy);
  for (const std::int64_t band : {1, 5, 32}) EXPECT_EQ(rows_of(*source, band), raw) << path << band;
  // A plane of tiles that are decoded whole.
  const auto whole = file->decode(0, {});
  ASSERT_EQ(std::memcmp(whole->pixels->data(), raw.data(), raw.size()), 0) << path;
  if (how.bitpix == FLOAT_IMG) {
    const auto wanted = read_by_cfitsio<float>(path, TFLOAT);
    ASSERT_EQ(source->format().type, PixelType::f32);
    ASSERT_EQ(std::memcmp(wanted.data(), raw.data(), raw.size()), 0) << path;
    return;
  }
  const auto wanted = read_by_cfitsio<double>(path, TDOUBLE);
  if (how.bitpix == DOUBLE_IMG) {
    ASSERT_EQ(source->format().type, PixelType::f64);
    ASSERT_EQ(std::memcmp(wanted.data(), raw.data(), raw.size()), 0) << path;
    return;
  }
  EXPECT_LE(bytes_of(source->format().type), 4);
  const std::vector<double> found = decode_doubles(*source);
  for (std::size_t i = 0; i < wanted.size(); ++i)
    ASSERT_TRUE(found[i] == wanted[i] || (std::isnan(found[i]) && std::isnan(wanted[i])))
        << path << " " << i << ": " << found[i] << ", not " << wanted[i];
}

TEST(RiceTiles, ImagesOfEveryKindHaveCfitsiosBits) {
  const TemporaryFolder folder;
  std::mt19937 random(8);
  int number = 0;
  rice_files::for_each_case([&](const Case& how) {
    const std::string path = folder.file(fmt::format("r{}.fits", number++));
    write(path, how, image_of(how, random));
    expect_cfitsios(path, how);
  });
}

TEST(RiceTiles, ScalesOfTheImageComeOnTopOfThoseOfTiles) {
  const TemporaryFolder folder;
  std::mt19937 random(9);
  Case how;
  how.dither = SUBTRACTIVE_DITHER_1;
  const std::string path = folder.file("scaled.fits");
  write(path, how, image_of(how, random));
  fitsfile* file = nullptr;
  int status = 0;
  double scale = 2.25, zero = -7.5;
  fits_open_file(&file, (path + "[1]").c_str(), READWRITE, &status);
  fits_update_key(file, TDOUBLE, "BSCALE", &scale, nullptr, &status);
  fits_update_key(file, TDOUBLE, "BZERO", &zero, nullptr, &status);
  fits_close_file(file, &status);
  ASSERT_EQ(status, 0);
  expect_cfitsios(path, how);
}

TEST(RiceTiles, TheFirstDamagedTileIsNamedForAnyOrderOfReading) {
  const TemporaryFolder folder;
  std::mt19937 random(10);
  Case how;
  how.bitpix = LONG_IMG;
  how.blanks = false;
  const std::string path = folder.file("damaged.fits");
  write(path, how, image_of(how, random));
  std::string bytes = load(path);
  rice_files::halve_streams(bytes, {20, 60});
  save(path, bytes);
  const auto file = fits::FitsFile::open(path, {}, Planes::one);
  const auto source = open_rice(file);
  std::vector<std::byte> row(static_cast<std::size_t>(kNx * 4));
  source->read_rows(19, 1, row.data());
  for (const std::int64_t y : {20, 60}) {
    try {
      source->read_rows(y, 1, row.data());
      FAIL() << "damage not seen";
    } catch (const DataError& error) {
      EXPECT_NE(std::string(error.what()).find("HDU 1, tile 21: decompression fails: its RICE_1 stream"),
                std::string::npos)
          << error.what();
    }
  }
  EXPECT_THROW((void)file->decode(0, {}), DataError);
  EXPECT_THROW(source->read_rows(90, 8, row.data()), InternalError);
}

TEST(RiceTiles, WhatIsUnusualIsLeftToCfitsio) {
  const TemporaryFolder folder;
  std::mt19937 random(11);
  Case how;
  const std::string path = folder.file("usual.fits"), other = folder.file("unusual.fits");
  write(path, how, image_of(how, random));
  const std::string bytes = load(path);
  EXPECT_TRUE(fits::FitsFile::open(path, {}, Planes::one)->stored() == Stored::coded_by_rows);
  EXPECT_FALSE(ImagePlane::open(path).in_memory());
  for (const auto& [from, to] : {std::pair{"ZQUANTIZ= 'NO_DITHER'", "ZQUANTIZ= 'OTHER    '"},
                                 {"ZNAME1  = 'BLOCKSIZE'", "ZNAME1  = 'NOISEBIT '"},
                                 {"TFORM3  = '1D      '", "TFORM3  = '1K      '"}}) {
    std::string changed = bytes;
    const std::size_t at = changed.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    changed.replace(at, std::string(to).size(), to);
    save(other, changed);
    EXPECT_FALSE(fits::FitsFile::open(other, {}, Planes::one)->stored() == Stored::coded_by_rows) << to;
    EXPECT_TRUE(ImagePlane::open(other).in_memory()) << to;
  }
}

}  // namespace
}  // namespace reber
