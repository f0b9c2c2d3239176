// SPDX-License-Identifier: BSD-3-Clause
// Order-preserving integer keys of floats, and the exact moment histogram that the clip is computed from.
#pragma once

#include <cstdint>
#include <cstring>

#include "kernels/shared/host_device.hpp"

namespace reber::rules {

/// Unsigned key whose order is that of finite floats (-0 just below +0).
REBER_HD std::uint32_t key_of_bits(std::uint32_t bits) {
  return bits ^ ((bits >> 31) != 0 ? 0xffffffffu : 0x80000000u);
}
REBER_HD std::uint32_t bits_of_key(std::uint32_t key) { return key ^ ((key >> 31) != 0 ? 0x80000000u : 0xffffffffu); }

REBER_HD std::uint32_t key_of(float value) {
#ifdef __CUDA_ARCH__
  return key_of_bits(__float_as_uint(value));
#else
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof(bits));
  return key_of_bits(bits);
#endif
}

inline float value_of(std::uint32_t key) {
  const std::uint32_t bits = bits_of_key(key);
  float value = 0;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

/// A bin is the upper 16 bits of the key: sign, exponent and 7 bits of the significand. Within one bin a value is
/// affine in the key's lower 16 bits, so integer sums of those give its moments without rounding.
inline constexpr int kBinBits = 16;
inline constexpr std::uint32_t kBins = 1u << kBinBits;

REBER_HD std::uint32_t bin_of(std::uint32_t key) { return key >> (32 - kBinBits); }
REBER_HD std::uint32_t offset_in_bin(std::uint32_t key) { return key & 0xffffu; }

}  // namespace reber::rules
