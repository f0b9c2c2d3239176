// SPDX-License-Identifier: BSD-3-Clause
// One zlib stream made of pieces: each ends on a byte, and their checksums are joined.
#include "core/picture/png_encoder.hpp"

#include <zlib.h>

#ifdef REBER_ISAL
#include <isa-l/igzip_lib.h>
#endif

#include <algorithm>
#include <memory>
#include <new>
#include <span>
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

void append_number(std::string& to, std::uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) to += static_cast<char>(value >> shift & 0xFF);
}

void append_chunk(std::string& to, const char* type, const std::string& body) {
  append_number(to, static_cast<std::uint32_t>(body.size()));
  const std::size_t start = to.size();
  to += type;
  to += body;
  append_number(to, crc32_of(0, {reinterpret_cast<const unsigned char*>(to.data()) + start, to.size() - start}));
}

struct Strip {
  std::string deflated;
  std::uint32_t sum = 0;  ///< adler32 of what went in
};

#ifdef REBER_ISAL

/// raw[from, to) as deflate blocks that end on a byte; the last strip ends the stream.
std::string deflated(std::span<const char> raw, std::size_t from, std::size_t to) {
  // It reads what it is given, through pointers that are not to const.
  auto* const bytes = reinterpret_cast<std::uint8_t*>(const_cast<char*>(raw.data()));
  const auto room = std::make_unique_for_overwrite<std::uint8_t[]>(ISAL_DEF_LVL2_DEFAULT);
  const auto stream = std::make_unique<isal_zstream>();
  ::isal_deflate_init(stream.get());
  constexpr int kLevel = 2;
  stream->level = kLevel;
  stream->level_buf = room.get();
  stream->level_buf_size = ISAL_DEF_LVL2_DEFAULT;
  const std::size_t before = std::min(from, kWindow);
  if (before > 0) ::isal_deflate_set_dict(stream.get(), bytes + from - before, static_cast<std::uint32_t>(before));
  const bool last = to == raw.size();
  stream->end_of_stream = last ? 1 : 0;
  stream->flush = last ? NO_FLUSH : SYNC_FLUSH;
  std::string out;
  out.resize(::compressBound(static_cast<uLong>(to - from)) + kSlack);
  stream->next_in = bytes + from;
  stream->avail_in = static_cast<std::uint32_t>(to - from);
  stream->next_out = reinterpret_cast<std::uint8_t*>(out.data());
  stream->avail_out = static_cast<std::uint32_t>(out.size());
  const int status = ::isal_deflate(stream.get());
  if (status != COMP_OK || stream->avail_in != 0 || stream->avail_out == 0)
    throw InternalError("ISA-L cannot deflate a picture");
  out.resize(stream->total_out);
  return out;
}

#else

/// raw[from, to) as deflate blocks that end on a byte; the last strip ends the stream.
std::string deflated(std::span<const char> raw, std::size_t from, std::size_t to) {
  const auto* const bytes = reinterpret_cast<const Bytef*>(raw.data());
  z_stream stream{};
  constexpr int kLevel = 1;
  // The arguments are right: memory is all that can be missing.
  if (::deflateInit2(&stream, kLevel, Z_DEFLATED, -MAX_WBITS, 9, Z_DEFAULT_STRATEGY) != Z_OK) throw std::bad_alloc();
  const std::size_t before = std::min(from, kWindow);
  if (before > 0) ::deflateSetDictionary(&stream, bytes + from - before, static_cast<uInt>(before));
  std::string out;
  out.resize(::deflateBound(&stream, static_cast<uLong>(to - from)) + kSlack);
  stream.next_in = const_cast<Bytef*>(bytes + from);
  stream.avail_in = static_cast<uInt>(to - from);
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const bool last = to == raw.size();
  const int status = ::deflate(&stream, last ? Z_FINISH : Z_SYNC_FLUSH);
  const bool whole = status == (last ? Z_STREAM_END : Z_OK) && stream.avail_in == 0;
  out.resize(stream.total_out);
  ::deflateEnd(&stream);
  if (!whole) throw InternalError("zlib cannot deflate a picture");
  return out;
}

#endif

}  // namespace

std::string encode_png(const std::uint8_t* rgb, int width, int height, const PngOptions& options) {
  const trace::Span span("host", "deflate the picture");
  if (width < 1 || height < 1) throw InternalError("encode_png: a picture needs pixels");
  // Each row begins with its filter: none. Colours of a table repeat as they are, differences of them do not.
  const std::size_t bytes = 3 * static_cast<std::size_t>(width), line = bytes + 1;
  const std::size_t size = line * static_cast<std::size_t>(height);
  const auto room = std::make_unique_for_overwrite<char[]>(size);
  const std::span raw(room.get(), size);
  ThreadPool pool(options.threads);
  constexpr std::int64_t kRows = 64;  // of a thread's turn
  pool.for_each((height + kRows - 1) / kRows, [&](std::int64_t i) {
    const auto first = static_cast<std::size_t>(i * kRows);
    for (std::size_t y = first; y < std::min(first + kRows, static_cast<std::size_t>(height)); ++y) {
      raw[y * line] = '\0';
      std::copy_n(reinterpret_cast<const char*>(rgb) + y * bytes, bytes, raw.data() + y * line + 1);
    }
  });

  std::vector<Strip> strips((raw.size() + kStripBytes - 1) / kStripBytes);
  pool.for_each(static_cast<std::int64_t>(strips.size()), [&](std::int64_t i) {
    options.progress.check();
    const std::size_t from = static_cast<std::size_t>(i) * kStripBytes;
    const std::size_t to = std::min(raw.size(), from + kStripBytes);
    const std::span piece(reinterpret_cast<const unsigned char*>(raw.data()) + from, to - from);
    strips[static_cast<std::size_t>(i)] = {deflated(raw, from, to), adler32_of(kNoAdler, piece)};
  });

  std::string header;
  append_number(header, static_cast<std::uint32_t>(width));
  append_number(header, static_cast<std::uint32_t>(height));
  header += {8, 2, 0, 0, 0};  // eight bits, red green blue, deflate, filters by row, not interlaced
  std::string body = "\x78\x01";
  uLong sum = kNoAdler;
  for (std::size_t i = 0; i < strips.size(); ++i) {
    body += strips[i].deflated;
    const std::size_t length = std::min(kStripBytes, raw.size() - i * kStripBytes);
    sum = ::adler32_combine(sum, strips[i].sum, static_cast<z_off_t>(length));
  }
  append_number(body, static_cast<std::uint32_t>(sum));
  std::string png = "\x89PNG\r\n\x1A\n";
  append_chunk(png, "IHDR", header);
  append_chunk(png, "IDAT", body);
  append_chunk(png, "IEND", "");
  return png;
}

}  // namespace reber
