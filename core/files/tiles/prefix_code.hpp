// SPDX-License-Identifier: BSD-3-Clause
// Prefix codes as deflate has them (RFC 1951, section 3.2.2; Huffman 1952).
#pragma once

#include <cstdint>
#include <span>

namespace reber::fits {

/// Bits of each symbol's code, the shortest that its counts allow with none longer than `most`; 0 where a count is 0.
/// Two symbols at least are to have a count.   most: 2^most is at least the number of symbols, most <= 15
///   lengths: as many as counts   throws std::bad_alloc
void code_lengths(std::span<const std::uint32_t> counts, int most, std::span<std::uint8_t> lengths);

/// The codes that these lengths stand for, their first bit lowest.   codes: as many as lengths
void codes_of(std::span<const std::uint8_t> lengths, std::span<std::uint16_t> codes);

}  // namespace reber::fits
