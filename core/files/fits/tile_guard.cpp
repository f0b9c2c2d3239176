// SPDX-License-Identifier: BSD-3-Clause
// Checks of tile-compressed images (FITS standard 4.0, section 10) before CFITSIO decodes them.
#include "core/files/fits/tile_guard.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <exception>
#include <functional>
#include <limits>
#include <new>
#include <optional>

#include "core/base/error.hpp"
#include "core/base/thread_budget.hpp"
#include "core/base/thread_pool.hpp"
#include "core/files/fits/fits_guard.hpp"

namespace reber::fits {
namespace {

std::int64_t big_endian(const unsigned char* bytes, int count) {
  std::uint64_t value = 0;
  for (int i = 0; i < count; ++i) value = value << 8 | bytes[i];
  if (count == 4) return static_cast<std::int32_t>(static_cast<std::uint32_t>(value));
  return static_cast<std::int64_t>(value);
}

int element_size(char code) {
  switch (code) {
    case 'L':
    case 'A':
    case 'B':
      return 1;
    case 'I':
      return 2;
    case 'J':
    case 'E':
      return 4;
    case 'K':
    case 'D':
    case 'C':
      return 8;
    case 'M':
      return 16;
    default:
      return 0;
  }
}

/// One TFORMn: how many elements of which type, and whether they lie in the heap.
struct Form {
  std::int64_t repeat = 1, width = 0;  ///< bytes in a row
  char code = ' ', element = ' ';
  [[nodiscard]] bool descriptor() const { return code == 'P' || code == 'Q'; }
};

/// Empty where the form is not understood.
std::optional<Form> read_form(const std::string& text) {
  std::size_t at = 0;
  Form form;
  std::int64_t repeat = 0;
  while (at < text.size() && text[at] >= '0' && text[at] <= '9' && at < 9) repeat = 10 * repeat + (text[at++] - '0');
  if (at > 0) form.repeat = repeat;
  if (at >= text.size()) return std::nullopt;
  form.code = text[at];
  if (form.descriptor()) {
    if (at + 1 < text.size()) form.element = text[at + 1];
    form.width = form.code == 'Q' ? 16 : 8;
    return form.repeat == 1 && element_size(form.element) > 0 ? std::optional(form) : std::nullopt;
  }
  form.width = form.code == 'X' ? (form.repeat + 7) / 8 : form.repeat * element_size(form.code);
  return form.code == 'X' || element_size(form.code) > 0 ? std::optional(form) : std::nullopt;
}

/// throws DataError with the reason; read_tile_layout turns it into Hdu::problem
void read_columns(Hdu& hdu) {
  const CardTable& cards = hdu.cards;
  const std::int64_t fields = cards.integer("TFIELDS").value_or(-1);
  if (fields < 1 || fields > 999) throw DataError("TFIELDS is missing or lies outside [1, 999]");
  std::int64_t offset = 0;
  for (std::int64_t i = 1; i <= fields; ++i) {
    const std::string name = cards.string(fmt::format("TTYPE{}", i)).value_or("");
    const std::string text = cards.string(fmt::format("TFORM{}", i)).value_or("");
    const auto form = read_form(text);
    if (!form) throw DataError(fmt::format("TFORM{}='{}' is not understood", i, restrict_to_ascii(text)));
    if (form->descriptor())
      hdu.layout.columns.push_back({name, offset, form->code == 'Q', element_size(form->element), form->element});
    else
      hdu.layout.values.push_back({name, offset, form->repeat, form->code});
    offset += form->width;
  }
  if (offset != hdu.layout.row_bytes) {
    throw DataError(
        fmt::format("NAXIS1={} is not the width of the {} columns ({})", hdu.layout.row_bytes, fields, offset));
  }
  if (hdu.layout.columns.empty()) throw DataError("the table has no column of tiles (TFORMn)");
}

void read_sizes(Hdu& hdu) {
  const CardTable& cards = hdu.cards;
  const auto integer = [&](const std::string& keyword, std::int64_t low, std::int64_t high) {
    const auto value = cards.integer(keyword);
    if (!value || *value < low || *value > high) {
      throw DataError(fmt::format("{}={} is not an integer in [{}, {}]", keyword,
                                  cards.has(keyword) ? restrict_to_ascii(cards.raw(keyword)) : "(missing)", low, high));
    }
    return *value;
  };
  TileLayout& layout = hdu.layout;
  const std::int64_t bitpix = integer("ZBITPIX", -64, 64);
  if (bitpix != 8 && bitpix != 16 && bitpix != 32 && bitpix != 64 && bitpix != -32 && bitpix != -64) {
    throw DataError(fmt::format("ZBITPIX={} is none of 8, 16, 32, 64, -32, -64", bitpix));
  }
  const std::int64_t naxis = integer("ZNAXIS", 1, kMaxCompressedAxes);
  if (hdu.axes.size() != 2) throw DataError("NAXIS of a compressed image's table must be 2");
  layout.row_bytes = hdu.axes[0];
  const std::int64_t rows = hdu.axes[1];
  hdu.bitpix = static_cast<int>(bitpix);
  hdu.axes.clear();
  std::vector<std::int64_t> counts;
  for (std::int64_t i = 1; i <= naxis; ++i) {
    hdu.axes.push_back(integer(fmt::format("ZNAXIS{}", i), 1, INT64_MAX));
    const std::string keyword = fmt::format("ZTILE{}", i);
    // Without ZTILEn the tiles are single rows of the image.
    const std::int64_t standard = i == 1 ? hdu.axes.back() : 1;
    layout.tile.push_back(cards.has(keyword) ? integer(keyword, 1, INT64_MAX) : standard);
    layout.tile.back() = std::min(layout.tile.back(), hdu.axes.back());
    counts.push_back((hdu.axes.back() - 1) / layout.tile.back() + 1);
  }
  const auto pixels = product(hdu.axes);
  const auto tiles = product(counts);
  std::int64_t bytes = 0;
  if (!pixels || !tiles || __builtin_mul_overflow(*pixels, std::int64_t{8}, &bytes)) {
    throw DataError("ZNAXIS overflow: the product of the ZNAXISn does not fit 63 bits");
  }
  if (*tiles != rows) {
    throw DataError(fmt::format("ZNAXISn and ZTILEn make {} tiles, but the table has {} rows", *tiles, rows));
  }
  if (product(layout.tile).value_or(INT64_MAX) > INT32_MAX / 8) {
    throw DataError(
        fmt::format("ZTILEn: a tile holds more than {} pixels, which CFITSIO cannot decode", INT32_MAX / 8));
  }
  layout.tiles = *tiles;
}

}  // namespace

TileDescriptor descriptor_of(const unsigned char* row, const TileColumn& column) {
  const int width = column.wide ? 8 : 4;
  const std::int64_t count = big_endian(row + column.offset, width);
  const std::int64_t offset = big_endian(row + column.offset + width, width);
  std::int64_t bytes = 0;
  if (__builtin_mul_overflow(count, static_cast<std::int64_t>(column.element_bytes), &bytes)) bytes = INT64_MAX;
  return {offset, bytes};
}

namespace {

/// Calls body(tile, column, descriptor) for each column of the tiles of [first, last).
template <class Body>
void for_each_tile(const ByteSource& bytes, const Hdu& hdu, std::int64_t first, std::int64_t last, const Body& body) {
  const TileLayout& layout = hdu.layout;
  const std::int64_t rows_at_once =
      std::max<std::int64_t>(1, (std::int64_t{1} << 20) / std::max<std::int64_t>(1, layout.row_bytes));
  std::vector<unsigned char> rows;
  for (; first < last; first += rows_at_once) {
    const std::int64_t count = std::min(rows_at_once, last - first);
    rows.resize(static_cast<std::size_t>(count * layout.row_bytes));
    bytes.read(hdu.data_offset + first * layout.row_bytes, rows.data(), count * layout.row_bytes);
    for (std::int64_t i = 0; i < count; ++i) {
      for (const TileColumn& column : layout.columns) {
        body(first + i, column, descriptor_of(rows.data() + i * layout.row_bytes, column));
      }
    }
  }
}

/// Number of pixels of a tile; those at the far edges are smaller.
std::int64_t tile_pixels(const Hdu& hdu, std::int64_t tile) {
  std::int64_t pixels = 1;
  for (std::size_t i = 0; i < hdu.axes.size(); ++i) {
    const std::int64_t n = hdu.axes[i], side = hdu.layout.tile[i];
    const std::int64_t across = (n - 1) / side + 1;
    const std::int64_t at = tile % across;
    tile /= across;
    pixels *= std::min(side, n - at * side);
  }
  return pixels;
}

/// True where the stream ends inside its bytes and holds at most max_bytes.   goes_on: asked meanwhile
bool inflates(const std::vector<unsigned char>& stream, std::int64_t max_bytes, const std::function<bool()>& goes_on) {
  z_stream z{};
  std::vector<unsigned char> out(static_cast<std::size_t>(std::min<std::int64_t>(max_bytes + 1, 1 << 20)));
  if (const int started = inflateInit2(&z, 32 + MAX_WBITS); started != Z_OK) {
    if (started == Z_MEM_ERROR) throw std::bad_alloc();
    throw InternalError("zlib cannot be started");
  }
  z.next_in = const_cast<unsigned char*>(stream.data());  // zlib does not write there
  z.avail_in = static_cast<uInt>(stream.size());
  int status = Z_OK;
  std::int64_t made = 0;
  while (status == Z_OK && made <= max_bytes && goes_on()) {
    z.next_out = out.data();
    z.avail_out = static_cast<uInt>(out.size());
    status = inflate(&z, Z_NO_FLUSH);
    made += static_cast<std::int64_t>(out.size()) - z.avail_out;
  }
  inflateEnd(&z);
  if (status == Z_MEM_ERROR) throw std::bad_alloc();
  return status == Z_STREAM_END && made <= max_bytes;
}

/// The dimensions that an HCOMPRESS stream gives itself: magic 0xDD99, then two 32-bit integers.
void check_hcompress(const std::vector<unsigned char>& stream, std::int64_t pixels, const std::string& where) {
  if (stream.size() < 25 || stream[0] != 0xDD || stream[1] != 0x99) {
    throw DataError(where + "is not an HCOMPRESS stream");
  }
  const std::int64_t nx = big_endian(stream.data() + 2, 4), ny = big_endian(stream.data() + 6, 4);
  if (nx < 1 || ny < 1 || nx * ny != pixels) {
    throw DataError(
        fmt::format("{}the HCOMPRESS stream says {} x {}, the tile size is {} pixels", where, nx, ny, pixels));
  }
  for (std::size_t i = 22; i < 25; ++i) {
    // Bytes 22 to 24 are the numbers of bit planes.
    if (stream[i] > 62) throw DataError(where + "the HCOMPRESS stream has too many bit planes");
  }
}

}  // namespace

void read_tile_layout(Hdu& hdu) {
  TileLayout& layout = hdu.layout;
  try {
    const std::int64_t rows = hdu.axes.size() == 2 ? hdu.axes[1] : 0;
    layout.algorithm = hdu.cards.string("ZCMPTYPE").value_or("");
    const char* known[] = {"RICE_1", "RICE_ONE", "GZIP_1", "GZIP_2", "PLIO_1", "HCOMPRESS_1", "NOCOMPRESS"};
    if (std::find(std::begin(known), std::end(known), layout.algorithm) == std::end(known)) {
      throw DataError(fmt::format("ZCMPTYPE='{}' is not a known compression", restrict_to_ascii(layout.algorithm)));
    }
    read_sizes(hdu);
    read_columns(hdu);
    std::int64_t table = 0;
    if (__builtin_mul_overflow(layout.row_bytes, rows, &table)) throw DataError("NAXIS overflow in the tile table");
    const std::int64_t gap = hdu.cards.has("THEAP") ? hdu.cards.integer("THEAP").value_or(-1) - table : 0;
    const std::int64_t parameters = hdu.cards.integer("PCOUNT").value_or(0);
    if (gap < 0 || gap > parameters) throw DataError("THEAP lies outside the heap");
    layout.heap_offset = hdu.data_offset + table + gap;
    layout.heap_bytes = parameters - gap;
    if (hdu.axes.size() == 1) throw DataError("ZNAXIS=1 (2-D image wanted)");
  } catch (const DataError& error) {
    hdu.problem = error.what();
  }
}

void check_descriptors(const ByteSource& bytes, const Hdu& hdu, const std::string& name) {
  const std::int64_t heap = hdu.layout.heap_bytes;
  std::int64_t left = heap;
  for_each_tile(
      bytes, hdu, 0, hdu.layout.tiles, [&](std::int64_t tile, const TileColumn& column, const TileDescriptor& d) {
        if (d.bytes == 0) return;
        if (d.offset < 0 || d.bytes < 0 || d.offset > heap || d.bytes > heap - d.offset) {
          throw DataError(
              fmt::format("'{}', HDU {}, tile {}: its {} descriptor ({} bytes at {}) lies outside the heap of {} bytes",
                          name, hdu.index, tile + 1, restrict_to_ascii(column.name), d.bytes, d.offset, heap));
        }
        // Else a few bytes could be decoded again and again.
        left -= d.bytes;
        if (left < 0)
          throw DataError(fmt::format(
              "'{}', HDU {}: up to tile {} the descriptors name more bytes than the heap has ({}): tiles share them",
              name, hdu.index, tile + 1, heap));
      });
}

void check_streams(const ByteSource& bytes, const Hdu& hdu, const std::string& name) {
  constexpr std::int64_t kTilesAtOnce = 64;
  const std::string& algorithm = hdu.layout.algorithm;
  const bool gzip = algorithm == "GZIP_1" || algorithm == "GZIP_2";
  // Tiles are integers of at most 4 bytes, or numbers of the image's own size.
  const std::int64_t pixel_bytes = std::max(4, std::abs(hdu.bitpix) / 8);
  // By all threads, and yet the first damaged tile is the one that is named.
  std::atomic<std::int64_t> damaged{std::numeric_limits<std::int64_t>::max()};
  const auto tiles_are_checked = [&](std::int64_t first, std::int64_t last) {
    const std::function<bool()> goes_on = [&] { return first < damaged; };
    std::vector<unsigned char> stream;
    for_each_tile(bytes, hdu, first, last, [&](std::int64_t tile, const TileColumn& column, const TileDescriptor& d) {
      const bool main = column.name == "COMPRESSED_DATA";
      const bool is_gzip = column.name == "GZIP_COMPRESSED_DATA" || (main && gzip);
      if (d.bytes == 0 || !goes_on() || !(is_gzip || (main && algorithm == "HCOMPRESS_1"))) return;
      stream.resize(static_cast<std::size_t>(d.bytes));
      bytes.read(hdu.layout.heap_offset + d.offset, stream.data(), d.bytes);
      const std::string where = fmt::format("'{}', HDU {}, tile {}: ", name, hdu.index, tile + 1);
      const std::int64_t pixels = tile_pixels(hdu, tile);
      if (!is_gzip) {
        check_hcompress(stream, pixels, where);
      } else if (!inflates(stream, pixel_bytes * pixels, goes_on)) {
        throw DataError(where + "decompression fails: its GZIP stream is damaged or cut short");
      }
    });
  };
  const std::int64_t parts = (hdu.layout.tiles - 1) / kTilesAtOnce + 1;
  std::vector<std::exception_ptr> damage(static_cast<std::size_t>(parts));
  ThreadPool pool(static_cast<int>(std::min<std::int64_t>(parts, usable_threads())));
  pool.for_each(parts, [&](std::int64_t part) {
    try {
      tiles_are_checked(part * kTilesAtOnce, std::min((part + 1) * kTilesAtOnce, hdu.layout.tiles));
    } catch (const DataError&) {
      damage[static_cast<std::size_t>(part)] = std::current_exception();
      for (std::int64_t least = damaged; part * kTilesAtOnce < least;)
        if (damaged.compare_exchange_weak(least, part * kTilesAtOnce)) break;
    }
  });
  for (const std::exception_ptr& one : damage)
    if (one) std::rethrow_exception(one);
}

}  // namespace reber::fits
