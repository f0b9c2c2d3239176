// SPDX-License-Identifier: BSD-3-Clause
// Eight floats at a time, by the compiler's vector types; AVX2 instructions where they say more than the types can.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#ifdef __AVX2__
#include <immintrin.h>
#endif

namespace reber::cpu {

inline constexpr int kLanes = 8;
using Floats [[gnu::vector_size(32)]] = float;
using Ints [[gnu::vector_size(32)]] = std::int32_t;
using Doubles [[gnu::vector_size(32)]] = double;
using HalfFloats [[gnu::vector_size(16)]] = float;

inline Floats load(const float* from) {
  Floats value;
  std::memcpy(&value, from, sizeof(value));
  return value;
}
inline void store(float* to, Floats value) { std::memcpy(to, &value, sizeof(value)); }
/// Adding to a vector of zeros instead would cost the compiler an addition: -0 + 0 is not -0.
inline Floats all(float value) { return Floats{value, value, value, value, value, value, value, value}; }

/// a b + c, rounded once.
inline Floats fma(Floats a, Floats b, Floats c) {
#ifdef __AVX2__
  return _mm256_fmadd_ps(a, b, c);
#else
  Floats result;
  for (int k = 0; k < kLanes; ++k) result[k] = __builtin_fmaf(a[k], b[k], c[k]);
  return result;
#endif
}

/// One bit per lane: set where the mask (the result of a comparison) is.
inline unsigned bits_of(Ints mask) {
#ifdef __AVX2__
  return static_cast<unsigned>(_mm256_movemask_ps(reinterpret_cast<__m256>(mask)));
#else
  unsigned bits = 0;
  for (int k = 0; k < kLanes; ++k) bits |= (mask[k] != 0 ? 1u : 0u) << k;
  return bits;
#endif
}

/// Where the value is neither infinite nor NaN.
inline Ints finite(Floats value) {
  Ints bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return (bits & 0x7f800000) != 0x7f800000;
}

/// value where the mask is set, else other.
inline Floats where(Ints mask, Floats value, Floats other) { return mask ? value : other; }

/// Lanes k of the sixteen of both.
template <int... k>
Floats shuffled(Floats a, Floats b) {
#ifdef __clang__
  return __builtin_shufflevector(a, b, k...);
#else
  return __builtin_shuffle(a, b, Ints{k...});
#endif
}

/// Writes past the caches where the address allows: for results that are not read again soon.
inline void stream(float* to, Floats value) {
#ifdef __AVX2__
  _mm256_stream_ps(to, value);
#else
  store(to, value);
#endif
}

/// Makes streamed values visible to other threads before this one says that it is done.
inline void stream_fence() {
#ifdef __AVX2__
  _mm_sfence();
#endif
}

}  // namespace reber::cpu
