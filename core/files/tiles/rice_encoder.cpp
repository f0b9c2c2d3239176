// SPDX-License-Identifier: BSD-3-Clause
// Blocks of equal pixels, nearly all of a map of labels, are seen by one comparison and cost five bits.
#include "core/files/tiles/rice_encoder.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

#include "core/base/processor_clones.hpp"

namespace reber::fits {
namespace {

constexpr int kParameterBits = 5, kMostSplit = 25, kWordBits = 32;

/// Bits from the highest on, gathered in a word and stored by bytes.
class BitWriter {
 public:
  explicit BitWriter(char* out) : begin_(out), at_(out) {}
  /// The lowest `count` bits of a value below 2^count; count <= 32.
  void put(std::uint32_t value, int count) {
    held_ = held_ << count | value;
    bits_ += count;
    while (bits_ >= 8) {
      bits_ -= 8;
      *at_++ = static_cast<char>(held_ >> bits_);
    }
  }
  void put_zeros(std::uint32_t count) {
    for (; count > kWordBits; count -= kWordBits) put(0, kWordBits);
    put(0, static_cast<int>(count));
  }
  /// Fills the last byte.   returns the bytes written
  std::size_t end() {
    if (bits_ > 0) put(0, 8 - bits_);
    return static_cast<std::size_t>(at_ - begin_);
  }

 private:
  char *begin_, *at_;
  std::uint64_t held_ = 0;
  int bits_ = 0;  ///< of held_ that wait: below 8 between calls
};

/// Read until one is found that is none.
REBER_AVX2_CLONE bool all_zeros(const char* words, std::size_t count) {
  constexpr std::size_t kAtOnce = 256;
  for (std::size_t i = 0; i < count;) {
    std::uint32_t any = 0;
    for (const std::size_t end = std::min(count, i + kAtOnce); i < end; ++i) {
      std::uint32_t word = 0;
      std::memcpy(&word, words + 4 * i, sizeof word);
      any |= word;
    }
    if (any != 0) return false;
  }
  return true;
}

bool all_are(const std::uint32_t* pixels, std::size_t count, std::uint32_t value) {
  std::uint32_t other = 0;
  for (std::size_t i = 0; i < count; ++i) other |= pixels[i] ^ value;
  return other == 0;
}

/// How many low bits of a block's differences are written as they are: CFITSIO's rule, so that files are the same.
int split_of(double sum, std::size_t count) {
  const double mean = (sum - static_cast<double>(count / 2) - 1) / static_cast<double>(count);
  const std::uint32_t half = mean > 0 ? static_cast<std::uint32_t>(mean) >> 1 : 0;
  return std::bit_width(half);
}

void put_block(BitWriter& bits, const std::uint32_t* pixels, std::size_t count, std::uint32_t last) {
  std::uint32_t steps[kRiceBlock];
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const auto step = static_cast<std::int32_t>(pixels[i] - last);
    last = pixels[i];
    // Signs alternate: 0, -1, 1, -2 ... become 0, 1, 2, 3 ...
    steps[i] = static_cast<std::uint32_t>(step) << 1 ^ static_cast<std::uint32_t>(step >> 31);
    sum += steps[i];
  }
  const int split = split_of(sum, count);
  if (split >= kMostSplit) {
    bits.put(kMostSplit + 1, kParameterBits);
    for (std::size_t i = 0; i < count; ++i) bits.put(steps[i], kWordBits);
    return;
  }
  bits.put(static_cast<std::uint32_t>(split + 1), kParameterBits);
  for (std::size_t i = 0; i < count; ++i) {
    bits.put_zeros(steps[i] >> split);
    bits.put(1, 1);
    bits.put(steps[i] & ((1U << split) - 1), split);
  }
}

}  // namespace

std::size_t rice_encode(const char* words, std::size_t count, char* out) {
  if (all_zeros(words, count)) {
    // Most tiles of a map of labels: the first pixel and no difference in any block.
    const std::size_t bits = kWordBits + (count + kRiceBlock - 1) / kRiceBlock * kParameterBits;
    std::memset(out, 0, (bits + 7) / 8);
    return (bits + 7) / 8;
  }
  BitWriter bits(out);
  std::uint32_t pixels[kRiceBlock], last = 0;
  std::memcpy(&last, words, sizeof last);
  bits.put(last, kWordBits);
  for (std::size_t i = 0; i < count; i += kRiceBlock) {
    const std::size_t here = count - i < kRiceBlock ? count - i : kRiceBlock;
    std::memcpy(pixels, words + 4 * i, 4 * here);
    if (all_are(pixels, here, last))
      bits.put(0, kParameterBits);
    else
      put_block(bits, pixels, here, last);
    last = pixels[here - 1];
  }
  return bits.end();
}

}  // namespace reber::fits
