// SPDX-License-Identifier: BSD-3-Clause
// A window of 64 bits moves over the stream. It is filled with one load for several pixels; a pixel whose bits are not
// all in it takes the slow way.
#include "core/tiles/rice_decoder.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace reber::fits {
namespace {

/// How pixels of one size are coded.
template <class Pixel>
struct Coding;
template <>
struct Coding<std::uint8_t> {
  static constexpr int parameter_bits = 3, most_split = 6;
};
template <>
struct Coding<std::uint16_t> {
  static constexpr int parameter_bits = 4, most_split = 14;
};
template <>
struct Coding<std::uint32_t> {
  static constexpr int parameter_bits = 5, most_split = 25;
};

/// The bits of a stream from the highest of its first byte on. Behind its end it reads the padding, and knows.
class Window {
 public:
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
  /// Zeros before the next one; 64 where the window has none.
  [[nodiscard]] int zeros() const { return std::countl_zero(bits_); }
  /// The next `count` bits, which are there; 0 to 32.
  [[nodiscard]] std::uint32_t take(int count) {
    const auto value = static_cast<std::uint32_t>(bits_ >> 32 >> (32 - count));
    drop(count);
    return value;
  }
  /// count: at most held() and 63
  void drop(int count) {
    bits_ <<= count;
    held_ -= count;
  }
  /// Whether more was taken than the stream holds.
  [[nodiscard]] bool overrun() const { return 8 * (at_ - begin_) - held_ > 8 * (last_ - 8 - begin_); }
  [[nodiscard]] bool at_end() const { return at_ == last_; }

 private:
  const unsigned char *begin_, *at_, *last_;
  std::uint64_t bits_ = 0;
  int held_ = 0;
};

/// A difference of neighbours as it is stored: 0, -1, 1, -2 ... as 0, 1, 2, 3 ...
std::uint32_t difference_of(std::uint32_t stored) { return stored >> 1 ^ (0 - (stored & 1)); }

/// One split difference whose zeros may go on for longer than the window.   returns false at the end of the stream
bool take_long(Window& bits, int split, std::uint32_t& stored) {
  std::uint32_t zeros = 0;
  bits.fill();
  while (bits.zeros() >= bits.held()) {
    if (bits.at_end()) return false;
    zeros += static_cast<std::uint32_t>(bits.held());
    bits.drop(bits.held());
    bits.fill();
  }
  zeros += static_cast<std::uint32_t>(bits.zeros());
  bits.drop(bits.zeros());
  bits.drop(1);
  bits.fill();
  stored = zeros << split | bits.take(split);
  return true;
}

/// A block of split differences; `Group` pixels to a fill.
template <int Group, class Pixel>
bool take_split(Window& bits, int split, std::int64_t count, std::uint32_t& last, Pixel* out) {
  std::uint32_t value = last;
  const auto one = [&](Pixel& pixel) {
    const int zeros = bits.zeros(), used = zeros + 1 + split;
    std::uint32_t stored = 0;
    if (used <= bits.held()) [[likely]] {
      bits.drop(zeros);
      stored = static_cast<std::uint32_t>(zeros) << split;
      bits.drop(1);
      stored |= bits.take(split);
    } else if (!take_long(bits, split, stored)) {
      return false;
    }
    value += difference_of(stored);
    pixel = static_cast<Pixel>(value);
    return true;
  };
  std::int64_t i = 0;
  for (; i + Group <= count; i += Group) {
    bits.fill();
    for (int k = 0; k < Group; ++k)
      if (!one(out[i + k])) return false;
  }
  for (; i < count; ++i) {
    bits.fill();
    if (!one(out[i])) return false;
  }
  last = value;
  return true;
}

template <class Pixel>
bool take_block(Window& bits, std::int64_t count, std::uint32_t& last, Pixel* out) {
  using Code = Coding<Pixel>;
  bits.fill();
  const int split = static_cast<int>(bits.take(Code::parameter_bits)) - 1;
  if (split < 0) {
    std::fill_n(out, count, static_cast<Pixel>(last));
    return true;
  }
  if (split > Code::most_split) return false;
  if (split == Code::most_split) {
    for (std::int64_t i = 0; i < count; ++i) {
      bits.fill();
      last += difference_of(bits.take(8 * static_cast<int>(sizeof(Pixel))));
      out[i] = static_cast<Pixel>(last);
    }
    return true;
  }
  constexpr int kFew = 9, kSome = 18;
  if (split <= kFew) return take_split<4>(bits, split, count, last, out);
  if (split <= kSome) return take_split<2>(bits, split, count, last, out);
  return take_split<1>(bits, split, count, last, out);
}

template <class Pixel>
bool decode(const unsigned char* stream, std::size_t size, std::int64_t block, std::int64_t count, Pixel* out) {
  Window bits(stream, size);
  bits.fill();
  std::uint32_t last = bits.take(8 * static_cast<int>(sizeof(Pixel)));
  for (std::int64_t i = 0; i < count; i += block)
    if (!take_block(bits, std::min(block, count - i), last, out + i) || bits.overrun()) return false;
  return true;
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
