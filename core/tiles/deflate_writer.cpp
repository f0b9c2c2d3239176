// SPDX-License-Identifier: BSD-3-Clause
// A piece is one block: its bytes stored, or a code of single bytes and of runs (repetitions at a distance of one).
#include "core/tiles/deflate_writer.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "core/base/stream_sums.hpp"
#include "core/tiles/prefix_code.hpp"

namespace reber::fits {
namespace {

static_assert(std::endian::native == std::endian::little, "bits are stored by words");

constexpr std::size_t kBytes = 256, kEnd = 256, kFirstRun = 257, kSymbols = 286, kGroup = 8;
/// Four codes and seven bits that wait fit in a word.
constexpr int kMostBits = 14;
constexpr std::size_t kLengthSymbols = 19, kShortZeros = 17, kLongZeros = 18;
constexpr int kMostLengthBits = 7;
/// The order in which a block tells the lengths of its lengths' codes.
constexpr std::array<std::uint8_t, kLengthSymbols> kOrder = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                                             11, 4,  12, 3, 13, 2, 14, 1, 15};

constexpr std::size_t kSample = 4096;  ///< at least, and less than twice as many

/// n log2(n) of numbers that a sample can count.
const std::array<double, 2 * kSample>& count_bits() {
  static const auto table = [] {
    std::array<double, 2 * kSample> made{};
    for (std::size_t n = 2; n < made.size(); ++n) made[n] = static_cast<double>(n) * std::log2(static_cast<double>(n));
    return made;
  }();
  return table;
}

/// Bits per byte that an ideal code of single bytes needs, from a sample.
double entropy_of(std::span<const unsigned char> bytes) {
  std::array<std::uint32_t, kBytes> counts{};
  const std::size_t step = std::max<std::size_t>(bytes.size() / kSample, 1);
  std::uint32_t total = 0;
  for (std::size_t i = 0; i < bytes.size(); i += step, ++total) ++counts[bytes[i]];
  const auto& bits_of = count_bits();
  double bits = bits_of[total];
  for (const std::uint32_t count : counts) bits -= bits_of[count];
  return bits / std::max<std::uint32_t>(total, 1);
}

/// literals(span) and run(byte, length) of what follows each other. A run goes on with the byte before it, and is seen
/// where eight bytes that were not looked at yet are all like that one.
template <class Literals, class Run>
void walk(std::span<const unsigned char> bytes, Literals literals, Run run) {
  std::size_t begin = 0, i = kGroup;
  while (i + kGroup <= bytes.size()) {
    std::uint64_t group = 0;
    std::memcpy(&group, bytes.data() + i, kGroup);
    const unsigned char last = bytes[i - 1];
    if (group != 0x0101010101010101U * last) {
      i += kGroup;
      continue;
    }
    const auto end = std::find_if(bytes.begin() + static_cast<std::ptrdiff_t>(i), bytes.end(),
                                  [last](unsigned char byte) { return byte != last; });
    literals(bytes.subspan(begin, i - begin));
    begin = static_cast<std::size_t>(end - bytes.begin());
    run(last, begin - i);
    i = begin + 1;  // the byte before a group is no part of the run
  }
  literals(bytes.subspan(begin));
}

/// A run's length as a symbol and bits beside it.
struct RunSymbol {
  std::size_t symbol;
  int extra_bits;
  std::uint32_t extra;
};
RunSymbol symbol_of(std::size_t length) {
  constexpr std::size_t kLongest = 258;
  if (length == kLongest) return {kSymbols - 1, 0, 0};
  const auto beyond = static_cast<std::uint32_t>(length - 3);
  const int extra = std::max(static_cast<int>(std::bit_width(beyond)) - 3, 0);
  const std::uint32_t step = beyond >> extra;
  return {kFirstRun + 4 * static_cast<std::size_t>(extra) + step, extra, beyond & ((1U << extra) - 1)};
}

/// piece(length) of each repetition of a run, byte() of what is left.
template <class Piece, class Byte>
void part_run(std::size_t length, Piece piece, Byte byte) {
  constexpr std::size_t kShortest = 3, kLongest = 258;
  for (; length >= kShortest; length -= std::min(length, kLongest)) piece(std::min(length, kLongest));
  for (; length > 0; --length) byte();
}

/// How often each symbol is written, and the bits beside them.
struct Counts {
  std::array<std::uint32_t, kSymbols> symbols{};
  std::uint64_t beside = 0;
};

Counts count(std::span<const unsigned char> bytes) {
  Counts found;
  std::array<std::array<std::uint32_t, kBytes>, 4> counts{};  // four, since the same byte often follows itself
  walk(
      bytes,
      [&](std::span<const unsigned char> literals) {
        std::size_t i = 0;
        for (; i + 4 <= literals.size(); i += 4)
          for (std::size_t k = 0; k < 4; ++k) ++counts[k][literals[i + k]];
        for (; i < literals.size(); ++i) ++counts[0][literals[i]];
      },
      [&](unsigned char byte, std::size_t length) {
        part_run(
            length,
            [&](std::size_t part) {
              const RunSymbol run = symbol_of(part);
              ++found.symbols[run.symbol];
              found.beside += static_cast<std::uint64_t>(run.extra_bits) + 1;  // the distance takes one
            },
            [&] { ++counts[0][byte]; });
      });
  for (const auto& some : counts)
    for (std::size_t byte = 0; byte < kBytes; ++byte) found.symbols[byte] += some[byte];
  found.symbols[kEnd] = 1;
  return found;
}

/// Lengths of the symbols' codes, and behind them the one distance's.
using Lengths = std::array<std::uint8_t, kSymbols + 1>;

/// word(symbol, extra, extra bits) of everything that tells these lengths: zeros in runs, the others as they are.
template <class Word>
void walk_lengths(std::span<const std::uint8_t> lengths, Word word) {
  constexpr std::size_t kShort = 3, kLong = 11, kMost = 138;
  for (std::size_t i = 0; i < lengths.size();) {
    std::size_t zeros = 0;
    while (i + zeros < lengths.size() && lengths[i + zeros] == 0 && zeros < kMost) ++zeros;
    if (zeros < kShort) {
      word(lengths[i++], 0U, 0);
    } else if (zeros < kLong) {
      word(kShortZeros, static_cast<std::uint32_t>(zeros - kShort), 3);
      i += zeros;
    } else {
      word(kLongZeros, static_cast<std::uint32_t>(zeros - kLong), 7);
      i += zeros;
    }
  }
}

/// The code of a block, and how it is told.
struct BlockCode {
  explicit BlockCode(const Counts& counts) {
    code_lengths(counts.symbols, kMostBits, std::span(lengths).first(kSymbols));
    lengths[kSymbols] = 1;
    std::array<std::uint32_t, kLengthSymbols> used{};
    walk_lengths(lengths, [&](std::size_t symbol, std::uint32_t, int extra_bits) {
      ++used[symbol];
      bits += static_cast<std::uint64_t>(extra_bits);
    });
    code_lengths(used, kMostLengthBits, length_lengths);
    constexpr std::uint64_t kFixed = 3 + 5 + 5 + 4 + 3 * kLengthSymbols;
    bits += kFixed + counts.beside;
    for (std::size_t k = 0; k < kLengthSymbols; ++k) bits += std::uint64_t{used[k]} * length_lengths[k];
    for (std::size_t k = 0; k < kSymbols; ++k) bits += std::uint64_t{counts.symbols[k]} * lengths[k];
  }
  Lengths lengths{};
  std::array<std::uint8_t, kLengthSymbols> length_lengths{};
  std::uint64_t bits = 0;  ///< of the block
};

}  // namespace

DeflateWriter::DeflateWriter(unsigned char* out) : begin_(out), at_(out) {
  // Deflate, no name, no time; the fastest method; Unix.
  constexpr std::array<unsigned char, 10> kHeader = {0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 4, 3};
  at_ = std::ranges::copy(kHeader, at_).out;
}

/// The lowest bits first; value < 2^count, count <= 56.
inline void DeflateWriter::put(std::uint64_t value, int count) {
  held_ |= value << bits_;
  bits_ += count;
  std::memcpy(at_, &held_, sizeof held_);
  at_ += bits_ / 8;
  held_ >>= bits_ / 8 * 8;
  bits_ %= 8;
}

void DeflateWriter::store(std::span<const unsigned char> bytes) {
  while (!bytes.empty()) {
    const auto here = bytes.first(std::min(bytes.size(), kStored));
    bytes = bytes.subspan(here.size());
    put(0, 3);
    put(0, (8 - bits_) % 8);
    put(here.size(), 16);
    put(~here.size() & 0xFFFFU, 16);
    at_ = std::ranges::copy(here, at_).out;
  }
}

/// table: of each byte its code, and from bit 16 on the code's length
void DeflateWriter::put_literals(std::span<const unsigned char> bytes, const std::uint32_t* table) {
  std::uint64_t held = held_;
  int bits = bits_;
  unsigned char* at = at_;
  const auto take = [&](unsigned char byte) {
    const std::uint32_t entry = table[byte];
    held |= std::uint64_t{entry & 0xFFFFU} << bits;
    bits += static_cast<int>(entry >> 16);
  };
  const auto flush = [&] {
    std::memcpy(at, &held, sizeof held);
    at += bits / 8;
    held >>= bits / 8 * 8;
    bits %= 8;
  };
  std::size_t i = 0;
  for (; i + 4 <= bytes.size(); i += 4) {
    for (std::size_t k = 0; k < 4; ++k) take(bytes[i + k]);
    flush();
  }
  for (; i < bytes.size(); ++i) {
    take(bytes[i]);
    flush();
  }
  held_ = held, bits_ = bits, at_ = at;
}

void DeflateWriter::add(std::span<const unsigned char> bytes) {
  crc_ = crc32_of(crc_, bytes);
  total_ += static_cast<std::uint32_t>(bytes.size());
  constexpr double kRandom = 7.5;
  if (entropy_of(bytes) > kRandom) return store(bytes);
  const BlockCode code(count(bytes));
  if (code.bits / 8 >= bytes.size()) return store(bytes);

  put(0b100, 3);  // not the last block; a code of its own
  put(kSymbols - kFirstRun, 5);
  put(0, 5);
  put(kLengthSymbols - 4, 4);
  for (const std::uint8_t symbol : kOrder) put(code.length_lengths[symbol], 3);
  std::array<std::uint16_t, kLengthSymbols> length_codes{};
  codes_of(code.length_lengths, length_codes);
  walk_lengths(code.lengths, [&](std::size_t symbol, std::uint32_t extra, int extra_bits) {
    put(length_codes[symbol], code.length_lengths[symbol]);
    put(extra, extra_bits);
  });

  std::array<std::uint16_t, kSymbols> codes{};
  codes_of(std::span(code.lengths).first(kSymbols), codes);
  std::array<std::uint32_t, kBytes> table{};
  for (std::size_t byte = 0; byte < kBytes; ++byte) table[byte] = codes[byte] | std::uint32_t{code.lengths[byte]} << 16;
  walk(
      bytes, [&](std::span<const unsigned char> literals) { put_literals(literals, table.data()); },
      [&](unsigned char byte, std::size_t length) {
        part_run(
            length,
            [&](std::size_t part) {
              const RunSymbol run = symbol_of(part);
              put(codes[run.symbol], code.lengths[run.symbol]);
              put(run.extra, run.extra_bits + 1);  // with the distance's bit, which is 0
            },
            [&] { put(codes[byte], code.lengths[byte]); });
      });
  put(codes[kEnd], code.lengths[kEnd]);
}

std::size_t DeflateWriter::end() {
  put(0b011, 3);  // the last block, by the fixed code, whose end is seven zeros
  put(0, 7);
  put(0, (8 - bits_) % 8);
  put(crc_, 32);
  put(total_, 32);
  return static_cast<std::size_t>(at_ - begin_);
}

}  // namespace reber::fits
