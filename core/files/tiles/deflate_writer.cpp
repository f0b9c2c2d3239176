// SPDX-License-Identifier: BSD-3-Clause
// A piece is one block: its bytes stored, or a code of single bytes and of runs (repetitions at a distance of one),
// which a part of it tells.
#include "core/files/tiles/deflate_writer.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "core/base/stream_sums.hpp"
#include "core/files/tiles/prefix_code.hpp"

namespace reber::fits {
namespace {

static_assert(std::endian::native == std::endian::little, "bits are stored by words");

constexpr std::size_t kBytes = 256, kEnd = 256, kFirstRun = 257, kSymbols = 286, kGroup = 8;
/// Four codes and seven bits that wait fit in a word.
constexpr int kMostBits = 14;
constexpr std::size_t kLengthSymbols = 19, kAgain = 16, kShortZeros = 17, kLongZeros = 18;
constexpr int kMostLengthBits = 7;
/// The order in which a block tells the lengths of its lengths' codes.
constexpr std::array<std::uint8_t, kLengthSymbols> kOrder = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                                             11, 4,  12, 3, 13, 2, 14, 1, 15};

/// Of a longer piece so many bytes are looked at, in so many places, to make its code.
constexpr std::size_t kSample = 4096, kPlaces = 16;

/// n log2(n) of numbers that a sample can count.
const std::array<double, kSample + 1>& count_bits() {
  static const auto table = [] {
    std::array<double, kSample + 1> made{};
    for (std::size_t n = 2; n < made.size(); ++n) made[n] = static_cast<double>(n) * std::log2(static_cast<double>(n));
    return made;
  }();
  return table;
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

/// Counts what it is shown.
class Counter {
 public:
  void add(std::span<const unsigned char> bytes) {
    walk(
        bytes,
        [this](std::span<const unsigned char> literals) {
          std::size_t i = 0;
          for (; i + 4 <= literals.size(); i += 4)
            for (std::size_t k = 0; k < 4; ++k) ++bytes_[k][literals[i + k]];
          for (; i < literals.size(); ++i) ++bytes_[0][literals[i]];
        },
        [this](unsigned char byte, std::size_t length) {
          part_run(
              length,
              [this](std::size_t part) {
                const RunSymbol run = symbol_of(part);
                ++found_.symbols[run.symbol];
                found_.beside += static_cast<std::uint64_t>(run.extra_bits) + 1;  // the distance takes one
              },
              [&] { ++bytes_[0][byte]; });
        });
  }
  Counts counts() {
    for (const auto& some : bytes_)
      for (std::size_t byte = 0; byte < kBytes; ++byte) found_.symbols[byte] += some[byte];
    bytes_ = {};
    found_.symbols[kEnd] = 1;
    return found_;
  }

 private:
  Counts found_;
  std::array<std::array<std::uint32_t, kBytes>, 4> bytes_{};  // four, since the same byte often follows itself
};

/// Counts of the bytes, or of a part of many.
Counts count_places(std::span<const unsigned char> bytes) {
  Counter counter;
  constexpr std::size_t kHere = kSample / kPlaces;
  if (bytes.size() <= kSample)
    counter.add(bytes);
  else
    for (std::size_t k = 0; k < kPlaces; ++k)
      counter.add(bytes.subspan((bytes.size() - kHere) * k / (kPlaces - 1), kHere));
  return counter.counts();
}

/// Bits per byte that an ideal code of single bytes needs.
double entropy_of(const Counts& counts) {
  const auto& bits_of = count_bits();
  double bits = 0;
  std::uint32_t total = 0;
  for (std::size_t byte = 0; byte < kBytes; ++byte) {
    bits -= bits_of[counts.symbols[byte]];
    total += counts.symbols[byte];
  }
  return (bits + bits_of[total]) / std::max<std::uint32_t>(total, 1);
}

/// Counts of all bytes, as a part of them tells: what it lacks may yet be there.
void extend(Counts& counts, std::size_t bytes) {
  if (bytes <= kSample) return;
  const auto times = static_cast<std::uint32_t>(bytes / kSample);
  for (std::uint32_t& symbol : counts.symbols) symbol = std::max(symbol * times, 1U);
  counts.symbols[kEnd] = 1;
  counts.beside *= times;
}

/// Lengths of the symbols' codes, and behind them the one distance's.
using Lengths = std::array<std::uint8_t, kSymbols + 1>;

/// word(symbol, extra, extra bits) of everything that tells these lengths: zeros and repetitions in runs.
template <class Word>
void walk_lengths(std::span<const std::uint8_t> lengths, Word word) {
  constexpr std::size_t kShort = 3, kLong = 11, kMost = 138, kMostAgain = 6;
  for (std::size_t i = 0; i < lengths.size();) {
    const auto alike = [&](std::uint8_t length, std::size_t most) {
      std::size_t count = 0;
      while (i + count < lengths.size() && lengths[i + count] == length && count < most) ++count;
      return count;
    };
    const std::size_t zeros = alike(0, kMost), again = i > 0 ? alike(lengths[i - 1], kMostAgain) : 0;
    if (zeros >= kLong) {
      word(kLongZeros, static_cast<std::uint32_t>(zeros - kLong), 7);
      i += zeros;
    } else if (zeros >= kShort) {
      word(kShortZeros, static_cast<std::uint32_t>(zeros - kShort), 3);
      i += zeros;
    } else if (again >= kShort) {
      word(kAgain, static_cast<std::uint32_t>(again - kShort), 2);
      i += again;
    } else {
      word(lengths[i++], 0U, 0);
    }
  }
}

}  // namespace

/// The code of a block, and how it is told.
struct DeflateWriter::BlockCode {
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
  constexpr std::uint32_t kCode = 0xFFFF;
  std::uint64_t held = held_;
  auto bits = static_cast<std::uint32_t>(bits_);
  unsigned char* at = at_;
  const auto flush = [&] {
    std::memcpy(at, &held, sizeof held);
    at += bits / 8;
    held >>= bits & ~7U;
    bits %= 8;
  };
  std::size_t i = 0;
  for (; i + 4 <= bytes.size(); i += 4) {
    // Two and two first: only the last step waits for the four before.
    const std::uint32_t a = table[bytes[i]], b = table[bytes[i + 1]], c = table[bytes[i + 2]], d = table[bytes[i + 3]];
    const std::uint32_t of_ab = (a >> 16) + (b >> 16), of_cd = (c >> 16) + (d >> 16);
    const std::uint64_t ab = (a & kCode) | std::uint64_t{b & kCode} << (a >> 16);
    const std::uint64_t cd = (c & kCode) | std::uint64_t{d & kCode} << (c >> 16);
    held |= (ab | cd << of_ab) << bits;
    bits += of_ab + of_cd;
    flush();
  }
  for (; i < bytes.size(); ++i) {
    held |= std::uint64_t{table[bytes[i]] & kCode} << bits;
    bits += table[bytes[i]] >> 16;
    flush();
  }
  held_ = held, bits_ = static_cast<int>(bits), at_ = at;
}

void DeflateWriter::add(std::span<const unsigned char> bytes) {
  crc_ = crc32_of(crc_, bytes);
  total_ += static_cast<std::uint32_t>(bytes.size());
  constexpr double kRandom = 7.5;
  Counts counts = count_places(bytes);
  if (entropy_of(counts) > kRandom) return store(bytes);
  extend(counts, bytes.size());
  const BlockCode code(counts);
  if (code.bits / 8 >= bytes.size()) return store(bytes);
  const DeflateWriter before = *this;
  if (put_block(bytes, code)) return;
  *this = before;  // what was looked at told little of the rest
  store(bytes);
}

/// A block of this code.   returns false where it would be longer than the bytes: then it is not whole
bool DeflateWriter::put_block(std::span<const unsigned char> bytes, const BlockCode& code) {
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
  const unsigned char* const most = at_ + bytes.size();
  walk(
      bytes,
      [&](std::span<const unsigned char> literals) {
        for (; !literals.empty() && at_ < most; literals = literals.subspan(std::min(literals.size(), kUnchecked)))
          put_literals(literals.first(std::min(literals.size(), kUnchecked)), table.data());
      },
      [&](unsigned char byte, std::size_t length) {
        if (at_ >= most) return;
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
  return at_ < most;
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
