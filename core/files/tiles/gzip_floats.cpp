// SPDX-License-Identifier: BSD-3-Clause
// One stream of gzip, inflated to where its numbers are wanted and turned there.
#include "core/files/tiles/gzip_floats.hpp"

#include <zlib.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <new>

namespace reber::fits {
namespace {

std::uint32_t turned(std::uint32_t word) { return __builtin_bswap32(word); }
std::uint64_t turned(std::uint64_t word) { return __builtin_bswap64(word); }

/// Whether the stream ends inside its bytes and fills `bytes` bytes of `out` exactly.
bool inflate_exactly(const unsigned char* stream, std::size_t size, void* out, std::size_t bytes) {
  constexpr int kOnlyGzip = 16;
  z_stream z{};
  if (inflateInit2(&z, kOnlyGzip + MAX_WBITS) != Z_OK) throw std::bad_alloc();
  z.next_in = const_cast<unsigned char*>(stream);  // zlib does not write there
  z.avail_in = static_cast<uInt>(size);
  z.next_out = static_cast<unsigned char*>(out);
  z.avail_out = static_cast<uInt>(bytes);
  const int status = inflate(&z, Z_FINISH);
  const bool whole = status == Z_STREAM_END && z.avail_out == 0;
  inflateEnd(&z);
  if (status == Z_MEM_ERROR) throw std::bad_alloc();
  return whole;
}

template <class Word, class Real>
bool inflate_as(const unsigned char* stream, std::size_t size, std::int64_t count, Real* out) {
  if (!inflate_exactly(stream, size, out, static_cast<std::size_t>(count) * sizeof(Real))) return false;
  for (std::int64_t i = 0; i < count; ++i) {
    Word word = 0;
    std::memcpy(&word, out + i, sizeof word);
    if constexpr (std::endian::native == std::endian::little) word = turned(word);
    const Real value = std::bit_cast<Real>(word);
    const Real flushed = std::isnormal(value) ? value : Real{0};
    out[i] = std::isfinite(value) ? flushed : std::numeric_limits<Real>::quiet_NaN();
  }
  return true;
}

}  // namespace

bool inflate_numbers(const unsigned char* stream, std::size_t size, std::int64_t count, float* out) {
  return inflate_as<std::uint32_t>(stream, size, count, out);
}
bool inflate_numbers(const unsigned char* stream, std::size_t size, std::int64_t count, double* out) {
  return inflate_as<std::uint64_t>(stream, size, count, out);
}

}  // namespace reber::fits
