// SPDX-License-Identifier: BSD-3-Clause
// Four doubles at a time.
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

}  // namespace reber::cpu
