// SPDX-License-Identifier: BSD-3-Clause
// What a card does with Rice tiles, done by a loop: the pixels, counts and refusals of the host's own decoder.
#include "kernels/shared/rice_warp.hpp"

#include <fitsio.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <random>
#include <vector>

#include "core/files/fits/file_sums.hpp"
#include "core/files/fits/fits_file.hpp"
#include "core/files/image/image_file.hpp"
#include "core/files/tiles/rice_decoder.hpp"
#include "kernels/shared/coded_upload.hpp"
#include "tests/support/rice_files.hpp"
#include "tests/unit/fits_files.hpp"

namespace reber::rice {
namespace {

using fits::CodedPlane;
using fits::CodedTiles;
using rice_files::encode;
using testing_files::TemporaryFolder;

struct Outcome {
  std::vector<float> pixels;
  Seen seen;
  std::vector<bool> damaged;  ///< of each tile
};

/// The work of one block of the kernel after the other.   batch: without out and pitch
template <class Pixel, Kind kind>
Outcome by_loop(Batch batch) {
  constexpr std::int64_t kGap = 3;  // pixels behind each row
  constexpr float kUntouched = -12345;
  batch.pitch = batch.nx + kGap;
  std::vector<float> rows(static_cast<std::size_t>(batch.ny * batch.pitch), kUntouched);
  batch.out = rows.data();
  Outcome outcome;
  const auto memory = std::make_unique<WarpMemory>();
  for (std::int64_t first = 0; first < batch.count; first += kLanes) {
    std::vector<Lane<Pixel>> lanes;
    for (int lane = 0; lane < kLanes; ++lane) lanes.emplace_back(batch, *memory, first + lane, lane);
    while (std::ranges::any_of(lanes, &Lane<Pixel>::left)) {
      for (int lane = 0; lane < kLanes; ++lane) lanes[static_cast<std::size_t>(lane)].decode(batch, *memory, lane);
      for (int of = 0; of < kLanes; ++of)
        for (int k = 0; k < kTogether; ++k) store<Pixel, kind>(batch, *memory, of, k, outcome.seen);
    }
    for (const Lane<Pixel>& lane : lanes) outcome.damaged.push_back(lane.damaged());
  }
  for (std::int64_t y = 0; y < batch.ny; ++y) {
    const float* const row = rows.data() + y * batch.pitch;
    outcome.pixels.insert(outcome.pixels.end(), row, row + batch.nx);
    for (std::int64_t x = batch.nx; x < batch.pitch; ++x) EXPECT_EQ(row[x], kUntouched) << y << " " << x;
  }
  return outcome;
}

Outcome by_loop(const Batch& batch, Kind kind, int pixel_bytes) {
  if (kind == Kind::floats) return by_loop<std::uint32_t, Kind::floats>(batch);
  if (kind == Kind::doubles) return by_loop<std::uint32_t, Kind::doubles>(batch);
  if (pixel_bytes == 1) return by_loop<std::uint8_t, Kind::integers>(batch);
  if (pixel_bytes == 2) return by_loop<std::uint16_t, Kind::integers>(batch);
  return by_loop<std::uint32_t, Kind::integers>(batch);
}

/// Memory that is aligned as a card's is.
class Streams {
 public:
  explicit Streams(std::int64_t bytes) : words_(static_cast<std::size_t>((bytes + 15) / 16)) {}
  [[nodiscard]] std::byte* data() { return reinterpret_cast<std::byte*>(words_.data()); }

 private:
  std::vector<FourWords> words_;
};

/// The whole way of a plane to a card, but for the bus.
Outcome by_upload(const PixelSource& pixels) {
  const CodedTiles& source = *pixels.coded_tiles();
  const CodedUpload upload(pixels, source, *source.coded());
  EXPECT_TRUE(upload.usual());
  EXPECT_TRUE(upload.worth_it(64));
  Streams streams(upload.bytes());
  upload.fill_pieces(0, upload.pieces(), streams.data());
  upload.fill_plain(0, upload.plain_count(), streams.data() + upload.plain_at());
  const std::vector<Tile> tiles = upload.tiles();
  Batch batch = upload.batch();
  batch.streams = streams.data();
  batch.tiles = tiles.data();
  batch.randoms = fits::dither_randoms().data();
  return by_loop(batch, upload.kind(), upload.pixel_bytes());
}

/// What the host's rows give a card.
Outcome by_rows(const PixelSource& source) {
  const Shape shape = source.shape();
  const PixelFormat format = source.format();
  std::vector<std::byte> raw(static_cast<std::size_t>(shape.count() * bytes_of(format.type)));
  source.read_rows(0, shape.ny, raw.data());
  Outcome outcome;
  for (const double value : decode_doubles(source)) {
    outcome.pixels.push_back(rules::decode(value, 1, 0));
    outcome.seen.blank += std::isfinite(outcome.pixels.back()) ? 0 : 1;
    outcome.seen.largest = std::fmax(outcome.seen.largest, std::fabs(outcome.pixels.back()));
  }
  const auto infinite = [&](auto value) {
    for (std::size_t i = 0; i < outcome.pixels.size(); ++i) {
      std::memcpy(&value, raw.data() + i * sizeof value, sizeof value);
      outcome.seen.infinite += std::isinf(value) ? 1 : 0;
    }
  };
  if (format.type == PixelType::f32) infinite(0.0f);
  if (format.type == PixelType::f64) infinite(0.0);
  return outcome;
}

void expect_same(const Outcome& got, const Outcome& expected) {
  ASSERT_EQ(got.pixels.size(), expected.pixels.size());
  EXPECT_EQ(std::memcmp(got.pixels.data(), expected.pixels.data(), 4 * expected.pixels.size()), 0);
  EXPECT_EQ(got.seen.blank, expected.seen.blank);
  EXPECT_EQ(got.seen.infinite, expected.seen.infinite);
  EXPECT_EQ(got.seen.largest, expected.seen.largest);
  EXPECT_EQ(std::ranges::count(got.damaged, true), 0);
}

TEST(RiceWarp, ImagesOfEveryKindHaveTheBitsOfTheHostsRows) {
  const TemporaryFolder folder;
  std::mt19937 random(8);
  const std::string path = folder.file("r.fits");
  rice_files::for_each_case([&](const rice_files::Case& how) {
    std::remove(path.c_str());
    rice_files::write(path, how, rice_files::image_of(how, random));
    const auto file = fits::FitsFile::open(path, {}, Planes::one);
    const auto source = file->pixels(0);
    if (source->coded_tiles() == nullptr) FAIL() << "not of coded tiles";
    expect_same(by_upload(*source), by_rows(*source));
  });
}

/// A stream that a file might hold: sound, with bits changed, cut short, or nothing but zeros or noise.
template <class Pixel>
std::vector<unsigned char> stream_of(std::mt19937& random, std::size_t count, int block) {
  std::vector<Pixel> values(count);
  auto at = static_cast<std::uint32_t>(random());
  unsigned bits = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (i % 40 == 0) bits = static_cast<unsigned>(random() % 34);
    if (bits > 0 && bits <= 32) at += static_cast<std::uint32_t>(random() >> (32 - bits)) - (1U << (bits - 1));
    values[i] = static_cast<Pixel>(at);
  }
  std::vector<unsigned char> stream(8 * count + 100);
  stream.resize(static_cast<std::size_t>(encode(values, stream.data(), static_cast<int>(stream.size()), block)));
  switch (random() % 6) {
    case 0:
      stream.resize(1 + random() % stream.size());
      break;
    case 1:
      for (int k = 0; k < 3; ++k) stream[random() % stream.size()] ^= static_cast<unsigned char>(1U << random() % 8);
      break;
    case 2:
      std::ranges::fill(stream, static_cast<unsigned char>(random() % 3 == 0 ? 0 : random()));
      break;
    case 3:  // a long run of zeros inside
      for (std::size_t i = stream.size() / 2; i < std::min(stream.size(), stream.size() / 2 + 40); ++i) stream[i] = 0;
      break;
    default:
      break;
  }
  return stream;
}

/// Tiles of one row each behind each other, at any byte, and what the host's decoder says of each.
template <class Pixel>
void expect_hosts_verdicts(std::mt19937& random, int block, std::int64_t nx) {
  constexpr std::int64_t kTiles = 45;
  std::vector<std::vector<unsigned char>> streams;
  std::vector<Tile> tiles;
  std::int64_t bytes = 0;
  for (std::int64_t i = 0; i < kTiles; ++i) {
    streams.push_back(stream_of<Pixel>(random, static_cast<std::size_t>(nx), block));
    Tile tile;
    tile.offset = bytes + random() % 20;
    tile.bytes = static_cast<std::int32_t>(streams.back().size());
    tiles.push_back(tile);
    bytes = tile.offset + tile.bytes;
  }
  Streams memory(bytes + kPadding);
  std::memset(memory.data(), static_cast<int>(random() % 256), static_cast<std::size_t>(bytes + kPadding));
  for (std::size_t i = 0; i < streams.size(); ++i)
    std::memcpy(memory.data() + tiles[i].offset, streams[i].data(), streams[i].size());
  Batch batch;
  batch.streams = memory.data();
  batch.tiles = tiles.data();
  batch.count = batch.ny = kTiles;
  batch.tile_nx = batch.nx = nx;
  batch.block = block;
  const Outcome outcome = by_loop<Pixel, Kind::integers>(batch);
  for (std::size_t i = 0; i < streams.size(); ++i) {
    const std::size_t size = streams[i].size();
    streams[i].resize(size + fits::kRicePadding);
    std::vector<Pixel> wanted(static_cast<std::size_t>(nx));
    const bool sound = fits::rice_decode(streams[i].data(), size, block, nx, wanted.data());
    ASSERT_EQ(outcome.damaged[i], !sound) << i;
    for (std::size_t x = 0; sound && x < wanted.size(); ++x) {
      const double stored = sizeof(Pixel) == 1   ? static_cast<double>(wanted[x])
                            : sizeof(Pixel) == 2 ? static_cast<std::int16_t>(wanted[x])
                                                 : static_cast<std::int32_t>(wanted[x]);
      ASSERT_EQ(outcome.pixels[i * wanted.size() + x], static_cast<float>(stored)) << i << " " << x;
    }
  }
}

TEST(RiceWarp, StreamsAreRefusedWhereTheHostRefusesThem) {
  std::mt19937 random(5);
  for (const int block : {32, 16, 1, 7, 4000})
    for (const std::int64_t nx : {1, 31, 32, 33, 700, 2500}) {
      SCOPED_TRACE(testing::Message() << "block " << block << ", " << nx << " pixels");
      expect_hosts_verdicts<std::uint8_t>(random, block, nx);
      expect_hosts_verdicts<std::uint16_t>(random, block, nx);
      expect_hosts_verdicts<std::uint32_t>(random, block, nx);
      if (HasFatalFailure()) return;
    }
}

/// Two tiles side by side, of which the host decodes the second.
template <class Real>
class OtherCode final : public PixelSource, public CodedTiles {
 public:
  [[nodiscard]] Shape shape() const override { return {2, 7}; }
  [[nodiscard]] PixelFormat format() const override {
    return {sizeof(Real) == 4 ? PixelType::f32 : PixelType::f64, false, 1, 0, {}};
  }
  void read_rows(std::int64_t y0, std::int64_t ny, std::byte* out) const override {
    for (std::int64_t y = y0; y < y0 + ny; ++y) {
      std::array<Real, 7> row{};
      for (std::size_t x = 4; x < 7; ++x) row[x] = kStored[static_cast<std::size_t>(y) * 3 + x - 4];
      std::memcpy(out + (y - y0) * static_cast<std::int64_t>(sizeof row), row.data(), sizeof row);
    }
  }
  [[nodiscard]] const CodedTiles* coded_tiles() const override { return this; }
  [[nodiscard]] std::optional<CodedPlane> coded() const override {
    CodedPlane plane;
    plane.tile = {2, 4};
    plane.quantised = true;
    plane.dither = fits::Dither::subtractive_2;
    plane.stream_bytes = 5;
    plane.tiles = {{0, 5, true, 0.0, 0.0, {}}, {0, 0, false, 1, 0, {}}};
    return plane;
  }
  void read_streams(std::int64_t offset, std::int64_t count, std::byte* out) const override {
    ASSERT_EQ(offset, 0);
    std::memset(out, 0, static_cast<std::size_t>(count));  // the first pixel is 0, and a block of equal ones follows
  }
  void read_tile(std::int64_t index, std::byte* out) const override {
    ASSERT_EQ(index, 1);
    std::memcpy(out, kStored.data(), sizeof kStored);
  }

 private:
  static constexpr Real kHuge = std::numeric_limits<Real>::max(), kInfinity = std::numeric_limits<Real>::infinity();
  static constexpr std::array<Real, 6> kStored{Real{-0.0}, kInfinity, Real{1.5},
                                               -kInfinity, kHuge,     std::numeric_limits<Real>::quiet_NaN()};
};

TEST(RiceWarp, TilesOfOtherCodesKeepWhatIsInfinite) {
  const OtherCode<float> floats;
  expect_same(by_upload(floats), by_rows(floats));
  const OtherCode<double> doubles;
  expect_same(by_upload(doubles), by_rows(doubles));
  EXPECT_EQ(by_upload(doubles).seen.infinite, 2U);
  EXPECT_EQ(by_upload(doubles).seen.blank, 4U);  // and what is no float
}

TEST(RiceWarp, OddStreamsAndLongTilesAreLeftToTheHost) {
  const OtherCode<float> source;
  CodedPlane plane = *source.coded();
  plane.tiles[0].bytes = 4096 + 8 * plane.tile.count() + 1;
  EXPECT_FALSE(CodedUpload(source, source, plane).usual());
  plane = *source.coded();
  plane.tile = {1, 1 << 15};
  EXPECT_TRUE(CodedUpload(source, source, plane).worth_it(1));
  plane.tile.nx += 1;
  EXPECT_FALSE(CodedUpload(source, source, plane).worth_it(1));
}

TEST(RiceWarp, TilesAreOfferedWhereTheFileStatesSums) {
  const TemporaryFolder folder;
  std::mt19937 random(9);
  const rice_files::Case how;
  const std::string path = folder.file("sums.fits");
  rice_files::write(path, how, rice_files::image_of(how, random));
  fitsfile* file = nullptr;
  int status = 0;
  fits_open_file(&file, (path + "[1]").c_str(), READWRITE, &status);
  fits_write_chksum(file, &status);
  fits_close_file(file, &status);
  ASSERT_EQ(status, 0);
  const ImagePlane image = ImagePlane::open(path);
  const auto pixels = image.pixels();
  EXPECT_NE(pixels->coded_tiles(), nullptr);
  const auto sums = image.sums();
  ASSERT_NE(sums, nullptr);
  EXPECT_EQ(sums->watch(*pixels), nullptr);
  EXPECT_EQ(sums->verdict({}), "");
}

}  // namespace
}  // namespace reber::rice
