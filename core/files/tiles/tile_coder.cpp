// SPDX-License-Identifier: BSD-3-Clause
// Bytes that no code shortens are stored: the mantissas of noise, three quarters of a map of floats, cost a copy.
#include "core/files/tiles/tile_coder.hpp"

#include <algorithm>
#include <cstring>
#include <span>

#include "core/base/processor_clones.hpp"
#include "core/files/tiles/deflate_writer.hpp"
#include "core/files/tiles/rice_encoder.hpp"

namespace reber::fits {
namespace {

constexpr std::size_t kWord = 4;

/// words[i] to planes[i], planes[count + i] ..: byte by byte, the highest first.
REBER_AVX2_CLONE void part_bytes(const char* words, std::size_t count, unsigned char* planes) {
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

TileCoder::TileCoder(TileCode code) : code_(code) {}

std::size_t TileCoder::bound(std::size_t count) {
  return std::max(rice_bound(count), DeflateWriter::bound(kWord * count, kWord));
}

std::size_t TileCoder::encode(const char* words, std::size_t count, char* out) {
  if (code_ == TileCode::rice_1) return rice_encode(words, count, out);
  planes_.resize(kWord * count);
  part_bytes(words, count, planes_.data());
  DeflateWriter writer(reinterpret_cast<unsigned char*>(out));
  for (std::size_t k = 0; k < kWord; ++k) writer.add(std::span(planes_).subspan(k * count, count));
  return writer.end();
}

}  // namespace reber::fits
