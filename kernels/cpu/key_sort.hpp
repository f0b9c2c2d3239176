// SPDX-License-Identifier: BSD-3-Clause
// Finite pixels of rectangles in order, by a sort of their keys, least digit first.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/shape.hpp"
#include "kernels/cpu/row_maker.hpp"
#include "kernels/shared/float_keys.hpp"

namespace reber::cpu {

/// Gathers pixels, then sorts them. Memory of one worker, kept from sort to sort. Three passes of 11 bits over 4096
/// keys take 15 us, a comparison sort 150 us.
class KeySort {
 public:
  /// Forgets what was gathered; at most `most` pixels follow.
  ///   throws InputError for 2^32 or more: a digit's count has 32 bits
  void begin(std::int64_t most) {
    if (most > std::numeric_limits<std::uint32_t>::max())
      throw InputError("a cell of the background holds 2^32 pixels or more; choose a smaller box");
    if (static_cast<std::int64_t>(keys_.size()) < most) {
      keys_.resize(static_cast<std::size_t>(most));
      spare_.resize(static_cast<std::size_t>(most));
    }
    count_ = 0;
    narrow_ = most <= kNarrow;
    std::fill_n(starts_.data(), narrow_ ? NarrowDigits::kAll : WideDigits::kAll, 0);
  }

  /// Finite pixels of a rectangle. ahead: whether the next rectangle lies beside this one.
  void gather(const HeldRows& plane, const Rect& where, bool ahead) {
    if (narrow_)
      gather_by<NarrowDigits>(plane, where, ahead);
    else
      gather_by<WideDigits>(plane, where, ahead);
  }

  [[nodiscard]] std::int64_t count() const { return count_; }

  /// out[k] = convert(key of rank k), for all that was gathered.
  template <class Value, class Convert>
  void sort_into(Value* out, Convert convert) {
    if (count_ < (narrow_ ? kSmallNarrow : kSmall)) {
      std::sort(keys_.begin(), keys_.begin() + count_);
      std::transform(keys_.begin(), keys_.begin() + count_, out, convert);
    } else if (narrow_) {
      sort_by<NarrowDigits>(out, convert);
    } else {
      sort_by<WideDigits>(out, convert);
    }
  }

 private:
  /// Few keys are sorted sooner by narrow digits, whose counts are soon cleared and summed.
  template <int kBitsOfOne>
  struct Digits {
    static constexpr int kBits = kBitsOfOne, kPasses = (32 + kBits - 1) / kBits;
    static constexpr std::uint32_t kCount = 1u << kBits, kAll = kPasses * kCount;
    static std::uint32_t of(std::uint32_t key, int pass) { return key >> (pass * kBits) & (kCount - 1); }
  };
  using WideDigits = Digits<11>;
  using NarrowDigits = Digits<8>;
  static constexpr std::int64_t kNarrow = 2500;
  /// Below this many keys a comparison sort is faster than scanning the digits' counts.
  static constexpr std::int64_t kSmall = 256, kSmallNarrow = 128;
  static constexpr std::int64_t kLineFloats = 16;  ///< a cache line

  template <class Digit>
  void gather_by(const HeldRows& plane, const Rect& where, bool ahead) {
    std::uint32_t* const counts = starts_.data();
    std::uint32_t* keys = keys_.data();
    std::int64_t n = count_;
    for (std::int64_t y = where.y0; y < where.y0 + where.ny; ++y) {
      const float* row = plane.row(y) + where.x0;
      // The next cell's part of the row, while this cell is worked on: its short rows defeat the hardware's prefetch.
      if (ahead)
        for (std::int64_t x = 0; x < where.nx; x += kLineFloats) __builtin_prefetch(row + where.nx + x);
      for (std::int64_t x = 0; x < where.nx; ++x) {
        std::uint32_t bits = 0;
        std::memcpy(&bits, row + x, sizeof(bits));
        if ((bits & 0x7f800000u) == 0x7f800000u) continue;
        const std::uint32_t key = rules::key_of_bits(bits);
        keys[n++] = key;
        for (int pass = 0; pass < Digit::kPasses; ++pass) ++counts[pass * Digit::kCount + Digit::of(key, pass)];
      }
    }
    count_ = n;
  }

  template <class Digit, class Value, class Convert>
  void sort_by(Value* out, Convert convert) {
    for (int pass = 0; pass < Digit::kPasses; ++pass) {
      std::uint32_t* const starts = starts_.data() + pass * Digit::kCount;
      const bool last = pass == Digit::kPasses - 1;
      if (!last && starts[Digit::of(keys_[0], pass)] == count_) continue;  // all keys share this digit
      std::uint32_t sum = 0;
      for (std::uint32_t k = 0; k < Digit::kCount; ++k) {
        const std::uint32_t count = starts[k];
        starts[k] = sum;
        sum += count;
      }
      const std::uint32_t* from = keys_.data();
      if (last) {
        for (std::int64_t k = 0; k < count_; ++k) out[starts[Digit::of(from[k], pass)]++] = convert(from[k]);
        return;
      }
      std::uint32_t* to = spare_.data();
      for (std::int64_t k = 0; k < count_; ++k) to[starts[Digit::of(from[k], pass)]++] = from[k];
      std::swap(keys_, spare_);
    }
  }

  std::vector<std::uint32_t> keys_, spare_;
  std::array<std::uint32_t, WideDigits::kAll> starts_;  ///< pass after pass
  std::int64_t count_ = 0;
  bool narrow_ = false;
};

}  // namespace reber::cpu
