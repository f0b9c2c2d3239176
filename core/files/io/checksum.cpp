// SPDX-License-Identifier: BSD-3-Clause
// Ones' complement checksum and its text form.
#include "core/files/io/checksum.hpp"

#include <array>
#include <bit>
#include <cstring>

#include "core/base/processor_clones.hpp"
#include "core/sky/model/fits_cards.hpp"

namespace reber::fits {

namespace {

/// 2^32 words fit before 64 bits overflow: 16 GiB a call, far above a band.
REBER_AVX2_CLONE std::uint64_t sum_of_words(const unsigned char* at, std::size_t words) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < words; ++i) {
    std::uint32_t word = 0;
    std::memcpy(&word, at + 4 * i, 4);
    if constexpr (std::endian::native == std::endian::little) word = __builtin_bswap32(word);
    sum += word;
  }
  return sum;
}

REBER_AVX2_CLONE std::uint64_t sum_of_numbers(const unsigned char* at, std::size_t words) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < words; ++i) {
    std::uint32_t word = 0;
    std::memcpy(&word, at + 4 * i, 4);
    sum += word;
  }
  return sum;
}

/// Words turned in place.   returns the sum of the numbers that they were
REBER_AVX2_CLONE std::uint64_t turn_and_sum(unsigned char* at, std::size_t words) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < words; ++i) {
    std::uint32_t word = 0;
    std::memcpy(&word, at + 4 * i, 4);
    sum += word;  // of the bytes as they will stand
    if constexpr (std::endian::native == std::endian::little) word = __builtin_bswap32(word);
    std::memcpy(at + 4 * i, &word, 4);
  }
  return sum;
}

}  // namespace

void Checksum::add(const void* bytes, std::size_t count) {
  const std::uint64_t sum = sum_ + sum_of_words(static_cast<const unsigned char*>(bytes), count / 4);
  sum_ = (sum & 0xFFFFFFFFU) + (sum >> 32);
}

void Checksum::add(const Checksum& other) {
  const std::uint64_t sum = sum_ + other.sum_;
  sum_ = (sum & 0xFFFFFFFFU) + (sum >> 32);
}

void Checksum::add_words(const void* words, std::size_t count) {
  const std::uint64_t sum = sum_ + sum_of_numbers(static_cast<const unsigned char*>(words), count);
  sum_ = (sum & 0xFFFFFFFFU) + (sum >> 32);
}

void Checksum::add_turned(void* words, std::size_t count) {
  const std::uint64_t sum = sum_ + turn_and_sum(static_cast<unsigned char*>(words), count);
  sum_ = (sum & 0xFFFFFFFFU) + (sum >> 32);
}

std::uint32_t Checksum::sum() const {
  std::uint64_t sum = sum_;
  while (sum >> 32 != 0) sum = (sum & 0xFFFFFFFFU) + (sum >> 32);
  return static_cast<std::uint32_t>(sum);
}

std::string encode_checksum(std::uint32_t sum) {
  const std::uint32_t value = ~sum;
  std::array<char, 16> text{};
  for (int i = 0; i < 4; ++i) {
    // Each byte is spread over four characters around '0', moved in pairs so that none is a punctuation mark.
    const int byte = static_cast<int>(value >> (24 - 8 * i) & 0xFFU);
    std::array<int, 4> part{};
    part.fill(byte / 4 + '0');
    part[0] += byte % 4;
    const auto punctuation = [](int c) { return (c >= ':' && c <= '@') || (c >= '[' && c <= '`'); };
    for (bool again = true; again;) {
      again = false;
      for (std::size_t j = 0; j < 4; j += 2) {
        if (!punctuation(part[j]) && !punctuation(part[j + 1])) continue;
        ++part[j];
        --part[j + 1];
        again = true;
      }
    }
    for (std::size_t j = 0; j < 4; ++j) text[4 * j + static_cast<std::size_t>(i)] = static_cast<char>(part[j]);
  }
  // The standard rotates the sixteen characters one place to the right.
  std::string out(1, text[15]);
  out.append(text.begin(), text.end() - 1);
  return out;
}

std::string header_blocks(const std::string& cards, std::uint32_t data_sum) {
  std::string out = cards + make_text_card("DATASUM", std::to_string(data_sum), "checksum of the data");
  const std::size_t place = out.size();
  out += make_text_card("CHECKSUM", "0000000000000000", "checksum of header and data");
  std::string end = "END";
  end.resize(kCardBytes, ' ');
  out += end;
  out.resize((out.size() + kBlockBytes - 1) / kBlockBytes * kBlockBytes, ' ');
  Checksum sum;
  sum.add(out.data(), out.size());
  const std::uint64_t both = std::uint64_t{sum.sum()} + data_sum;
  const std::string text = encode_checksum(static_cast<std::uint32_t>((both & 0xFFFFFFFFU) + (both >> 32)));
  // The value begins behind "CHECKSUM= '".
  out.replace(place + 11, text.size(), text);
  return out;
}

std::string with_checksums(const std::string& cards, const std::string& data) {
  Checksum sum;
  sum.add(data.data(), data.size());
  return header_blocks(cards, sum.sum());
}

}  // namespace reber::fits
