// SPDX-License-Identifier: BSD-3-Clause
// By ISA-L where it is there, several times as fast as zlib.
#include "core/files/io/gzip_stream.hpp"

#include <algorithm>
#include <new>

#include "core/base/error.hpp"

#ifdef REBER_ISAL
#include <isa-l/igzip_lib.h>
#else
#include <zlib.h>
#endif

namespace reber::fits {
namespace {

constexpr std::size_t kMostAtOnce = std::size_t{1} << 30;  ///< both libraries count with 32 bits

}  // namespace

#ifdef REBER_ISAL

struct GzipStream::State {
  inflate_state stream{};
  int status = ISAL_DECOMP_OK;
};

GzipStream::GzipStream() : state_(std::make_unique<State>()) { reset(); }
GzipStream::~GzipStream() = default;

void GzipStream::reset() {
  isal_inflate_init(&state_->stream);
  state_->stream.crc_flag = ISAL_GZIP;
}

GzipStream::Step GzipStream::inflate(std::span<const std::byte> in, std::span<std::byte> out) {
  inflate_state& stream = state_->stream;
  // ISA-L does not write to its input.
  stream.next_in = const_cast<std::uint8_t*>(reinterpret_cast<const std::uint8_t*>(in.data()));
  stream.avail_in = static_cast<std::uint32_t>(std::min(in.size(), kMostAtOnce));
  stream.next_out = reinterpret_cast<std::uint8_t*>(out.data());
  stream.avail_out = static_cast<std::uint32_t>(std::min(out.size(), kMostAtOnce));
  const std::uint32_t had = stream.avail_in, room = stream.avail_out;
  state_->status = isal_inflate(&stream);
  Step step{had - stream.avail_in, room - stream.avail_out, Status::more};
  if (state_->status < 0) step.status = Status::damaged;
  if (state_->status == ISAL_DECOMP_OK && stream.block_state == ISAL_BLOCK_FINISH) step.status = Status::end;
  return step;
}

std::string GzipStream::why() const {
  switch (state_->status) {
    case ISAL_INVALID_WRAPPER:
      return "incorrect header check";
    case ISAL_INCORRECT_CHECKSUM:
      return "incorrect data check";
    case ISAL_INVALID_LOOKBACK:
      return "invalid distance too far back";
    default:
      return "invalid block";
  }
}

#else

struct GzipStream::State {
  z_stream stream{};
  ~State() { inflateEnd(&stream); }
};

GzipStream::GzipStream() : state_(std::make_unique<State>()) {
  // 16: a gzip wrapper is required; zlib then checks its CRC and length.
  if (const int status = inflateInit2(&state_->stream, 16 + MAX_WBITS); status != Z_OK) {
    if (status == Z_MEM_ERROR) throw std::bad_alloc();
    throw InternalError("zlib cannot be started");
  }
}
GzipStream::~GzipStream() = default;

void GzipStream::reset() { inflateReset(&state_->stream); }

GzipStream::Step GzipStream::inflate(std::span<const std::byte> in, std::span<std::byte> out) {
  z_stream& stream = state_->stream;
  // zlib does not write to its input.
  stream.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(in.data()));
  stream.avail_in = static_cast<uInt>(std::min(in.size(), kMostAtOnce));
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(std::min(out.size(), kMostAtOnce));
  const uInt had = stream.avail_in, room = stream.avail_out;
  const int status = ::inflate(&stream, Z_NO_FLUSH);
  if (status == Z_MEM_ERROR) throw std::bad_alloc();
  Step step{had - stream.avail_in, room - stream.avail_out, Status::more};
  if (status == Z_STREAM_END)
    step.status = Status::end;
  else if (status != Z_OK && status != Z_BUF_ERROR)
    step.status = Status::damaged;
  return step;
}

std::string GzipStream::why() const { return state_->stream.msg != nullptr ? state_->stream.msg : "unknown error"; }

#endif

}  // namespace reber::fits
