// SPDX-License-Identifier: BSD-3-Clause
// Files in Rice tiles, which a card decodes itself: the bits, counts and words of the backends that read rows.
#include "core/files/tiles/coded_tiles.hpp"

#include <fmt/format.h>

#include <memory>
#include <random>
#include <string>

#include "core/base/error.hpp"
#include "core/files/image/image_file.hpp"
#include "tests/support/rice_files.hpp"
#include "tests/support/testing.hpp"
#include "tests/unit/fits_files.hpp"

namespace reber::testing {
namespace {

using testing_files::TemporaryFolder;

/// The pixels keep their file open.
std::shared_ptr<const PixelSource> open(const std::string& path) {
  const auto image = std::make_shared<const ImagePlane>(ImagePlane::open(path));
  std::shared_ptr<const PixelSource> pixels = image->pixels();
  return {pixels.get(), [image, pixels](const PixelSource*) {}};
}

TilingPlan in_bands(std::int64_t rows, bool in_source) {
  TilingPlan tiling;
  tiling.resident = rows == 0;
  tiling.in_source = in_source;
  tiling.band_rows = rows;
  return tiling;
}

TEST(CodedTiles, planes_of_every_kind_have_the_bits_and_counts_of_rows) {
  const TemporaryFolder folder;
  const std::string path = folder.file("tiles.fits");
  std::mt19937 random(21);
  rice_files::for_each_case([&](const rice_files::Case& how) {
    std::remove(path.c_str());
    rice_files::write(path, how, rice_files::image_of(how, random));
    const auto source = open(path);
    const Shape shape = source->shape();
    const auto expected = backend("cpu").load(*source, in_bands(0, false));
    const Image pixels = store(backend("cpu"), *expected);
    const auto brightest = static_cast<float>(backend("cpu").statistics(*expected).max);
    for (const std::string& name : tested_backends())
      for (const auto& [band, left] : {std::pair{0, false}, {16, false}, {16, true}}) {
        SCOPED_TRACE(fmt::format("{}, band {}, left in the file {}", name, band, left));
        OpCounters cost;
        const Job job({}, &cost);
        const TilingPlan tiling = in_bands(band, left);
        const auto plane = left ? backend(name).stream(source, tiling, job) : backend(name).load(*source, tiling, job);
        EXPECT_TRUE(same_bits(store(backend(name), *plane), pixels));
        EXPECT_EQ(plane->blank(), expected->blank());
        EXPECT_EQ(plane->infinite(), expected->infinite());
        EXPECT_EQ(backend(name).statistics(*plane).max, brightest);
        // As many bytes as pixels have would be rows.
        if (name == "cuda" && band == 0 && source->coded_tiles() != nullptr) {
          EXPECT_GT(cost.bytes_up, 0);
          EXPECT_NE(cost.bytes_up, shape.count() * bytes_of(source->format().type));
        }
      }
  });
}

std::string refusal(Backend& tested, const PixelSource& source) {
  try {
    (void)tested.load(source, in_bands(0, false));
  } catch (const DataError& error) {
    return error.what();
  }
  return "none";
}

TEST(CodedTiles, a_damaged_tile_is_refused_in_the_words_of_rows) {
  const TemporaryFolder folder;
  const std::string path = folder.file("damaged.fits");
  std::mt19937 random(22);
  rice_files::Case how;
  how.bitpix = LONG_IMG;
  how.blanks = false;
  rice_files::write(path, how, rice_files::image_of(how, random));
  std::string bytes = testing_files::load(path);
  rice_files::halve_streams(bytes, {20, 60});
  testing_files::save(path, bytes);
  const auto source = open(path);
  for (const std::string& name : tested_backends()) {
    const std::string words = refusal(backend(name), *source);
    EXPECT_NE(words.find("HDU 1, tile 21: decompression fails: its RICE_1 stream"), std::string::npos)
        << name << ": " << words;
    EXPECT_EQ(words, refusal(backend("cpu"), *source)) << name;
  }
}

}  // namespace
}  // namespace reber::testing
