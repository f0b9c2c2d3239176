// SPDX-License-Identifier: BSD-3-Clause
// Checksums of streams against the values that their standards' readers know, whole and in pieces.
#include "core/base/stream_sums.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include <random>
#include <span>
#include <string_view>
#include <vector>

namespace reber {
namespace {

std::span<const unsigned char> bytes_of(std::string_view text) {
  return {reinterpret_cast<const unsigned char*>(text.data()), text.size()};
}

TEST(StreamSums, OfWellKnownTexts) {
  EXPECT_EQ(crc32_of(0, bytes_of("123456789")), 0xCBF43926U);
  EXPECT_EQ(adler32_of(1, bytes_of("Wikipedia")), 0x11E60398U);
  EXPECT_EQ(crc32_of(0, {}), 0U);
  EXPECT_EQ(adler32_of(1, {}), 1U);
}

TEST(StreamSums, AreZlibsForAnyLengthAndPieces) {
  std::mt19937 random(3);
  std::vector<unsigned char> bytes(200'000);
  for (auto& byte : bytes) byte = static_cast<unsigned char>(random() | (random() % 3 == 0 ? 0xFFU : 0U));
  for (int round = 0; round < 200; ++round) {
    const std::size_t count = random() % (round < 150 ? 300 : bytes.size()), cut = count > 0 ? random() % count : 0;
    const std::span all(bytes.data(), count);
    const auto crc = static_cast<std::uint32_t>(::crc32_z(0, all.data(), count));
    const auto adler = static_cast<std::uint32_t>(::adler32_z(1, all.data(), count));
    ASSERT_EQ(crc32_of(0, all), crc) << count;
    ASSERT_EQ(crc32_of(crc32_of(0, all.first(cut)), all.subspan(cut)), crc) << count << " cut at " << cut;
    ASSERT_EQ(adler32_of(1, all), adler) << count;
    ASSERT_EQ(adler32_of(adler32_of(1, all.first(cut)), all.subspan(cut)), adler) << count << " cut at " << cut;
  }
}

}  // namespace
}  // namespace reber
