// SPDX-License-Identifier: BSD-3-Clause
// One tile of a compressed image (FITS standard 4.0, section 10.4: GZIP_2 and RICE_1).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace reber::fits {

enum class TileCode {
  gzip_2,  ///< all first bytes, then all second ones ..: for floats, whose exponents alone repeat
  rice_1,  ///< differences of neighbours in blocks of 32: for labels, which are zero nearly everywhere
};
[[nodiscard]] const char* name_of(TileCode code);

/// Compresses tiles of four-byte words, one after another; for one thread at a time.
class TileCoder {
 public:
  explicit TileCoder(TileCode code);

  /// Bytes that encode() may need.
  [[nodiscard]] static std::size_t bound(std::size_t count);
  /// A stream that depends on the words alone.   words: `count` in the machine's order; out: room for bound(count)
  ///   returns the bytes written   throws std::bad_alloc
  [[nodiscard]] std::size_t encode(const char* words, std::size_t count, char* out);

 private:
  TileCode code_;
  std::vector<unsigned char> planes_;  ///< bytes of each rank
};

}  // namespace reber::fits
