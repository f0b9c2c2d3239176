// SPDX-License-Identifier: BSD-3-Clause
// A gzip stream (RFC 1951, RFC 1952) of pieces that are stored or coded byte by byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace reber::fits {

/// For bytes in which nothing longer than a run repeats: no search for repetitions, six times as fast as zlib's own
/// code of runs. What is written depends on the pieces alone.
class DeflateWriter {
 public:
  /// Bytes that a stream of `pieces` pieces with `bytes` bytes may take.
  [[nodiscard]] static constexpr std::size_t bound(std::size_t bytes, std::size_t pieces) {
    return bytes + (bytes / kStored + 3 * pieces) * kStoredHeader + kFrame + 2 * kUnchecked;
  }
  /// out: room for bound(), of which all may be written
  explicit DeflateWriter(unsigned char* out);

  /// The next bytes, stored or coded, whichever is shorter.   throws std::bad_alloc
  void add(std::span<const unsigned char> bytes);
  /// Ends the stream.   returns its bytes
  [[nodiscard]] std::size_t end();

 private:
  static constexpr std::size_t kStored = 65535, kStoredHeader = 5, kFrame = 64;
  /// Bytes that are coded before their room is looked at; a code has 14 bits at most.
  static constexpr std::size_t kUnchecked = 2048;
  struct BlockCode;

  void put(std::uint64_t value, int count);
  void store(std::span<const unsigned char> bytes);
  [[nodiscard]] bool put_block(std::span<const unsigned char> bytes, const BlockCode& code);
  void put_literals(std::span<const unsigned char> bytes, const std::uint32_t* table);

  unsigned char *begin_, *at_;
  std::uint64_t held_ = 0;
  int bits_ = 0;  ///< of held_ that wait: below 8 between calls
  std::uint32_t crc_ = 0;
  std::uint32_t total_ = 0;  ///< bytes that went in, modulo 2^32
};

}  // namespace reber::fits
