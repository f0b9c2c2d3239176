// SPDX-License-Identifier: BSD-3-Clause
// RICE_1 of 32-bit integers (FITS standard 4.0, section 10.4.1; Rice, Yeh and Miller 1993).
#pragma once

#include <cstddef>

namespace reber::fits {

inline constexpr std::size_t kRiceBlock = 32;  ///< pixels that share a parameter

/// Bytes that rice_encode() may need: no block takes more than its pixels and their parameter.
[[nodiscard]] constexpr std::size_t rice_bound(std::size_t count) { return 4 * count + (count / kRiceBlock + 1) + 16; }

/// The stream that CFITSIO's decoder takes, of `count` integers in the machine's order.   returns its bytes
[[nodiscard]] std::size_t rice_encode(const char* words, std::size_t count, char* out);

}  // namespace reber::fits
