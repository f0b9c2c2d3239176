// SPDX-License-Identifier: BSD-3-Clause
// Bytes that no code shortens are stored: the mantissas of noise, three quarters of a map of floats, cost a copy.
#include "core/fits/tile_coder.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <new>
#include <span>

#include "core/base/error.hpp"

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

}  // namespace

const char* name_of(TileCode code) { return code == TileCode::gzip_1 ? "GZIP_1" : "GZIP_2"; }

struct TileCoder::State {
  explicit State(TileCode wanted) : code(wanted) {
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

  TileCode code;
  z_stream stream{};
  std::vector<unsigned char> planes;
};

TileCoder::TileCoder(TileCode code) : state_(std::make_unique<State>(code)) {}
TileCoder::~TileCoder() = default;

std::string TileCoder::encode(const char* big_endian, std::size_t count) {
  State& s = *state_;
  const std::size_t bytes = kWord * count;
  if (deflateReset(&s.stream) != Z_OK) throw InternalError("deflate was not reset");
  std::string out(deflateBound(&s.stream, static_cast<uLong>(bytes)) + bytes / 1000 + kFrame, '\0');
  s.stream.next_out = reinterpret_cast<unsigned char*>(out.data());
  s.stream.avail_out = static_cast<uInt>(out.size());
  const auto* const words = reinterpret_cast<const unsigned char*>(big_endian);
  if (s.code == TileCode::gzip_1) {
    s.add({words, bytes}, true);
  } else {
    s.planes.resize(bytes);
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t k = 0; k < kWord; ++k) s.planes[k * count + i] = words[kWord * i + k];
    for (std::size_t k = 0; k < kWord; ++k) {
      const std::span plane(s.planes.data() + k * count, count);
      s.choose(plane);
      s.add(plane, k + 1 == kWord);
    }
  }
  out.resize(s.stream.total_out);
  return out;
}

}  // namespace reber::fits
