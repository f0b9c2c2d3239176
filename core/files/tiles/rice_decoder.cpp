// SPDX-License-Identifier: BSD-3-Clause
// A window of 64 bits moves over the stream. It is filled with one load for several pixels; a pixel whose bits are not
// all in it takes the slow way.
#include "core/files/tiles/rice_decoder.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "core/files/tiles/rice_rule.hpp"

namespace reber::fits {
namespace {

/// The bits of a stream. Behind its end it reads the padding, and knows.
class Window {
 public:
  using Index = std::int64_t;
  static constexpr int kFew = 9, kSome = 18;

  Window(const unsigned char* stream, std::size_t size) : begin_(stream), at_(stream), last_(stream + size + 8) {}

  /// At least 56 bits are there afterwards.
  void fill() {
    std::uint64_t word = 0;
    std::memcpy(&word, at_, sizeof word);
    if constexpr (std::endian::native == std::endian::little) word = __builtin_bswap64(word);
    bits_ |= word >> held_;
    at_ = std::min(at_ + ((63 - held_) >> 3), last_);
    held_ |= 56;
  }
  [[nodiscard]] int held() const { return held_; }
  [[nodiscard]] int zeros() const { return std::countl_zero(bits_); }
  [[nodiscard]] std::uint32_t take(int count) {
    const auto value = static_cast<std::uint32_t>(bits_ >> 32 >> (32 - count));
    drop(count);
    return value;
  }
  void drop(int count) {
    bits_ <<= count;
    held_ -= count;
  }
  void clear() { bits_ = 0, held_ = 0; }
  [[nodiscard]] bool overrun() const { return 8 * (at_ - begin_) - held_ > 8 * (last_ - 8 - begin_); }
  [[nodiscard]] bool at_end() const { return at_ == last_; }

 private:
  const unsigned char *begin_, *at_, *last_;
  std::uint64_t bits_ = 0;
  int held_ = 0;
};

template <class Pixel>
bool decode(const unsigned char* stream, std::size_t size, std::int64_t block, std::int64_t count, Pixel* out) {
  RicePixels<Pixel, Window> pixels(Window(stream, size), block);
  pixels.begin();
  return pixels.read(count, [out](std::int64_t i, Pixel pixel) { out[i] = pixel; });
}

}  // namespace

bool rice_decode(const unsigned char* stream, std::size_t size, std::int64_t block, std::int64_t count,
                 std::uint8_t* out) {
  return decode(stream, size, block, count, out);
}
bool rice_decode(const unsigned char* stream, std::size_t size, std::int64_t block, std::int64_t count,
                 std::uint16_t* out) {
  return decode(stream, size, block, count, out);
}
bool rice_decode(const unsigned char* stream, std::size_t size, std::int64_t block, std::int64_t count,
                 std::uint32_t* out) {
  return decode(stream, size, block, count, out);
}

}  // namespace reber::fits
