// SPDX-License-Identifier: BSD-3-Clause
// Checksums of compressed streams.
#pragma once

#include <cstdint>
#include <span>

namespace reber {

/// CRC-32 of gzip and PNG (RFC 1952, section 8), going on from that of the bytes before; 0 of none.
[[nodiscard]] std::uint32_t crc32_of(std::uint32_t before, std::span<const unsigned char> bytes);
/// Adler-32 of zlib's streams (RFC 1950, section 9), going on from that of the bytes before; 1 of none.
[[nodiscard]] std::uint32_t adler32_of(std::uint32_t before, std::span<const unsigned char> bytes);

}  // namespace reber
