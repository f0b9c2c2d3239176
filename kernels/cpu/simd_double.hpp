// SPDX-License-Identifier: BSD-3-Clause
// Four doubles at a time, and eight.
#pragma once

#include "kernels/cpu/simd.hpp"

namespace reber::cpu {

using Longs [[gnu::vector_size(32)]] = std::int64_t;

inline Doubles load(const double* from) {
  Doubles value;
  std::memcpy(&value, from, sizeof(value));
  return value;
}
inline void store(double* to, Doubles value) { std::memcpy(to, &value, sizeof(value)); }
inline Doubles all(double value) { return Doubles{value, value, value, value}; }

/// a b + c, rounded once.
inline Doubles fma(Doubles a, Doubles b, Doubles c) {
#ifdef __AVX2__
  return _mm256_fmadd_pd(a, b, c);
#else
  Doubles result;
  for (int k = 0; k < 4; ++k) result[k] = __builtin_fma(a[k], b[k], c[k]);
  return result;
#endif
}

/// c - a b, rounded once.
inline Doubles minus_product(Doubles a, Doubles b, Doubles c) {
#ifdef __AVX2__
  return _mm256_fnmadd_pd(a, b, c);
#else
  return fma(-a, b, c);
#endif
}

/// For functions that are compiled for processors with such vectors; passed by reference, as others know no registers
/// for them.
using Octets [[gnu::vector_size(64)]] = double;

/// to := a b + c, rounded once.
[[gnu::always_inline]] inline void multiply_add(const Doubles& a, const Doubles& b, const Doubles& c, Doubles& to) {
  to = fma(a, b, c);
}
/// One instruction where the caller's processor has it.
[[gnu::always_inline]] inline void multiply_add(const Octets& a, const Octets& b, const Octets& c, Octets& to) {
  for (int k = 0; k < 8; ++k) to[k] = __builtin_fma(a[k], b[k], c[k]);
}

}  // namespace reber::cpu
