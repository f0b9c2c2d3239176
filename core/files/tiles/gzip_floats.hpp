// SPDX-License-Identifier: BSD-3-Clause
// Tiles of floats that were not quantised but packed with gzip (FITS standard 4.0, section 10.1.3).
#pragma once

#include <cstddef>
#include <cstdint>

namespace reber::fits {

/// `count` big-endian numbers to this machine's, as CFITSIO gives them: NaN and infinities as NaN, numbers below the
/// smallest normal one as zero.   returns false where the stream is damaged or holds another number of them
///   throws std::bad_alloc
[[nodiscard]] bool inflate_numbers(const unsigned char* stream, std::size_t size, std::int64_t count, float* out);
[[nodiscard]] bool inflate_numbers(const unsigned char* stream, std::size_t size, std::int64_t count, double* out);

}  // namespace reber::fits
