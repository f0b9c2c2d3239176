// SPDX-License-Identifier: BSD-3-Clause
// A component and its derivatives at several pixels side by side: the chains of kernels/shared/gaussian_model.hpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>

#include "kernels/cpu/simd_double.hpp"
#include "kernels/shared/fit_steps.hpp"
#include "kernels/shared/gaussian_model.hpp"

namespace reber::cpu {

/// Values of one component at the pixels of a vector and what its derivatives are made of: model::value_at().
template <class Vector>
struct PixelValues {
  Vector shape, value, ex, ey;
};

/// Pixels i, i + 1 and so on of a problem; the last one again where there are no more.
template <class Vector>
struct PixelVectors {
  Vector x, y, value, scale;
  static constexpr int kCount = sizeof(Vector) / sizeof(double);

  [[gnu::always_inline]] inline PixelVectors(const FitInput& in, const double* inverse_rms, int i) {
    if (i + kCount <= in.pixels) {
      convert(in.x + i, x), convert(in.y + i, y);
      std::memcpy(&value, in.value + i, sizeof(value));
      std::memcpy(&scale, inverse_rms + i, sizeof(scale));
      return;
    }
    x = y = value = scale = Vector{};
    for (int lane = 0; lane < kCount; ++lane) {
      const int at = std::min(i + lane, in.pixels - 1);
      x[lane] = in.x[at], y[lane] = in.y[at], scale[lane] = inverse_rms[at], value[lane] = in.value[at];
    }
  }

 private:
  [[gnu::always_inline]] static inline void convert(const std::int32_t* from, Vector& to) {
    using Whole [[gnu::vector_size(sizeof(Vector) / 2)]] = std::int32_t;
    Whole whole;
    std::memcpy(&whole, from, sizeof(whole));
    to = __builtin_convertvector(whole, Vector);
  }
};

inline constexpr double kPowerTerms[] = {1.3691488853904128880e-12, 2.5678435993488205141e-11,
                                         4.4455382718708114976e-10, 7.0549116208011233299e-9,
                                         1.0178086009239699728e-7,  1.3215486790144309488e-6,
                                         1.5252733804059840280e-5,  1.5403530393381609954e-4,
                                         1.3333558146428443423e-3,  9.6181291076284771620e-3,
                                         5.5504108664821579953e-2,  2.4022650695910071233e-1,
                                         6.9314718055994530942e-1,  1.0};

/// sum := the polynomial's terms from k on, whose higher ones are in it.
template <std::size_t k, class Vector>
[[gnu::always_inline]] inline void add_terms(const Vector& f, Vector& sum) {
  multiply_add(sum, f, Vector{} + kPowerTerms[k], sum);
  if constexpr (k + 1 < std::size(kPowerTerms)) add_terms<k + 1>(f, sum);
}

/// value := model::exp2_below(t).
template <class Vector>
[[gnu::always_inline]] inline void exp2_below(const Vector& t, Vector& value) {
  using Integers = decltype(t < t);
  constexpr double kShift = 0x1.8p52;
  const Vector zeros{}, shifted = t + kShift, f = t - (shifted - kShift);
  Vector sum = zeros + kPowerTerms[0];
  add_terms<1>(f, sum);
  const Integers n = reinterpret_cast<Integers>(shifted) - reinterpret_cast<Integers>(zeros + kShift);
  const Vector power = sum * reinterpret_cast<Vector>((n + 1023) << 52);
  value = t < -1000.0 ? zeros : power;
}

template <class Vector>
[[gnu::always_inline]] inline void values_at(const model::Shape& g, const Vector& px, const Vector& py,
                                             PixelValues<Vector>& v) {
  const Vector dx = px - g.x, dy = py - g.y, xy = Vector{} + g.xy;
  multiply_add(xy, dy, g.xx * dx, v.ex);
  multiply_add(xy, dx, g.yy * dy, v.ey);
  Vector square;
  multiply_add(v.ey, dy, v.ex * dx, square);
  exp2_below(-4.0 * square, v.shape);
  v.value = g.peak * v.shape;
}

inline constexpr int kMostParts = 6;  ///< derivatives of a component

/// model::derivatives().
template <class Vector>
[[gnu::always_inline]] inline void derivatives_of(const PixelValues<Vector>& v, const Vector& scale,
                                                  Vector (&parts)[kMostParts]) {
  const Vector slope = model::k4Ln2 * v.value * scale, by_ex = slope * v.ex, by_ey = slope * v.ey;
  parts[0] = v.shape * scale, parts[1] = 2.0 * by_ex, parts[2] = 2.0 * by_ey;
  parts[3] = by_ex * v.ex, parts[4] = 2.0 * by_ex * v.ey, parts[5] = by_ey * v.ey;
}

/// Six values of four pixels, a vector for each value, to the pixels' rows.
[[gnu::always_inline]] inline void put_turned(const Doubles (&parts)[kMostParts], double* const* rows, int column) {
  const Doubles ab[2] = {__builtin_shufflevector(parts[0], parts[1], 0, 4, 2, 6),
                         __builtin_shufflevector(parts[0], parts[1], 1, 5, 3, 7)};
  const Doubles cd[2] = {__builtin_shufflevector(parts[2], parts[3], 0, 4, 2, 6),
                         __builtin_shufflevector(parts[2], parts[3], 1, 5, 3, 7)};
  const Doubles ef[2] = {__builtin_shufflevector(parts[4], parts[5], 0, 4, 2, 6),
                         __builtin_shufflevector(parts[4], parts[5], 1, 5, 3, 7)};
  for (int odd = 0; odd < 2; ++odd) {
    store(rows[odd] + column, __builtin_shufflevector(ab[odd], cd[odd], 0, 1, 4, 5));
    store(rows[odd + 2] + column, __builtin_shufflevector(ab[odd], cd[odd], 2, 3, 6, 7));
    for (int half = 0; half < 2; ++half) {
      rows[odd + 2 * half][column + 4] = ef[odd][2 * half];
      rows[odd + 2 * half][column + 5] = ef[odd][2 * half + 1];
    }
  }
}

/// The derivatives of a component, or the first three of them, to the rows of `count` of four pixels.
[[gnu::always_inline]] inline void put_parts(const Doubles (&parts)[kMostParts], bool shape_free, int count,
                                             double* const* rows, int column) {
  if (shape_free && count == 4) {
    put_turned(parts, rows, column);
    return;
  }
  for (int p = 0; p < (shape_free ? kMostParts : 3); ++p)
    for (int lane = 0; lane < count; ++lane) rows[lane][column + p] = parts[p][lane];
}

}  // namespace reber::cpu
