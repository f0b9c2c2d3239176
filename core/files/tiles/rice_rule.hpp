// SPDX-License-Identifier: BSD-3-Clause
// How RICE_1 pixels follow from bits (FITS standard 4.0, section 10.4.1): one constexpr rule for the host and for
// devices, so that all take the same streams and make the same pixels of them.
#pragma once

#include <cstdint>

namespace reber::fits {

/// How pixels of one size are coded.
template <class Pixel>
struct RiceCoding;
template <>
struct RiceCoding<std::uint8_t> {
  static constexpr int parameter_bits = 3, most_split = 6;
};
template <>
struct RiceCoding<std::uint16_t> {
  static constexpr int parameter_bits = 4, most_split = 14;
};
template <>
struct RiceCoding<std::uint32_t> {
  static constexpr int parameter_bits = 5, most_split = 25;
};

/// A difference of neighbours as it is stored: 0, -1, 1, -2 ... as 0, 1, 2, 3 ...
constexpr std::uint32_t rice_difference(std::uint32_t stored) { return stored >> 1 ^ (0 - (stored & 1)); }

/// The pixels of one stream, in their order. Bits is a window over the stream, from the highest bit of its first byte
/// on:
///   Index          an integer that can number the pixels
///   kFew, kSome    splits up to which one fill mostly serves four pixels, or two; -1 where it never does
///   fill()         at least 32 bits are there afterwards; behind the stream they may be any
///   held()         bits that are there, at most 64
///   zeros()        of the bits that are there, those before the first one; held() or more where there is none
///   take(n)        the next n bits, which are there; 0 to 32
///   drop(n)        leaves out so many, which are there; 0 to 63
///   clear()        leaves out all that are there
///   at_end()       whether a fill brings nothing that it did not bring before
///   overrun()      whether more was taken than the stream holds
template <class Pixel, class Bits>
class RicePixels {
  using Code = RiceCoding<Pixel>;
  using Index = typename Bits::Index;
  static constexpr int kPixelBits = 8 * static_cast<int>(sizeof(Pixel));

 public:
  /// block: pixels that share a parameter, >= 1
  constexpr RicePixels(const Bits& bits, Index block) : bits_(bits), block_(block) {}

  /// Reads what stands before the first pixel; once.
  constexpr void begin() {
    bits_.fill();
    last_ = bits_.take(kPixelBits);
  }

  /// Calls put(i, pixel) for the next `count` pixels, i from 0 on.   returns false where the stream ends before them or
  /// holds what no encoder writes
  template <class Put>
  constexpr bool read(Index count, const Put& put) {
    for (Index i = 0; i < count;) {
      if (left_ == 0 && !open_block()) return false;
      const Index here = left_ < count - i ? left_ : count - i;
      if (!read_run(i, here, put) || bits_.overrun()) return false;
      left_ -= here;
      i += here;
    }
    return true;
  }

  constexpr Bits& bits() { return bits_; }

 private:
  constexpr bool open_block() {
    bits_.fill();
    split_ = static_cast<int>(bits_.take(Code::parameter_bits)) - 1;
    left_ = block_;
    return split_ <= Code::most_split;
  }

  /// Pixels of one block.
  template <class Put>
  constexpr bool read_run(Index first, Index count, const Put& put) {
    if (split_ < 0) {
      for (Index i = 0; i < count; ++i) put(first + i, static_cast<Pixel>(last_));
      return true;
    }
    if (split_ == Code::most_split) {
      for (Index i = 0; i < count; ++i) {
        bits_.fill();
        last_ += rice_difference(bits_.take(kPixelBits));
        put(first + i, static_cast<Pixel>(last_));
      }
      return true;
    }
    if (split_ <= Bits::kFew) return read_split<4>(first, count, put);
    if (split_ <= Bits::kSome) return read_split<2>(first, count, put);
    return read_split<1>(first, count, put);
  }

  /// Split differences; `Group` pixels to a fill.
  template <int Group, class Put>
  constexpr bool read_split(Index first, Index count, const Put& put) {
    Index i = 0;
    for (; i + Group <= count; i += Group) {
      bits_.fill();
      for (int k = 0; k < Group; ++k)
        if (!read_one(first + i + k, put)) return false;
    }
    for (; i < count; ++i) {
      bits_.fill();
      if (!read_one(first + i, put)) return false;
    }
    return true;
  }

  template <class Put>
  constexpr bool read_one(Index at, const Put& put) {
    const int zeros = bits_.zeros();
    std::uint32_t stored = 0;
    if (zeros + 1 + split_ <= bits_.held()) [[likely]] {
      bits_.drop(zeros);
      bits_.drop(1);
      stored = static_cast<std::uint32_t>(zeros) << split_ | bits_.take(split_);
    } else if (!take_long(stored)) {
      return false;
    }
    last_ += rice_difference(stored);
    put(at, static_cast<Pixel>(last_));
    return true;
  }

  /// One whose zeros may go on for longer than the window.   returns false at the end of the stream
  constexpr bool take_long(std::uint32_t& stored) {
    std::uint32_t zeros = 0;
    bits_.fill();
    while (bits_.zeros() >= bits_.held()) {
      if (bits_.at_end()) return false;
      zeros += static_cast<std::uint32_t>(bits_.held());
      bits_.clear();
      bits_.fill();
    }
    zeros += static_cast<std::uint32_t>(bits_.zeros());
    bits_.drop(bits_.zeros());
    bits_.drop(1);
    bits_.fill();
    stored = zeros << split_ | bits_.take(split_);
    return true;
  }

  Bits bits_;
  Index block_, left_ = 0;
  std::uint32_t last_ = 0;
  int split_ = -1;
};

}  // namespace reber::fits
