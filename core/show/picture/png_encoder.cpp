// SPDX-License-Identifier: BSD-3-Clause
// One zlib stream made of pieces: each ends on a byte, and their checksums are joined.
#include "core/show/picture/png_encoder.hpp"

#include <zlib.h>

#ifdef REBER_ISAL
#include <isa-l/igzip_lib.h>
#endif

#include <algorithm>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/stream_sums.hpp"
#include "core/base/thread_pool.hpp"
#include "core/base/trace.hpp"

namespace reber {
namespace {

constexpr std::size_t kStripBytes = std::size_t{256} << 10;
constexpr std::size_t kWindow = std::size_t{32} << 10;  ///< how far back deflate can refer
constexpr std::uint32_t kNoAdler = 1;                   ///< Adler-32 of nothing
constexpr std::size_t kSlack = 64;                      ///< beyond the largest stream, for its end
constexpr std::size_t kHeads = 128;                     ///< more than all that is not deflated

void append_number(std::string& to, std::uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) to += static_cast<char>(value >> shift & 0xFF);
}

std::uint32_t crc_of(std::span<const char> bytes) {
  return crc32_of(0, {reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()});
}

/// A piece of a stream with the checksum of its bytes.
struct Piece {
  std::string bytes;
  std::uint32_t crc;
  explicit Piece(std::string its = {}) : bytes(std::move(its)), crc(crc_of(bytes)) {}
};

/// A chunk whose body is these pieces one after the other.
void append_chunk(std::string& to, const char* type, std::span<const Piece> body) {
  std::size_t size = 0;
  for (const Piece& piece : body) size += piece.bytes.size();
  append_number(to, static_cast<std::uint32_t>(size));
  to += type;
  uLong crc = crc_of({type, 4});
  for (const Piece& piece : body) {
    to += piece.bytes;
    crc = ::crc32_combine(crc, piece.crc, static_cast<z_off_t>(piece.bytes.size()));
  }
  append_number(to, static_cast<std::uint32_t>(crc));
}

#ifdef REBER_ISAL

/// What follows raw[0, before) as deflate blocks that end on a byte; the last strip ends the stream.
std::string deflated(std::span<const char> raw, std::size_t before, bool last) {
  // It reads what it is given, through pointers that are not to const.
  auto* const bytes = reinterpret_cast<std::uint8_t*>(const_cast<char*>(raw.data()));
  const auto room = std::make_unique_for_overwrite<std::uint8_t[]>(ISAL_DEF_LVL2_DEFAULT);
  const auto stream = std::make_unique<isal_zstream>();
  ::isal_deflate_init(stream.get());
  constexpr int kLevel = 2;
  stream->level = kLevel;
  stream->level_buf = room.get();
  stream->level_buf_size = ISAL_DEF_LVL2_DEFAULT;
  const std::size_t window = std::min(before, kWindow), count = raw.size() - before;
  if (window > 0) ::isal_deflate_set_dict(stream.get(), bytes + before - window, static_cast<std::uint32_t>(window));
  stream->end_of_stream = last ? 1 : 0;
  stream->flush = last ? NO_FLUSH : SYNC_FLUSH;
  std::string out;
  out.resize(::compressBound(static_cast<uLong>(count)) + kSlack);
  stream->next_in = bytes + before;
  stream->avail_in = static_cast<std::uint32_t>(count);
  stream->next_out = reinterpret_cast<std::uint8_t*>(out.data());
  stream->avail_out = static_cast<std::uint32_t>(out.size());
  const int status = ::isal_deflate(stream.get());
  if (status != COMP_OK || stream->avail_in != 0 || stream->avail_out == 0)
    throw InternalError("ISA-L cannot deflate a picture");
  out.resize(stream->total_out);
  return out;
}

#else

/// What follows raw[0, before) as deflate blocks that end on a byte; the last strip ends the stream.
std::string deflated(std::span<const char> raw, std::size_t before, bool last) {
  const auto* const bytes = reinterpret_cast<const Bytef*>(raw.data());
  z_stream stream{};
  constexpr int kLevel = 1;
  // The arguments are right: memory is all that can be missing.
  if (::deflateInit2(&stream, kLevel, Z_DEFLATED, -MAX_WBITS, 9, Z_DEFAULT_STRATEGY) != Z_OK) throw std::bad_alloc();
  const std::size_t window = std::min(before, kWindow), count = raw.size() - before;
  if (window > 0) ::deflateSetDictionary(&stream, bytes + before - window, static_cast<uInt>(window));
  std::string out;
  out.resize(::deflateBound(&stream, static_cast<uLong>(count)) + kSlack);
  stream.next_in = const_cast<Bytef*>(bytes + before);
  stream.avail_in = static_cast<uInt>(count);
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int status = ::deflate(&stream, last ? Z_FINISH : Z_SYNC_FLUSH);
  const bool whole = status == (last ? Z_STREAM_END : Z_OK) && stream.avail_in == 0;
  out.resize(stream.total_out);
  ::deflateEnd(&stream);
  if (!whole) throw InternalError("zlib cannot deflate a picture");
  return out;
}

#endif

/// The picture's rows as they are deflated, each behind its filter: none. Colours of a table repeat as they are,
/// differences of them do not.
struct Lines {
  const char* rgb;
  std::size_t bytes;  ///< of a row of the picture
  std::size_t count;

  [[nodiscard]] std::size_t length() const { return bytes + 1; }
  /// Lines [first, last) and, before them, as many as the window asks for.   returns the bytes of these
  std::size_t put(std::size_t first, std::size_t last, std::string& to) const {
    const std::size_t above = std::min(first, (kWindow + length() - 1) / length());
    to.clear();
    for (std::size_t y = first - above; y < last; ++y) {
      to += '\0';
      to.append(rgb + y * bytes, bytes);
    }
    return above * length();
  }
};

}  // namespace

std::string encode_png(const Rgb* rgb, int width, int height, const PngOptions& options) {
  const trace::Span span("host", "deflate the picture");
  if (width < 1 || height < 1) throw InternalError("encode_png: a picture needs pixels");
  const Lines lines{reinterpret_cast<const char*>(rgb), sizeof(Rgb) * static_cast<std::size_t>(width),
                    static_cast<std::size_t>(height)};
  const std::size_t rows = std::max<std::size_t>(1, kStripBytes / lines.length());
  const std::size_t count = (lines.count + rows - 1) / rows;
  // The stream's first bytes, its strips, and the checksum that it ends with.
  std::vector<Piece> body(count + 2);
  std::vector<std::uint32_t> sums(count);
  ThreadPool pool(options.threads);
  std::vector<std::string> room(static_cast<std::size_t>(pool.threads()));
  pool.for_each_worker(static_cast<std::int64_t>(count), [&](std::int64_t number, int worker) {
    options.progress.check();
    const auto i = static_cast<std::size_t>(number);
    const std::size_t first = i * rows, last = std::min(first + rows, lines.count);
    std::string& raw = room[static_cast<std::size_t>(worker)];
    const std::size_t before = lines.put(first, last, raw);
    body[i + 1] = Piece(deflated(raw, before, last == lines.count));
    sums[i] = adler32_of(kNoAdler, {reinterpret_cast<const unsigned char*>(raw.data()) + before, raw.size() - before});
  });

  std::string header;
  append_number(header, static_cast<std::uint32_t>(width));
  append_number(header, static_cast<std::uint32_t>(height));
  header += {8, 2, 0, 0, 0};  // eight bits, red green blue, deflate, filters by row, not interlaced
  body.front() = Piece("\x78\x01");
  uLong sum = kNoAdler;
  std::size_t size = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t its = std::min(rows, lines.count - i * rows) * lines.length();
    sum = ::adler32_combine(sum, sums[i], static_cast<z_off_t>(its));
    size += body[i + 1].bytes.size();
  }
  std::string end;
  append_number(end, static_cast<std::uint32_t>(sum));
  body.back() = Piece(std::move(end));
  std::string png = "\x89PNG\r\n\x1A\n";
  png.reserve(size + kHeads);
  const Piece head(std::move(header));
  append_chunk(png, "IHDR", {&head, 1});
  append_chunk(png, "IDAT", body);
  append_chunk(png, "IEND", {});
  return png;
}

}  // namespace reber
