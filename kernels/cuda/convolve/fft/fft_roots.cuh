// SPDX-License-Identifier: BSD-3-Clause
// Roots of unity in constant memory, computed by the compiler in double.
#pragma once

#include <cuda_runtime.h>

namespace reber::cuda::fft {

/// exp(-2 pi i m / N), m < N.
template <int N>
struct Roots {
  float2 w[N];
};

/// cos and sin of an angle of at most pi/4 by their series, whose 12th term is below 1e-20.
constexpr double small_cosine(double a) {
  double sum = 0, term = 1;
  for (int k = 1; k < 24; k += 2) sum += term, term *= -a * a / (k * (k + 1));
  return sum;
}
constexpr double small_sine(double a) {
  double sum = 0, term = a;
  for (int k = 2; k < 25; k += 2) sum += term, term *= -a * a / (k * (k + 1));
  return sum;
}

template <int N>
constexpr Roots<N> make_roots() {
  static_assert(N % 8 == 0);
  constexpr double kTurn = 6.283185307179586476925286766559;
  Roots<N> roots{};
  for (int m = 0; m < N; ++m) {
    // The angle from the nearest quarter turn, at most pi/4 either way.
    const int quarter = (m + N / 8) / (N / 4);
    const double a = kTurn * (m - quarter * (N / 4)) / N;
    const double c = small_cosine(a), s = small_sine(a);
    const double turned_c[4] = {c, -s, -c, s}, turned_s[4] = {s, c, -s, -c};
    roots.w[m].x = static_cast<float>(turned_c[quarter % 4]);
    roots.w[m].y = static_cast<float>(-turned_s[quarter % 4]);
  }
  return roots;
}

}  // namespace reber::cuda::fft
