// SPDX-License-Identifier: BSD-3-Clause
// RICE_1 (FITS standard 4.0, section 10.4.1) read with bounds: any bytes give pixels or are refused.
#pragma once

#include <cstddef>
#include <cstdint>

namespace reber::fits {

/// Bytes that must be readable behind a stream; their values do not matter.
inline constexpr std::size_t kRicePadding = 16;

/// Decodes one tile.   stream: `size` bytes, kRicePadding more readable; block: pixels that share a parameter, >= 1;
///   out: room for `count` >= 1 pixels of 1, 2 or 4 bytes (BYTEPIX), whose bits are those of the stored integers
///   returns false where the stream ends before the last pixel or holds what no encoder writes; `out` is then partly
///   filled
[[nodiscard]] bool rice_decode(const unsigned char* stream, std::size_t size, std::int64_t block, std::int64_t count,
                               std::uint8_t* out);
[[nodiscard]] bool rice_decode(const unsigned char* stream, std::size_t size, std::int64_t block, std::int64_t count,
                               std::uint16_t* out);
[[nodiscard]] bool rice_decode(const unsigned char* stream, std::size_t size, std::int64_t block, std::int64_t count,
                               std::uint32_t* out);

}  // namespace reber::fits
