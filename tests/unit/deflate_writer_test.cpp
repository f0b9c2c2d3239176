// SPDX-License-Identifier: BSD-3-Clause
// Our own gzip streams: zlib's inflate gives back every byte, nothing is written beyond the bound.
#include "core/files/tiles/deflate_writer.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <random>
#include <span>
#include <vector>

#include "core/files/tiles/prefix_code.hpp"

namespace reber::fits {
namespace {

using Bytes = std::vector<unsigned char>;

/// What zlib makes of a stream, which is to end where it ends.
Bytes inflated(const Bytes& stream, std::size_t expected) {
  Bytes out(expected + 1);
  z_stream inflate_stream{};
  constexpr int kGzip = 16;
  EXPECT_EQ(inflateInit2(&inflate_stream, MAX_WBITS + kGzip), Z_OK);
  inflate_stream.next_in = const_cast<unsigned char*>(stream.data());
  inflate_stream.avail_in = static_cast<uInt>(stream.size());
  inflate_stream.next_out = out.data();
  inflate_stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(inflate(&inflate_stream, Z_FINISH), Z_STREAM_END) << (inflate_stream.msg ? inflate_stream.msg : "");
  EXPECT_EQ(inflate_stream.avail_in, 0U);
  out.resize(inflate_stream.total_out);
  inflateEnd(&inflate_stream);
  return out;
}

/// The stream of two pieces; fails where more is written than the bound says.
Bytes deflated(const Bytes& bytes, std::size_t cut) {
  constexpr std::size_t kBehind = 16;
  constexpr unsigned char kUntouched = 0xA5;
  const std::size_t bound = DeflateWriter::bound(bytes.size(), 2);
  Bytes out(bound + kBehind, kUntouched);
  DeflateWriter writer(out.data());
  writer.add(std::span(bytes).first(cut));
  writer.add(std::span(bytes).subspan(cut));
  const std::size_t length = writer.end();
  EXPECT_LE(length, bound);
  EXPECT_TRUE(std::all_of(out.begin() + static_cast<std::ptrdiff_t>(bound), out.end(),
                          [](unsigned char byte) { return byte == kUntouched; }));
  out.resize(std::min(length, bound));
  return out;
}

/// Runs of up to `longest` of as many bytes as fit in `bits`.
Bytes runs(std::mt19937& random, std::size_t count, std::size_t longest, int bits) {
  Bytes bytes(count);
  for (std::size_t i = 0; i < count;) {
    const auto byte = static_cast<unsigned char>(random() & ((1U << bits) - 1));
    for (std::size_t left = 1 + random() % longest; left > 0 && i < count; --left) bytes[i++] = byte;
  }
  return bytes;
}

TEST(DeflateWriter, InflateGivesBackWhatWentIn) {
  std::mt19937 random(5);
  for (int round = 0; round < 4000; ++round) {
    const std::size_t count = random() % 3000;
    constexpr std::array<std::size_t, 5> kLongest = {1, 4, 20, 700, 5000};
    const Bytes bytes = runs(random, count, kLongest[random() % kLongest.size()], static_cast<int>(random() % 9));
    const Bytes stream = deflated(bytes, random() % (count + 1));
    ASSERT_EQ(inflated(stream, count), bytes) << "round " << round << ", " << count << " bytes";
  }
}

TEST(DeflateWriter, EveryLengthOfARun) {
  for (std::size_t length = 1; length < 1100; ++length) {
    Bytes bytes = {1, 2, 3};
    bytes.insert(bytes.end(), length, 9);
    bytes.insert(bytes.end(), {4, 5});
    const Bytes stream = deflated(bytes, 0);
    ASSERT_EQ(inflated(stream, bytes.size()), bytes) << length;
  }
}

TEST(DeflateWriter, MoreThanAStoredBlockHolds) {
  std::mt19937 random(6);
  const Bytes bytes = runs(random, 200'000, 1, 8);
  const Bytes stream = deflated(bytes, 70'000);
  EXPECT_EQ(inflated(stream, bytes.size()), bytes);
  EXPECT_LT(stream.size(), bytes.size() + 100);
}

TEST(DeflateWriter, CodesAreNearlyAsShortAsTheEntropyAllows) {
  std::mt19937 random(7);
  Bytes bytes(65'536);
  // A byte b with the probability 2^-(b + 1): 2 bits each on the average.
  for (auto& byte : bytes) byte = static_cast<unsigned char>(__builtin_ctz(static_cast<unsigned>(random()) | 1U << 20));
  const Bytes stream = deflated(bytes, bytes.size());
  EXPECT_LT(static_cast<double>(stream.size()), 1.025 * 2 / 8 * static_cast<double>(bytes.size()));
  const Bytes constant(65'536, 127);
  EXPECT_LT(deflated(constant, 0).size(), 500U);
}

/// Of a long piece some places are looked at. These lie where the writer looks (16 of 256 bytes, evenly from the first
/// byte to the last) and at other distances.
TEST(DeflateWriter, WhatIsLookedAtMayTellNothingOfTheRest) {
  std::mt19937 random(8);
  for (const std::size_t count : {4097UL, 5000UL, 30'000UL, 65'536UL, 200'000UL})
    for (const std::size_t places : {16UL, 15UL, 31UL})
      for (const int bits : {0, 1, 3}) {
        const Bytes noise = runs(random, count, 1, 8), calm = runs(random, count, 1, bits);
        for (const bool calm_places : {true, false}) {
          Bytes bytes = calm_places ? noise : calm;
          const Bytes& other = calm_places ? calm : noise;
          constexpr std::size_t kPlace = 256;
          for (std::size_t k = 0; k < places; ++k) {
            const std::size_t at = (count - kPlace) * k / (places - 1);
            std::copy_n(other.data() + at, std::min(kPlace, count - at), bytes.data() + at);
          }
          const Bytes stream = deflated(bytes, count);
          ASSERT_EQ(inflated(stream, count), bytes) << count << " " << places << " " << bits;
          ASSERT_LE(stream.size(), count + count / 1000 + 64) << count << " " << places << " " << bits;
        }
      }
}

TEST(DeflateWriter, ALongPieceHasNearlyTheCodeOfAllItsBytes) {
  std::mt19937 random(9);
  std::normal_distribution<double> normal(128, 3);
  Bytes bytes(65'536);
  for (auto& byte : bytes) byte = static_cast<unsigned char>(normal(random));
  std::array<double, 256> counts{};
  for (const unsigned char byte : bytes) ++counts[byte];
  double bits = 0;
  for (const double count : counts)
    bits -= count > 0 ? count * std::log2(count / static_cast<double>(bytes.size())) : 0;
  EXPECT_LT(static_cast<double>(deflated(bytes, 0).size()), 1.02 * bits / 8);
}

TEST(PrefixCode, AreCutToTheLengthAllowedAndStayPrefixFree) {
  std::vector<std::uint32_t> fibonacci = {1, 1};
  while (fibonacci.size() < 24) fibonacci.push_back(fibonacci[fibonacci.size() - 1] + fibonacci[fibonacci.size() - 2]);
  for (const int most : {5, 7, 14}) {
    std::vector<std::uint8_t> lengths(fibonacci.size());
    code_lengths(fibonacci, most, lengths);
    double taken = 0;
    for (const std::uint8_t bits : lengths) {
      EXPECT_GE(bits, 1);
      EXPECT_LE(bits, most);
      taken += std::ldexp(1.0, -bits);
    }
    EXPECT_EQ(taken, 1) << most;
    EXPECT_TRUE(std::ranges::is_sorted(lengths, std::greater<>())) << most;
  }
}

TEST(PrefixCode, IsTheCanonicalOneOfRfc1951) {
  // The example of its section 3.2.2: A to H with these lengths have the codes 010, 011, 100, 101, 110, 00, 1110, 1111.
  const std::vector<std::uint8_t> lengths = {3, 3, 3, 3, 3, 2, 4, 4};
  std::vector<std::uint16_t> codes(lengths.size());
  codes_of(lengths, codes);
  EXPECT_EQ(codes, (std::vector<std::uint16_t>{0b010, 0b110, 0b001, 0b101, 0b011, 0b00, 0b0111, 0b1111}));
}

}  // namespace
}  // namespace reber::fits
