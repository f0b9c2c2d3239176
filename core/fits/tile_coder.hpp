// SPDX-License-Identifier: BSD-3-Clause
// One tile of a compressed image, by zlib (FITS standard 4.0, section 10.4: GZIP_1 and GZIP_2).
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace reber::fits {

enum class TileCode {
  gzip_1,  ///< the bytes in their order: for labels, which repeat as a whole
  gzip_2,  ///< all first bytes, then all second ones ..: for floats, whose exponents alone repeat
};
[[nodiscard]] const char* name_of(TileCode code);

/// Compresses tiles of four-byte words, one after another; for one thread at a time.
class TileCoder {
 public:
  explicit TileCoder(TileCode code);
  ~TileCoder();
  TileCoder(const TileCoder&) = delete;
  TileCoder& operator=(const TileCoder&) = delete;

  /// A gzip stream that depends on the words alone.   big_endian: 4 x count bytes   throws std::bad_alloc
  [[nodiscard]] std::string encode(const char* big_endian, std::size_t count);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace reber::fits
