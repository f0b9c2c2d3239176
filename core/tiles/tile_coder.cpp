// SPDX-License-Identifier: BSD-3-Clause
// Bytes that no code shortens are stored: the mantissas of noise, three quarters of a map of floats, cost a copy.
#include "core/tiles/tile_coder.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <new>
#include <span>
#include <vector>

#include "core/base/error.hpp"
#include "core/tiles/rice_encoder.hpp"

namespace reber::fits {
namespace {

constexpr std::size_t kWord = 4;
/// A gzip stream as short as deflate makes it: what surrounds the data, and the end of stored blocks.
constexpr std::size_t kFrame = 64;

/// Bits per byte that an ideal code of single bytes needs, from a sample.
double entropy_of(std::span<const unsigned char> bytes) {
  constexpr std::size_t kSample = 4096;
  std::array<std::uint32_t, 256> counts{};
  const std::size_t step = std::max<std::size_t>(bytes.size() / kSample, 1);
  std::uint32_t total = 0;
  for (std::size_t i = 0; i < bytes.size(); i += step, ++total) ++counts[bytes[i]];
  double bits = 0;
  for (const std::uint32_t count : counts)
    if (count > 0) bits += count * std::log2(static_cast<double>(total) / count);
  return bits / std::max<std::uint32_t>(total, 1);
}

/// words[i] to planes[i], planes[count + i] ..: byte by byte, the highest first.
void part_bytes(const char* words, std::size_t count, unsigned char* planes) {
  unsigned char *first = planes, *second = planes + count, *third = planes + 2 * count, *fourth = planes + 3 * count;
#pragma GCC ivdep
  for (std::size_t i = 0; i < count; ++i) {
    std::uint32_t word = 0;
    std::memcpy(&word, words + kWord * i, kWord);
    first[i] = static_cast<unsigned char>(word >> 24);
    second[i] = static_cast<unsigned char>(word >> 16);
    third[i] = static_cast<unsigned char>(word >> 8);
    fourth[i] = static_cast<unsigned char>(word);
  }
}

}  // namespace

const char* name_of(TileCode code) { return code == TileCode::rice_1 ? "RICE_1" : "GZIP_2"; }

/// zlib's, for GZIP_2.
struct TileCoder::State {
  State() {
    constexpr int kGzip = 16;  // a gzip stream in place of zlib's own
    if (deflateInit2(&stream, 1, Z_DEFLATED, MAX_WBITS + kGzip, MAX_MEM_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK)
      throw std::bad_alloc();
  }
  ~State() { deflateEnd(&stream); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  void add(std::span<const unsigned char> bytes, bool last) {
    stream.next_in = const_cast<unsigned char*>(bytes.data());  // zlib does not write there
    stream.avail_in = static_cast<uInt>(bytes.size());
    const int status = deflate(&stream, last ? Z_FINISH : Z_NO_FLUSH);
    if (status != (last ? Z_STREAM_END : Z_OK) || stream.avail_in != 0)
      throw InternalError("deflate did not take a tile");
  }

  /// How the bytes that follow are coded: stored, or by a code of single bytes and of runs. A search for longer
  /// repetitions takes five times as long and finds none in exponents.
  void choose(std::span<const unsigned char> bytes) {
    constexpr double kRandom = 7.5;
    if (deflateParams(&stream, entropy_of(bytes) > kRandom ? 0 : 1, Z_RLE) != Z_OK)
      throw InternalError("deflate did not change its level");
  }

  z_stream stream{};
  std::vector<unsigned char> planes;
};

TileCoder::TileCoder(TileCode code) : state_(code == TileCode::gzip_2 ? std::make_unique<State>() : nullptr) {}
TileCoder::~TileCoder() = default;

std::size_t TileCoder::bound(std::size_t count) {
  const std::size_t bytes = kWord * count;
  return std::max(rice_bound(count), compressBound(static_cast<uLong>(bytes)) + bytes / 100 + kFrame);
}

std::size_t TileCoder::encode(const char* words, std::size_t count, char* out) {
  if (!state_) return rice_encode(words, count, out);
  State& s = *state_;
  if (deflateReset(&s.stream) != Z_OK) throw InternalError("deflate was not reset");
  s.stream.next_out = reinterpret_cast<unsigned char*>(out);
  s.stream.avail_out = static_cast<uInt>(bound(count));
  s.planes.resize(kWord * count);
  part_bytes(words, count, s.planes.data());
  for (std::size_t k = 0; k < kWord; ++k) {
    const std::span plane(s.planes.data() + k * count, count);
    s.choose(plane);
    s.add(plane, k + 1 == kWord);
  }
  return s.stream.total_out;
}

}  // namespace reber::fits
