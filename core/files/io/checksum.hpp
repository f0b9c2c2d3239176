// SPDX-License-Identifier: BSD-3-Clause
// Checksums of FITS files (FITS standard 4.0, appendix J; Seaman, Pence and Rots 2012).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace reber::fits {

/// 32-bit ones' complement sum of big-endian words. Pieces must be multiples of four bytes.
class Checksum {
 public:
  void add(const void* bytes, std::size_t count);
  /// The sum of words elsewhere: their order does not matter.
  void add(const Checksum& other);
  /// 32-bit words in the machine's order, as if they were turned to FITS's.
  void add_words(const void* words, std::size_t count);
  /// Turns 32-bit words to FITS's byte order, in place, and adds them.
  void add_turned(void* words, std::size_t count);
  [[nodiscard]] std::uint32_t sum() const;

 private:
  std::uint64_t sum_ = 0;
};

/// The sixteen characters of CHECKSUM for the sum of the whole HDU, taken while they were '0'.
[[nodiscard]] std::string encode_checksum(std::uint32_t sum);

/// The header's whole blocks: the cards, DATASUM, CHECKSUM, END.   data_sum: of the data with their padding
[[nodiscard]] std::string header_blocks(const std::string& cards, std::uint32_t data_sum);
/// The same for data at hand (whole blocks).
[[nodiscard]] std::string with_checksums(const std::string& cards, const std::string& data);

}  // namespace reber::fits
