// SPDX-License-Identifier: BSD-3-Clause
// Tiles are coded by all threads behind the back of who makes the rows, and appended to the heap in order.
#include "core/files/fits/tile_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <memory>
#include <utility>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/large_vectors.hpp"
#include "core/base/thread_budget.hpp"
#include "core/base/thread_pool.hpp"
#include "core/base/threads.hpp"
#include "core/base/trace.hpp"
#include "core/files/fits/output_cards.hpp"
#include "core/files/io/atomic_file.hpp"
#include "core/files/io/checksum.hpp"
#include "core/files/tiles/rice_encoder.hpp"
#include "core/files/tiles/tile_coder.hpp"
#include "core/sky/model/fits_cards.hpp"

namespace reber {
namespace {

using fits::TileCode;

constexpr std::int64_t kTileBytes = std::int64_t{256} << 10;    // enough for the codes of a block, few per image
constexpr std::int64_t kThreadBytes = std::int64_t{1} << 20;    // of a band: some tiles a thread
constexpr std::int64_t kMostBandBytes = std::int64_t{8} << 20;  // fresh pages cost more than waiting
constexpr std::size_t kPadding = 3;                             // bytes behind a tile that make its words whole
constexpr std::int64_t kImageCards = 5;  // SIMPLE, BITPIX, NAXIS, NAXIS1, NAXIS2: a table has its own

/// Where a tile lies in the heap.
struct Place {
  std::int64_t bytes = 0, offset = 0;
};

/// The size and the tiles of an image.
struct Tiling {
  Shape shape;
  std::int64_t rows;  ///< of a tile
  explicit Tiling(Shape image)
      : shape(image), rows(std::clamp<std::int64_t>(kTileBytes / (4 * image.nx), 1, image.ny)) {}
  [[nodiscard]] std::int64_t count() const { return (shape.ny + rows - 1) / rows; }
  /// Descriptors of 32 bits reach as far as CFITSIO's.
  [[nodiscard]] bool wide() const { return 4 * shape.count() > std::int64_t{1'900'000'000}; }
  [[nodiscard]] std::int64_t descriptor_bytes() const { return wide() ? 16 : 8; }
  [[nodiscard]] std::int64_t table_bytes() const { return count() * descriptor_bytes(); }
};

/// The header of the table; pcount, longest and data_sum are filled in when all tiles are there.
std::string table_cards(const Tiling& tiling, const std::string& image_cards, int bitpix, TileCode code,
                        std::int64_t pcount, std::int64_t longest, std::uint32_t data_sum) {
  std::string cards = fits::make_text_card("XTENSION", "BINTABLE", "binary table");
  const auto number = [&](const char* keyword, std::int64_t value, const char* comment) {
    cards += fits::make_card(keyword, value, comment);
  };
  number("BITPIX", 8, "");
  number("NAXIS", 2, "");
  number("NAXIS1", tiling.descriptor_bytes(), "bytes of a row");
  number("NAXIS2", tiling.count(), "tiles");
  number("PCOUNT", pcount, "bytes of the compressed tiles");
  number("GCOUNT", 1, "");
  number("TFIELDS", 1, "");
  cards += fits::make_text_card("TTYPE1", "COMPRESSED_DATA");
  cards += fits::make_text_card("TFORM1", fmt::format("1{}B({})", tiling.wide() ? 'Q' : 'P', longest));
  cards += fits::make_logical_card("ZIMAGE", true, "this is a tile-compressed image");
  cards += fits::make_logical_card("ZSIMPLE", true, "the image was a primary one");
  number("ZBITPIX", bitpix, "type of its pixels");
  number("ZNAXIS", 2, "");
  number("ZNAXIS1", tiling.shape.nx, "");
  number("ZNAXIS2", tiling.shape.ny, "");
  number("ZTILE1", tiling.shape.nx, "size of a tile");
  number("ZTILE2", tiling.rows, "");
  cards += fits::make_text_card("ZCMPTYPE", fits::name_of(code), "code of the tiles");
  if (code == TileCode::rice_1) {
    cards += fits::make_text_card("ZNAME1", "BLOCKSIZE");
    number("ZVAL1", fits::kRiceBlock, "pixels of a block");
    cards += fits::make_text_card("ZNAME2", "BYTEPIX");
    number("ZVAL2", 4, "bytes of a pixel");
  }
  if (bitpix < 0) cards += fits::make_text_card("ZQUANTIZ", "NONE", "without loss");
  cards += fits::make_text_card("ZDATASUM", std::to_string(data_sum), "checksum of the image's pixels");
  cards += fits::make_text_card("EXTNAME", "COMPRESSED_IMAGE");
  return cards + image_cards.substr(static_cast<std::size_t>(kImageCards) * fits::kCardBytes);
}

std::string primary_blocks() {
  std::string cards = fits::make_logical_card("SIMPLE", true, "conforms to the FITS standard");
  cards += fits::make_card("BITPIX", std::int64_t{8});
  cards += fits::make_card("NAXIS", std::int64_t{0}, "the image follows, compressed");
  cards += fits::make_logical_card("EXTEND", true);
  return fits::with_checksums(cards, {});
}

/// Codes bands of rows and appends their tiles: while one band is coded, the one before is written.
class Heap {
 public:
  Heap(AtomicFile& file, const Tiling& tiling, TileCode code, std::int64_t begin)
      : file_(file), tiling_(tiling), code_(code), begin_(begin) {
    places_.reserve(static_cast<std::size_t>(tiling.count()));
  }
  ~Heap() {
    if (written_.valid()) written_.wait();
  }
  Heap(const Heap&) = delete;
  Heap& operator=(const Heap&) = delete;

  /// words: whole tiles, but for the image's last one; read until it returns.
  void append(const char* words, std::int64_t rows);
  /// Waits for what is under way.   throws what writing threw
  void finish() {
    if (written_.valid()) written_.get();
  }

  // Once finished:
  [[nodiscard]] std::int64_t bytes() const { return end_; }
  [[nodiscard]] std::int64_t longest() const { return longest_; }
  [[nodiscard]] const std::vector<Place>& places() const { return places_; }
  [[nodiscard]] const fits::Checksum& sum() const { return sum_; }              ///< of the heap
  [[nodiscard]] const fits::Checksum& pixel_sum() const { return pixel_sum_; }  ///< of the uncompressed image

 private:
  struct Coded {
    std::int64_t length = 0, padded = 0;  ///< padded to whole words
    fits::Checksum sum, pixels;
  };
  /// The coded tiles of a band, and room for those of the next one.
  struct Band {
    LargeArray<char> bytes;
    std::size_t room = 0, room_of_tile = 0;
    std::vector<Coded> tiles;
    [[nodiscard]] char* at(std::size_t tile) const { return bytes.get() + tile * room_of_tile; }
  };
  void make_room(Band& band, std::int64_t tiles) const;
  void code_tile(const char* words, std::size_t count, int worker, Coded& tile, char* bytes);
  void write(const Band& band);

  AtomicFile& file_;
  const Tiling& tiling_;
  const TileCode code_;
  const std::int64_t begin_;  ///< of the heap in the file
  ThreadPool pool_;
  std::vector<std::unique_ptr<fits::TileCoder>> coders_{static_cast<std::size_t>(pool_.threads())};
  Band coded_, leaving_;
  std::future<void> written_;
  std::vector<Place> places_;
  std::int64_t end_ = 0, longest_ = 0;
  fits::Checksum sum_, pixel_sum_;
};

void Heap::make_room(Band& band, std::int64_t tiles) const {
  band.tiles.assign(static_cast<std::size_t>(tiles), {});
  band.room_of_tile = fits::TileCoder::bound(static_cast<std::size_t>(tiling_.rows * tiling_.shape.nx)) + kPadding;
  if (const std::size_t room = band.tiles.size() * band.room_of_tile; room > band.room) {
    // Labels leave most of the room untouched.
    band.bytes = make_large<char>(room, code_ == TileCode::rice_1 ? Pages::small : Pages::huge);
    band.room = room;
  }
}

void Heap::code_tile(const char* words, std::size_t count, int worker, Coded& tile, char* bytes) {
  auto& coder = coders_[static_cast<std::size_t>(worker)];
  if (!coder) coder = std::make_unique<fits::TileCoder>(code_);
  tile.pixels = {};
  tile.pixels.add_words(words, count);
  const std::size_t length = coder->encode(words, count, bytes), padded = (length + kPadding) / 4 * 4;
  std::fill(bytes + length, bytes + padded, '\0');
  tile.length = static_cast<std::int64_t>(length);
  tile.padded = static_cast<std::int64_t>(padded);
  tile.sum = {};
  tile.sum.add(bytes, padded);
}

void Heap::append(const char* words, std::int64_t rows) {
  const trace::Span span("host", "code tiles");
  const std::int64_t tiles = (rows + tiling_.rows - 1) / tiling_.rows, nx = tiling_.shape.nx;
  make_room(coded_, tiles);
  pool_.for_each_worker(tiles, [&](std::int64_t i, int worker) {
    const std::int64_t first = i * tiling_.rows, ny = std::min(tiling_.rows, rows - first);
    const auto k = static_cast<std::size_t>(i);
    code_tile(words + 4 * first * nx, static_cast<std::size_t>(ny * nx), worker, coded_.tiles[k], coded_.at(k));
  });
  finish();
  std::swap(coded_, leaving_);
  written_ = run_beside([this] { write(leaving_); });
}

void Heap::write(const Band& band) {
  const trace::Span span("write", "write tiles");
  const std::int64_t before = end_;
  for (std::size_t k = 0; k < band.tiles.size(); ++k) {
    const Coded& tile = band.tiles[k];
    file_.write_at(begin_ + end_, band.at(k), static_cast<std::size_t>(tile.padded));
    places_.push_back({tile.length, end_});
    end_ += tile.padded;
    longest_ = std::max(longest_, tile.length);
    sum_.add(tile.sum);
    pixel_sum_.add(tile.pixels);
  }
  file_.send(begin_ + before, end_ - before);
}

std::string descriptors(const Tiling& tiling, const std::vector<Place>& places) {
  std::string table;
  table.reserve(static_cast<std::size_t>(tiling.table_bytes()));
  const auto append = [&](std::int64_t value) {
    for (int shift = tiling.wide() ? 56 : 24; shift >= 0; shift -= 8)
      table += static_cast<char>(static_cast<std::uint64_t>(value) >> shift & 0xFFU);
  };
  for (const Place& place : places) {
    append(place.bytes);
    append(place.offset);
  }
  return table;
}

template <class Pixel, class Rows>
void write_plane(const std::string& path, Shape shape, const OutputHeader& header, const Rows& rows, int bitpix,
                 TileCode code, const FileOptions& how, const Progress& progress) {
  static_assert(sizeof(Pixel) == 4);
  if (shape.nx < 1 || shape.ny < 1) throw InternalError("write_tiles: an image needs pixels");
  if (header.more_axes != 0 || !header.places.empty())
    throw InternalError("write_tiles: an image of two axes was expected");
  AtomicFile file(path, how, header.like != nullptr ? header.like->path : std::string());
  const Tiling tiling(shape);
  const std::string image_cards = fits::output_cards(shape, bitpix, header), primary = primary_blocks();
  const auto cards = [&](std::int64_t pcount, std::int64_t longest, std::uint32_t sum) {
    return table_cards(tiling, image_cards, bitpix, code, pcount, longest, sum);
  };
  const auto table = static_cast<std::int64_t>(primary.size() + fits::header_blocks(cards(0, 0, 0), 0).size());
  Heap heap(file, tiling, code, table + tiling.table_bytes());

  const std::int64_t band_bytes = std::min(usable_threads() * kThreadBytes, kMostBandBytes);
  const std::int64_t band =
      std::min(std::max<std::int64_t>(band_bytes / (4 * shape.nx * tiling.rows), 1) * tiling.rows, shape.ny);
  const auto pixels = static_cast<std::size_t>(band * shape.nx);
  auto made = make_large<Pixel>(pixels), leaving = make_large<Pixel>(pixels);
  std::future<void> coded;  // behind the buffers: it is waited for before they go
  for (std::int64_t y = 0; y < shape.ny; y += band) {
    progress.report("writing", static_cast<double>(y) / static_cast<double>(shape.ny));
    const std::int64_t ny = std::min(band, shape.ny - y);
    rows(y, ny, made.get());
    if (coded.valid()) coded.get();
    made.swap(leaving);
    coded = run_beside([&heap, words = reinterpret_cast<const char*>(leaving.get()), ny] { heap.append(words, ny); });
  }
  coded.get();
  heap.finish();

  const std::string places = descriptors(tiling, heap.places());
  file.write_at(table, places.data(), places.size());
  fits::Checksum sum = heap.sum();
  sum.add(places.data(), places.size());
  const std::int64_t end = table + tiling.table_bytes() + heap.bytes();
  const std::int64_t data = end - table;
  const std::int64_t total = table + (data + fits::kBlockBytes - 1) / fits::kBlockBytes * fits::kBlockBytes;
  const std::vector<char> padding(static_cast<std::size_t>(total - end), 0);
  file.write_at(end, padding.data(), padding.size());
  const std::string blocks =
      primary + fits::header_blocks(cards(heap.bytes(), heap.longest(), heap.pixel_sum().sum()), sum.sum());
  file.write_at(0, blocks.data(), blocks.size());
  progress.check();
  file.commit(total);
  progress.report("writing", 1);
}

}  // namespace

bool asks_for_tiles(const std::string& path) { return path.ends_with(".fz"); }

void write_tiles(const std::string& path, Shape shape, const OutputHeader& header, const FloatRows& rows,
                 const FileOptions& how, const Progress& progress) {
  write_plane<float>(path, shape, header, rows, -32, TileCode::gzip_2, how, progress);
}

void write_tiles(const std::string& path, Shape shape, const OutputHeader& header, const IntRows& rows,
                 const FileOptions& how, const Progress& progress) {
  write_plane<std::int32_t>(path, shape, header, rows, 32, TileCode::rice_1, how, progress);
}

}  // namespace reber
