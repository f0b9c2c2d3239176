// SPDX-License-Identifier: BSD-3-Clause
// Compressed planes decoded by several children: the same pixels for any number, and the first damaged tile is named.
#include "core/files/fits/tile_decode.hpp"

#include <fitsio.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/thread_budget.hpp"
#include "core/files/fits/tile_writer.hpp"
#include "core/files/image/image_file.hpp"
#include "tests/unit/fits_files.hpp"

namespace reber {
namespace {

using testing_files::load;
using testing_files::save;
using testing_files::TemporaryFolder;

/// Larger than two children's least share, with rows that no number of children divides.
constexpr Shape kShape{1511, 1700};

std::vector<float> noise(std::int64_t count) {
  std::mt19937 random(5);
  std::normal_distribution<float> one;
  std::vector<float> values(static_cast<std::size_t>(count));
  for (float& value : values) value = one(random);
  return values;
}

FloatRows rows_of(const std::vector<float>& values) {
  return FloatRows([&values](std::int64_t y0, std::int64_t ny, float* out) {
    std::memcpy(out, values.data() + y0 * kShape.nx, static_cast<std::size_t>(ny * kShape.nx) * 4);
  });
}

/// The plane's bytes as decoded by that many children.
std::vector<std::byte> decoded(const std::string& path, int children, const OpenOptions& options = {}) {
  const ThreadBudget budget(children);
  const ImagePlane image = ImagePlane::open(path, options);
  const auto source = image.pixels();
  std::vector<std::byte> raw(static_cast<std::size_t>(source->shape().count() * bytes_of(source->format().type)));
  source->read_rows(0, source->shape().ny, raw.data());
  return raw;
}

TEST(TileDecode, ChildrenSideBySideGiveThePixelsOfOne) {
  const TemporaryFolder folder;
  const std::string path = folder.file("f.fits.fz");
  const std::vector<float> values = noise(kShape.count());
  write_tiles(path, kShape, {}, rows_of(values), false);
  for (const int children : {1, 2, 3, 64}) {
    const auto raw = decoded(path, children);
    ASSERT_EQ(raw.size(), 4 * values.size());
    EXPECT_EQ(std::memcmp(raw.data(), values.data(), raw.size()), 0) << children;
  }
}

/// A cube of 2 x 40 x kShape by CFITSIO, in tiles of 700 x 97 x 1 pixels: children begin at a tile's first row.
TEST(TileDecode, TilesHigherThanARowAndPlanesOfACube) {
  const TemporaryFolder folder;
  const std::string path = folder.file("cube.fits");
  std::vector<float> values = noise(2 * kShape.count());
  for (float& value : values) value = std::nearbyint(100 * value);
  fitsfile* file = nullptr;
  int status = 0;
  long axes[3] = {kShape.nx, kShape.ny, 2}, tile[3] = {700, 97, 1};
  fits_create_file(&file, path.c_str(), &status);
  fits_set_compression_type(file, GZIP_1, &status);
  fits_set_tile_dim(file, 3, tile, &status);
  fits_create_img(file, LONG_IMG, 3, axes, &status);
  fits_write_img(file, TFLOAT, 1, static_cast<LONGLONG>(values.size()), values.data(), &status);
  fits_close_file(file, &status);
  ASSERT_EQ(status, 0);
  OpenOptions options;
  options.plane = 1;
  const auto one = decoded(path, 1, options);
  ASSERT_EQ(one.size(), static_cast<std::size_t>(8 * kShape.count()));
  for (std::int64_t i = 0; i < kShape.count(); ++i) {
    double pixel = 0;
    std::memcpy(&pixel, one.data() + 8 * i, 8);
    ASSERT_EQ(pixel, values[static_cast<std::size_t>(kShape.count() + i)]) << i;
  }
  for (const int children : {2, 5, 64}) EXPECT_EQ(decoded(path, children, options), one) << children;
}

TEST(TileDecode, TheFirstDamagedTileIsNamedForAnyNumberOfThreads) {
  const TemporaryFolder folder;
  const std::string path = folder.file("f.fits.fz");
  const std::vector<float> values = noise(kShape.count());
  write_tiles(path, kShape, {}, rows_of(values), false);
  std::string bytes = load(path);
  // The heap is most of the file: its last third holds other tiles than its middle.
  for (const double part : {0.5, 0.9})
    for (std::size_t i = 0; i < 64; ++i)
      bytes[static_cast<std::size_t>(part * static_cast<double>(bytes.size())) + i] ^= 0x55;
  save(path, bytes);
  std::vector<std::string> said;
  for (const int threads : {1, 2, 7}) {
    try {
      (void)decoded(path, threads);
      FAIL() << "damage not seen";
    } catch (const DataError& error) {
      said.emplace_back(error.what());
    }
  }
  EXPECT_NE(said.front().find("GZIP stream is damaged"), std::string::npos) << said.front();
  EXPECT_EQ(std::ranges::count(said, said.front()), 3);
}

/// One small stream for many tiles would be inflated for each of them.
TEST(TileDecode, TilesThatShareTheirBytesAreRefusedBeforeTheyAreDecoded) {
  const TemporaryFolder folder;
  const std::string path = folder.file("shared.fits");
  // The first tile's stream is the longest.
  std::vector<int> pixels(std::size_t{40} * 1000);
  for (std::size_t i = 0; i < 10'000; ++i) pixels[i] = static_cast<int>(i * i * 7919 % 65'521);
  fitsfile* file = nullptr;
  int status = 0;
  long axes[2] = {1000, 40}, tile[2] = {1000, 10};
  fits_create_file(&file, path.c_str(), &status);
  fits_set_compression_type(file, GZIP_1, &status);
  fits_set_tile_dim(file, 2, tile, &status);
  fits_create_img(file, LONG_IMG, 2, axes, &status);
  fits_write_img(file, TINT, 1, static_cast<LONGLONG>(pixels.size()), pixels.data(), &status);
  fits_close_file(file, &status);
  ASSERT_EQ(status, 0);
  EXPECT_EQ(decoded(path, 1).size(), 8 * pixels.size());
  std::string bytes = load(path);
  const std::size_t table = (bytes.find("END   ", bytes.find("XTENSION")) / 2880 + 1) * 2880;
  constexpr std::size_t kDescriptor = 8;
  for (std::size_t row = 1; row < 4; ++row)
    bytes.replace(table + row * kDescriptor, kDescriptor, bytes, table, kDescriptor);
  save(path, bytes);
  try {
    (void)decoded(path, 1);
    FAIL() << "not refused";
  } catch (const DataError& error) {
    EXPECT_NE(std::string(error.what()).find("tiles share them"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace reber
