// SPDX-License-Identifier: BSD-3-Clause
// Tile-compressed outputs: the bits of the plain image, valid for CFITSIO, the same bytes each time.
#include "core/files/fits/tile_writer.hpp"

#include <fitsio.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/files/image/image_file.hpp"
#include "core/files/tiles/tile_coder.hpp"
#include "tests/unit/fits_files.hpp"

namespace reber {
namespace {

using testing_files::load;
using testing_files::TemporaryFolder;

/// Noise with a blank corner, a constant stripe and the floats that are none.
std::vector<float> hard_floats(Shape shape) {
  std::mt19937 random(7);
  std::normal_distribution<float> noise;
  std::vector<float> values(static_cast<std::size_t>(shape.count()));
  for (std::int64_t i = 0; i < shape.count(); ++i) {
    const std::int64_t y = i / shape.nx, x = i % shape.nx;
    float& value = values[static_cast<std::size_t>(i)];
    value = noise(random);
    if (y < shape.ny / 2 && x < shape.nx / 3) value = std::numeric_limits<float>::quiet_NaN();
    if (y == shape.ny - 1) value = 1.25f;
  }
  values.back() = -0.0f;
  values[values.size() / 2] = std::numeric_limits<float>::denorm_min();
  return values;
}

std::vector<std::int32_t> labels(Shape shape) {
  std::vector<std::int32_t> values(static_cast<std::size_t>(shape.count()), 0);
  for (std::size_t i = 0; i < values.size(); i += 97)
    for (std::size_t k = i; k < std::min(i + 9, values.size()); ++k) values[k] = static_cast<std::int32_t>(i + 70'000);
  return values;
}

template <class Pixel>
std::function<void(std::int64_t, std::int64_t, Pixel*)> rows_of(const std::vector<Pixel>& values, std::int64_t nx) {
  return [&values, nx](std::int64_t y0, std::int64_t ny, Pixel* out) {
    std::memcpy(out, values.data() + y0 * nx, static_cast<std::size_t>(ny * nx) * sizeof(Pixel));
  };
}

std::vector<float> read(const std::string& path) {
  const ImagePlane image = ImagePlane::open(path);
  const auto source = image.pixels();
  std::vector<std::byte> raw(static_cast<std::size_t>(source->shape().count() * bytes_of(source->format().type)));
  source->read_rows(0, source->shape().ny, raw.data());
  std::vector<float> out(static_cast<std::size_t>(source->shape().count()));
  decode_floats(raw.data(), source->shape().count(), source->format(), out.data());
  return out;
}

/// Integers as doubles, exactly: plain ones as they stand, decoded ones as CFITSIO gave them.
std::vector<double> read_integers(const std::string& path) {
  const ImagePlane image = ImagePlane::open(path);
  const auto source = image.pixels();
  const PixelFormat format = source->format();
  std::vector<std::byte> raw(static_cast<std::size_t>(source->shape().count() * bytes_of(format.type)));
  source->read_rows(0, source->shape().ny, raw.data());
  std::vector<double> out(static_cast<std::size_t>(source->shape().count()));
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (format.type == PixelType::f64) {
      std::memcpy(&out[i], raw.data() + 8 * i, 8);
      continue;
    }
    std::uint32_t word = 0;
    std::memcpy(&word, raw.data() + 4 * i, 4);
    out[i] = static_cast<std::int32_t>(format.big_endian ? __builtin_bswap32(word) : word);
  }
  return out;
}

TEST(TileWriter, CfitsioReadsTheBitsThatThePlainFileHas) {
  for (const Shape shape : {Shape{1, 1}, Shape{300, 1000}, Shape{7, 70'001}, Shape{4099, 3}}) {
    const TemporaryFolder folder;
    const auto floats = hard_floats(shape);
    const auto integers = labels(shape);
    OutputHeader header;
    header.unit = "Jy/beam";
    header.history = {"a line"};
    for (const char* name : {"f.fits", "f.fits.fz"})
      write_map(folder.file(name), shape, header, FloatRows(rows_of(floats, shape.nx)), false);
    for (const char* name : {"i.fits", "i.fits.fz"})
      write_map(folder.file(name), shape, header, IntRows(rows_of(integers, shape.nx)), false);
    for (const std::string name : {"f.fits", "i.fits"}) {
      const auto plain = read(folder.file(name)), tiled = read(folder.file(name + ".fz"));
      ASSERT_EQ(plain.size(), tiled.size()) << shape.nx << name;
      EXPECT_EQ(std::memcmp(plain.data(), tiled.data(), 4 * plain.size()), 0) << shape.nx << name;
      EXPECT_EQ(ImagePlane::open(folder.file(name + ".fz")).header().unit.text, "Jy/beam");
    }
    if (shape.count() > 100'000) {
      EXPECT_LT(load(folder.file("f.fits.fz")).size(), 0.87 * static_cast<double>(load(folder.file("f.fits")).size()));
      // A third of the blocks holds a label, each of another number.
      EXPECT_LT(load(folder.file("i.fits.fz")).size(), 0.25 * static_cast<double>(load(folder.file("i.fits")).size()));
    }
  }
}

TEST(TileWriter, IntegersOfAnySizeAreKept) {
  std::mt19937 random(11);
  const Shape shape{64, 1000};
  std::vector<std::int32_t> values(static_cast<std::size_t>(shape.count()));
  // Runs of blocks with differences of 1 to 32 bits: every parameter of the code is met.
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::int32_t>(random() >> (i / 61 % 33 % 32));
  values[5] = std::numeric_limits<std::int32_t>::min(), values[6] = std::numeric_limits<std::int32_t>::max();
  const TemporaryFolder folder;
  for (const char* name : {"i.fits", "i.fits.fz"})
    write_map(folder.file(name), shape, {}, IntRows(rows_of(values, shape.nx)), false);
  EXPECT_EQ(read_integers(folder.file("i.fits")), std::vector<double>(values.begin(), values.end()));
  EXPECT_EQ(read_integers(folder.file("i.fits.fz")), std::vector<double>(values.begin(), values.end()));
  EXPECT_LT(load(folder.file("i.fits.fz")).size(), 1.1 * static_cast<double>(load(folder.file("i.fits")).size()));
}

TEST(TileWriter, TilesWithoutALabelAreKept) {
  // 65 rows a tile, and 40 in the last; labels in no tile, at the end of one, in the last pixel of all.
  const Shape shape{300, 1000};
  for (const std::vector<std::size_t>& places : {std::vector<std::size_t>{}, {64'999}, {65'000, 299'999}, {0}}) {
    std::vector<std::int32_t> values(static_cast<std::size_t>(shape.count()), 0);
    for (const std::size_t place : places) values[place] = static_cast<std::int32_t>(place + 1);
    const TemporaryFolder folder;
    write_map(folder.file("i.fits.fz"), shape, {}, IntRows(rows_of(values, shape.nx)), false);
    EXPECT_EQ(read_integers(folder.file("i.fits.fz")), std::vector<double>(values.begin(), values.end()));
    fitsfile* file = nullptr;
    int status = 0, good = 0, good_header = 0;
    fits_open_file(&file, folder.file("i.fits.fz").c_str(), READONLY, &status);
    fits_movabs_hdu(file, 2, nullptr, &status);
    fits_verify_chksum(file, &good, &good_header, &status);
    EXPECT_TRUE(status == 0 && good == 1 && good_header == 1) << status << good << good_header;
    std::vector<int> pixels(values.size());
    long first[2] = {1, 1};
    fits_read_pix(file, TINT, first, static_cast<LONGLONG>(pixels.size()), nullptr, pixels.data(), nullptr, &status);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(pixels, std::vector<int>(values.begin(), values.end()));
    fits_close_file(file, &status);
  }
}

TEST(TileWriter, BothHdusHaveRightChecksums) {
  const TemporaryFolder folder;
  const Shape shape{300, 1000};
  const auto floats = hard_floats(shape);
  write_tiles(folder.file("f.fz"), shape, {}, FloatRows(rows_of(floats, shape.nx)), false);
  const std::string bytes = load(folder.file("f.fz"));
  ASSERT_EQ(bytes.size() % 2880, 0U);
  const auto sum = [&](std::size_t begin, std::size_t end) {
    std::uint64_t total = 0;
    for (std::size_t i = begin; i < end; i += 4) {
      std::uint32_t word = 0;
      for (std::size_t k = 0; k < 4; ++k) word = word << 8 | static_cast<unsigned char>(bytes[i + k]);
      total += word;
      total = (total & 0xFFFFFFFFU) + (total >> 32);
    }
    return static_cast<std::uint32_t>(total);
  };
  EXPECT_EQ(sum(0, 2880), 0xFFFFFFFFU);
  EXPECT_EQ(sum(2880, bytes.size()), 0xFFFFFFFFU);
}

TEST(TileWriter, ATilesBytesDoNotDependOnTheTilesBefore) {
  const Shape shape{64, 1024};
  const auto floats = hard_floats(shape);
  const auto integers = labels(shape);
  const auto encoded = [&](fits::TileCoder& coder, const auto& words) {
    std::string out(fits::TileCoder::bound(words.size()), '\0');
    out.resize(coder.encode(reinterpret_cast<const char*>(words.data()), words.size(), out.data()));
    return out;
  };
  for (const fits::TileCode code : {fits::TileCode::rice_1, fits::TileCode::gzip_2}) {
    fits::TileCoder coder(code), fresh(code);
    const std::string first = encoded(coder, integers);
    const std::string noise = encoded(coder, floats);
    EXPECT_EQ(encoded(coder, integers), first) << fits::name_of(code);
    EXPECT_EQ(encoded(fresh, floats), noise) << fits::name_of(code);
  }
}

TEST(TileWriter, LeavesNothingWhereItFails) {
  const TemporaryFolder folder;
  const auto fails = FloatRows([](std::int64_t, std::int64_t, float*) { throw DataError("no rows"); });
  EXPECT_THROW(write_tiles(folder.file("f.fz"), {100, 100}, {}, fails, false), DataError);
  EXPECT_EQ(folder.entries(), 0);
}

}  // namespace
}  // namespace reber
