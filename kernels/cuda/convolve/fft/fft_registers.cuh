// SPDX-License-Identifier: BSD-3-Clause
// Short complex transforms in one thread's registers, the butterflies of fft_tile.cuh and fft_lines.cuh.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace reber::cuda::fft {

/// cos(2 pi m / 32), folded to a literal wherever m is known at compile time.
__device__ constexpr float cosine32(int m) {
  constexpr float quarter[9] = {1.0f,           0.98078528040f, 0.92387953251f,
                                0.83146961230f, 0.70710678119f, 0.55557023302f,
                                0.38268343236f, 0.19509032202f, 0.0f};
  m &= 31;
  if (m > 16) m = 32 - m;
  return m <= 8 ? quarter[m] : -quarter[16 - m];
}

__device__ constexpr float sine32(int m) { return cosine32(m - 8); }

__device__ __forceinline__ float2 operator+(float2 a, float2 b) { return {a.x + b.x, a.y + b.y}; }
__device__ __forceinline__ float2 operator-(float2 a, float2 b) { return {a.x - b.x, a.y - b.y}; }

/// a b, or a conj(b).
template <bool Conjugate = false>
__device__ __forceinline__ float2 product(float2 a, float2 b) {
  if constexpr (Conjugate) return {fmaf(a.x, b.x, a.y * b.y), fmaf(a.y, b.x, -(a.x * b.y))};
  return {fmaf(a.x, b.x, -(a.y * b.y)), fmaf(a.x, b.y, a.y * b.x)};
}

/// a exp(-2 pi i m / 32), or with the other sign.
template <bool Inverse>
__device__ __forceinline__ float2 turned32(float2 a, int m) {
  if (Inverse) m = -m;
  m &= 31;
  if (m == 0) return a;
  if (m == 8) return {a.y, -a.x};
  if (m == 16) return {-a.x, -a.y};
  if (m == 24) return {-a.y, a.x};
  constexpr float half = 0.70710678119f;
  if (m == 4) return {half * (a.x + a.y), half * (a.y - a.x)};
  if (m == 12) return {half * (a.y - a.x), -half * (a.x + a.y)};
  if (m == 20) return {-half * (a.x + a.y), half * (a.x - a.y)};
  if (m == 28) return {half * (a.x - a.y), half * (a.x + a.y)};
  return product(a, {cosine32(m), -sine32(m)});
}

/// cos(2 pi m / 24).
__device__ constexpr float cosine24(int m) {
  constexpr float quarter[7] = {1.0f, 0.96592582629f, 0.86602540378f, 0.70710678119f, 0.5f, 0.25881904510f, 0.0f};
  m = (m % 24 + 24) % 24;
  if (m > 12) m = 24 - m;
  return m <= 6 ? quarter[m] : -quarter[12 - m];
}

/// a exp(-2 pi i m / 24), or with the other sign.
template <bool Inverse>
__device__ __forceinline__ float2 turned24(float2 a, int m) {
  m %= 24;
  if (m % 3 == 0) return turned32<Inverse>(a, m / 3 * 4);
  return product<Inverse>(a, {cosine24(m), -cosine24(m - 6)});
}

/// Transform of the N values v[Offset + Stride n], in place, outputs in natural order; unscaled.
template <int N, bool Inverse, int Stride = 1, int Size>
__device__ __forceinline__ void transform(float2 (&v)[Size], int offset = 0) {
  static_assert(32 % N == 0 || 24 % N == 0);
  if constexpr (N == 2) {
    const float2 a = v[offset], b = v[offset + Stride];
    v[offset] = a + b;
    v[offset + Stride] = a - b;
  } else if constexpr (N == 3) {
    constexpr float kHigh = 0.86602540378f;
    const float2 a = v[offset], b = v[offset + Stride], c = v[offset + 2 * Stride], s = b + c, d = b - c;
    const float2 m = {fmaf(-0.5f, s.x, a.x), fmaf(-0.5f, s.y, a.y)};
    const float2 w = turned32<Inverse>(d, 8);
    v[offset] = a + s;
    v[offset + Stride] = {fmaf(kHigh, w.x, m.x), fmaf(kHigh, w.y, m.y)};
    v[offset + 2 * Stride] = {fmaf(-kHigh, w.x, m.x), fmaf(-kHigh, w.y, m.y)};
  } else if constexpr (N == 4) {
    const float2 a = v[offset], b = v[offset + Stride], c = v[offset + 2 * Stride], d = v[offset + 3 * Stride];
    const float2 s = a + c, t = a - c, u = b + d, w = turned32<Inverse>(b - d, 8);
    v[offset] = s + u;
    v[offset + Stride] = t + w;
    v[offset + 2 * Stride] = s - u;
    v[offset + 3 * Stride] = t - w;
  } else {
    // N = P x Q: transforms of P over every Qth value, turns, transforms of Q; the output p + P q stands at Q p + q.
    constexpr int P = N == 6 ? 2 : 4, Q = N / P;
#pragma unroll
    for (int q = 0; q < Q; ++q) transform<P, Inverse, Stride * Q>(v, offset + Stride * q);
#pragma unroll
    for (int p = 1; p < P; ++p) {
#pragma unroll
      for (int q = 1; q < Q; ++q) {
        float2& value = v[offset + Stride * (Q * p + q)];
        if constexpr (N % 3 == 0)
          value = turned24<Inverse>(value, 24 / N * p * q);
        else
          value = turned32<Inverse>(value, 32 / N * p * q);
      }
    }
#pragma unroll
    for (int p = 0; p < P; ++p) transform<Q, Inverse, Stride>(v, offset + Stride * Q * p);
    float2 natural[N];
#pragma unroll
    for (int p = 0; p < P; ++p) {
#pragma unroll
      for (int q = 0; q < Q; ++q) natural[p + P * q] = v[offset + Stride * (Q * p + q)];
    }
#pragma unroll
    for (int n = 0; n < N; ++n) v[offset + Stride * n] = natural[n];
  }
}

}  // namespace reber::cuda::fft
