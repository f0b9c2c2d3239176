// SPDX-License-Identifier: BSD-3-Clause
// gzip and bzip2 files into memory, bounded and checked.
#include "core/files/io/inflate.hpp"

#include <bzlib.h>
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <new>
#include <span>

#include "core/base/error.hpp"
#include "core/files/io/byte_source.hpp"
#include "core/files/io/gzip_stream.hpp"

namespace reber::fits {
namespace {

constexpr std::int64_t kInputBytes = std::int64_t{1} << 20;
constexpr std::size_t kOutputPiece = std::size_t{4} << 20;  ///< between two looks at the wish to stop
constexpr std::size_t kFirstOutputBytes = std::size_t{1} << 20;

[[noreturn]] void too_large(const std::string& name, const char* what, std::int64_t max_bytes) {
  throw DataError(fmt::format("'{}': its {} data inflate to more than the limit of {} bytes; unpack it first", name,
                              what, max_bytes));
}

/// Room for what the headers describe, where so many bytes are likely of a packed file; the system gives memory as it
/// is written to.
void make_room(std::vector<std::byte>& out, std::int64_t bound, std::int64_t packed) {
  constexpr std::int64_t kLikely = 16;
  const auto wanted = static_cast<std::size_t>(std::max<std::int64_t>(bound, 0));
  if (wanted <= out.capacity() || bound / kLikely > packed) return;
  try {
    out.reserve(wanted);
  } catch (const std::bad_alloc&) {  // it may be more than will come
  }
}

/// Output that grows up to the limit, so that memory follows the bytes that really come out: by pieces as far as there
/// is room, else to twice its size.
void grow(std::vector<std::byte>& out, std::size_t used, const std::string& name, const char* what,
          const InflateLimit& most, std::int64_t packed) {
  if (used < out.size()) return;
  const auto limit = static_cast<std::size_t>(std::max<std::int64_t>(most.bytes, 1));
  if (most.of_content) {
    const std::int64_t bound = most.of_content(std::span(out).first(used));
    if (static_cast<std::int64_t>(used) >= bound)
      throw DataError(fmt::format("'{}': its {} data inflate to more than the {} bytes that its headers describe", name,
                                  what, bound));
    if (used > 0) make_room(out, std::min(bound, most.bytes), packed);
  }
  if (out.size() >= limit) too_large(name, what, most.bytes);
  const std::size_t wanted = out.capacity() > out.size() ? std::min(out.capacity(), out.size() + kOutputPiece)
                                                         : std::max(kFirstOutputBytes, 2 * out.size());
  out.resize(std::min(limit, wanted));
}

/// Hands out the compressed file in pieces.
class Feed {
 public:
  explicit Feed(const ByteSource& file) : file_(file), piece_(static_cast<std::size_t>(kInputBytes)) {}
  /// Number of fresh bytes at data(), 0 at the end.
  unsigned next() {
    const std::int64_t count = std::min(kInputBytes, file_.size() - at_);
    if (count > 0) file_.read(at_, piece_.data(), count);
    at_ += count;
    return static_cast<unsigned>(count);
  }
  [[nodiscard]] char* data() { return piece_.data(); }
  [[nodiscard]] bool finished() const { return at_ >= file_.size(); }

 private:
  const ByteSource& file_;
  std::vector<char> piece_;
  std::int64_t at_ = 0;
};

}  // namespace

std::vector<std::byte> inflate_gzip(const ByteSource& file, const InflateLimit& most, const std::string& name,
                                    const Progress& progress) {
  GzipStream stream;
  Feed feed(file);
  std::span<const std::byte> in;
  std::vector<std::byte> out;
  std::size_t used = 0;
  const auto fill = [&] {
    if (in.empty() && !feed.finished()) {
      const unsigned fresh = feed.next();
      in = std::as_bytes(std::span(feed.data(), fresh));
    }
  };
  for (;;) {
    progress.check();
    fill();
    grow(out, used, name, "gzip", most, file.size());
    const std::span<std::byte> room = std::span(out).subspan(used, std::min(out.size() - used, kOutputPiece));
    const GzipStream::Step step = stream.inflate(in, room);
    used += step.written;
    in = in.subspan(step.read);
    if (step.status == GzipStream::Status::end) {
      fill();
      // Zero bytes pad gzip files on tapes; anything else must be a further member.
      if (in.empty() || in.front() != std::byte{0x1f}) break;
      stream.reset();
    } else if (step.status == GzipStream::Status::damaged) {
      throw DataError(fmt::format("'{}': the gzip data are damaged ({}); fetch the file again", name, stream.why()));
    } else if (in.empty() && feed.finished() && step.written < room.size()) {
      throw DataError(fmt::format("'{}': the gzip data are truncated; fetch the file again", name));
    }
  }
  out.resize(used);
  return out;
}

std::vector<std::byte> inflate_bzip2(const ByteSource& file, const InflateLimit& most, const std::string& name,
                                     const Progress& progress) {
  bz_stream stream{};
  const auto start = [&stream] {
    const int status = BZ2_bzDecompressInit(&stream, 0, 0);
    if (status == BZ_MEM_ERROR) throw std::bad_alloc();
    if (status != BZ_OK) throw InternalError("libbz2 cannot be started");
  };
  start();
  const std::unique_ptr<bz_stream, void (*)(bz_stream*)> guard(&stream, [](bz_stream* s) { BZ2_bzDecompressEnd(s); });
  Feed feed(file);
  std::vector<std::byte> out;
  std::size_t used = 0;
  for (;;) {
    progress.check();
    if (stream.avail_in == 0 && !feed.finished()) {
      stream.avail_in = feed.next();
      stream.next_in = feed.data();
    }
    grow(out, used, name, "bzip2", most, file.size());
    const std::size_t room = std::min(out.size() - used, kOutputPiece);
    stream.next_out = reinterpret_cast<char*>(out.data() + used);  // libbz2's byte type
    stream.avail_out = static_cast<unsigned>(room);
    const int status = BZ2_bzDecompress(&stream);
    used += room - stream.avail_out;
    if (status == BZ_STREAM_END) {
      if (stream.avail_in == 0 && feed.finished()) break;
      char* const rest = stream.next_in;
      const unsigned left = stream.avail_in;
      BZ2_bzDecompressEnd(&stream);
      stream = bz_stream{};
      start();
      stream.next_in = rest;
      stream.avail_in = left;
      continue;
    }
    if (status == BZ_MEM_ERROR) throw std::bad_alloc();
    if (status != BZ_OK) {
      throw DataError(fmt::format("'{}': the bzip2 data are damaged (code {}); fetch the file again", name, status));
    }
    if (stream.avail_in == 0 && feed.finished() && stream.avail_out > 0) {
      throw DataError(fmt::format("'{}': the bzip2 data are truncated; fetch the file again", name));
    }
  }
  out.resize(used);
  return out;
}

}  // namespace reber::fits
