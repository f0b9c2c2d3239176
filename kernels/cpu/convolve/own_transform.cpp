// SPDX-License-Identifier: BSD-3-Clause
// Eight rows, or eight columns, are transformed at once: one in each lane of a vector, so that no step shuffles.
#include "kernels/cpu/convolve/own_transform.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numbers>
#include <utility>

#include "core/base/error.hpp"
#include "kernels/cpu/simd.hpp"

namespace reber::cpu {

struct LaneTransform::Pair {
  Floats re, im;
};

namespace {

using Pair = LaneTransform::Pair;

Pair operator+(Pair a, Pair b) { return {a.re + b.re, a.im + b.im}; }
Pair operator-(Pair a, Pair b) { return {a.re - b.re, a.im - b.im}; }
Pair operator*(float a, Pair b) { return {all(a) * b.re, all(a) * b.im}; }
/// a (cos + i sin).
Pair turned(Pair a, float cos, float sin) {
  return {a.re * all(cos) - a.im * all(sin), a.re * all(sin) + a.im * all(cos)};
}
Pair times_i(Pair a) { return {-a.im, a.re}; }
Pair conjugate(Pair a) { return {a.re, -a.im}; }
Pair swapped(Pair a) { return {a.im, a.re}; }

/// cos and -sin of 2 pi k / n for k below count.
std::vector<float> turns(std::int64_t n, std::int64_t count) {
  std::vector<float> values(static_cast<std::size_t>(2 * count));
  for (std::int64_t k = 0; k < count; ++k) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n);
    values[2 * k] = static_cast<float>(std::cos(angle));
    values[2 * k + 1] = static_cast<float>(-std::sin(angle));
  }
  return values;
}

/// Transforms of length 2, 3, 4 and 5 in place.
void small(std::array<Pair, 2>& a) { a = {a[0] + a[1], a[0] - a[1]}; }

void small(std::array<Pair, 3>& a) {
  constexpr auto kSin = static_cast<float>(std::numbers::sqrt3 / 2);
  const Pair sum = a[1] + a[2], across = times_i(kSin * (a[1] - a[2]));
  const Pair middle = a[0] - 0.5f * sum;
  a = {a[0] + sum, middle - across, middle + across};
}

void small(std::array<Pair, 4>& a) {
  const Pair even = a[0] + a[2], odd = a[1] + a[3], less = a[0] - a[2], across = times_i(a[1] - a[3]);
  a = {even + odd, less - across, even - odd, less + across};
}

void small(std::array<Pair, 5>& a) {
  // cos and sin of 2 pi / 5 and of twice that
  constexpr float kCos1 = 0.309016994374947f, kCos2 = -0.809016994374947f;
  constexpr float kSin1 = 0.951056516295154f, kSin2 = 0.587785252292473f;
  const Pair sum1 = a[1] + a[4], sum2 = a[2] + a[3], less1 = a[1] - a[4], less2 = a[2] - a[3];
  const Pair real1 = a[0] + kCos1 * sum1 + kCos2 * sum2, real2 = a[0] + kCos2 * sum1 + kCos1 * sum2;
  const Pair across1 = times_i(kSin1 * less1 + kSin2 * less2), across2 = times_i(kSin2 * less1 - kSin1 * less2);
  a = {a[0] + sum1 + sum2, real1 - across1, real2 - across2, real2 + across2, real1 + across1};
}

/// One step: sequences of n = kStep m places, `stride` of them interleaved, become kStep times as many of m places.
template <int kStep>
void step(const Pair* from, Pair* to, std::int64_t n, std::int64_t stride, const float* turns) {
  const std::int64_t m = n / kStep;
  for (std::int64_t p = 0; p < m; ++p) {
    for (std::int64_t q = 0; q < stride; ++q) {
      std::array<Pair, kStep> a;
      for (int j = 0; j < kStep; ++j) a[j] = from[q + stride * (p + m * j)];
      small(a);
      to[q + stride * kStep * p] = a[0];
      for (int k = 1; k < kStep; ++k) {
        const float* turn = turns + 2 * (p * k * stride);  // of exp(-2 pi i p k / n): the table's length is n stride
        to[q + stride * (kStep * p + k)] = turned(a[k], turn[0], turn[1]);
      }
    }
  }
}

/// Eight rows of eight floats become eight vectors of one column each, and the other way round.
void transpose(std::array<Floats, 8>& v) {
  std::array<Floats, 8> a, b;
  for (int i = 0; i < 4; ++i) {
    a[2 * i] = shuffled<0, 8, 1, 9, 4, 12, 5, 13>(v[2 * i], v[2 * i + 1]);
    a[2 * i + 1] = shuffled<2, 10, 3, 11, 6, 14, 7, 15>(v[2 * i], v[2 * i + 1]);
  }
  for (int i = 0; i < 8; i += 4) {
    b[i] = shuffled<0, 1, 8, 9, 4, 5, 12, 13>(a[i], a[i + 2]);
    b[i + 1] = shuffled<2, 3, 10, 11, 6, 7, 14, 15>(a[i], a[i + 2]);
    b[i + 2] = shuffled<0, 1, 8, 9, 4, 5, 12, 13>(a[i + 1], a[i + 3]);
    b[i + 3] = shuffled<2, 3, 10, 11, 6, 7, 14, 15>(a[i + 1], a[i + 3]);
  }
  for (int i = 0; i < 4; ++i) {
    v[i] = shuffled<0, 1, 2, 3, 8, 9, 10, 11>(b[i], b[i + 4]);
    v[i + 4] = shuffled<4, 5, 6, 7, 12, 13, 14, 15>(b[i], b[i + 4]);
  }
}

std::unique_ptr<Pair[]> pairs(std::int64_t count) {  // not zeroed
  return std::unique_ptr<Pair[]>(new Pair[static_cast<std::size_t>(count)]);
}

/// Four pairs of eight rows, `stride` floats apart.
void load_pairs(const float* from, std::int64_t stride, Pair* to) {
  std::array<Floats, 8> block;
  for (int row = 0; row < 8; ++row) block[row] = load(from + row * stride);
  transpose(block);
  for (int k = 0; k < 4; ++k) to[k] = {block[2 * k], block[2 * k + 1]};
}
void store_pairs(const Pair* from, float* to, std::int64_t stride) {
  std::array<Floats, 8> block;
  for (int k = 0; k < 4; ++k) {
    block[2 * k] = from[k].re;
    block[2 * k + 1] = from[k].im;
  }
  transpose(block);
  for (int row = 0; row < 8; ++row) store(to + row * stride, block[row]);
}

}  // namespace

LaneTransform::LaneTransform(std::int64_t n) : n_(n), turns_(turns(n, n)) {
  std::int64_t rest = n;
  for (const int radix : {4, 2, 3, 5})
    for (; rest % radix == 0; rest /= radix) steps_.push_back(radix);
  if (n < 1 || rest != 1) throw InternalError(fmt::format("no transform of length {}", n));
}

Pair* LaneTransform::run(Pair* values, Pair* spare) const {
  std::int64_t n = n_, stride = 1;
  for (const int radix : steps_) {
    const auto one = radix == 4 ? step<4> : radix == 2 ? step<2> : radix == 3 ? step<3> : step<5>;
    one(values, spare, n, stride, turns_.data());
    std::swap(values, spare);
    n /= radix;
    stride *= radix;
  }
  return values;
}

OwnTransform::OwnTransform(std::int64_t ny, std::int64_t nx)
    : ny_(ny), nx_(nx), along_y_(ny), along_half_x_(nx / 2), turns_(turns(nx, nx / 2 + 1)) {
  if (ny % 8 != 0 || nx % 8 != 0) throw InternalError(fmt::format("no transform of {} x {}", nx, ny));
}

/// Pairs of neighbours are taken for complex numbers: z[k] = x[2k] + i x[2k+1]. With Z its transform and h = nx / 2
///   X[k] = (Z[k] + conj Z[h-k]) / 2 - i / 2 exp(-2 pi i k / nx) (Z[k] - conj Z[h-k])
void OwnTransform::forward(const float* pixels, float* spectrum) const {
  const std::int64_t half = nx_ / 2, stride = 2 * (half + 1);
  const auto first = pairs(half), second = pairs(half), row = pairs(half + 1);
  for (std::int64_t y = 0; y < ny_; y += kLanes) {
    for (std::int64_t k = 0; k < half; k += 4) load_pairs(pixels + y * nx_ + 2 * k, nx_, first.get() + k);
    const Pair* z = along_half_x_.run(first.get(), second.get());
    for (std::int64_t k = 0; k <= half; ++k) {
      const Pair here = z[k % half], there = conjugate(z[(half - k) % half]);
      const Pair across = times_i(turned(here - there, turns_[2 * k], turns_[2 * k + 1]));
      row[k] = 0.5f * (here + there - across);
    }
    float* to = spectrum + y * stride;
    for (std::int64_t k = 0; k < half; k += 4) store_pairs(row.get() + k, to + 2 * k, stride);
    for (int lane = 0; lane < kLanes; ++lane) {
      to[lane * stride + 2 * half] = row[half].re[lane];
      to[lane * stride + 2 * half + 1] = row[half].im[lane];
    }
  }
  columns(spectrum, false);
}

/// forward() read from its end: Z[k] = X[k] + conj X[h-k] + i exp(2 pi i k / nx) (X[k] - conj X[h-k]).
void OwnTransform::backward(float* spectrum, float* pixels) const {
  columns(spectrum, true);
  const std::int64_t half = nx_ / 2, stride = 2 * (half + 1);
  const auto first = pairs(half), second = pairs(half), row = pairs(half + 1);
  for (std::int64_t y = 0; y < ny_; y += kLanes) {
    const float* from = spectrum + y * stride;
    for (std::int64_t k = 0; k < half; k += 4) load_pairs(from + 2 * k, stride, row.get() + k);
    for (int lane = 0; lane < kLanes; ++lane) {
      row[half].re[lane] = from[lane * stride + 2 * half];
      row[half].im[lane] = from[lane * stride + 2 * half + 1];
    }
    for (std::int64_t k = 0; k < half; ++k) {
      const Pair here = row[k], there = conjugate(row[half - k]);
      const Pair across = times_i(turned(here - there, turns_[2 * k], -turns_[2 * k + 1]));
      first[k] = swapped(here + there + across);  // parts swapped before and after: the transform runs backwards
    }
    Pair* z = along_half_x_.run(first.get(), second.get());
    for (std::int64_t k = 0; k < half; ++k) z[k] = swapped(z[k]);
    for (std::int64_t k = 0; k < half; k += 4) store_pairs(z + k, pixels + y * nx_ + 2 * k, nx_);
  }
}

void OwnTransform::columns(float* spectrum, bool back) const {
  const std::int64_t count = nx_ / 2 + 1, stride = 2 * count;
  const auto first = pairs(ny_), second = pairs(ny_);
  for (std::int64_t x = 0; x < count; x += kLanes) {
    const auto floats = static_cast<std::size_t>(2 * std::min<std::int64_t>(kLanes, count - x));
    float line[2 * kLanes] = {};
    for (std::int64_t y = 0; y < ny_; ++y) {
      std::memcpy(line, spectrum + y * stride + 2 * x, floats * sizeof(float));
      const Floats low = load(line), high = load(line + kLanes);
      const Pair value{shuffled<0, 2, 4, 6, 8, 10, 12, 14>(low, high), shuffled<1, 3, 5, 7, 9, 11, 13, 15>(low, high)};
      first[y] = back ? swapped(value) : value;
    }
    const Pair* z = along_y_.run(first.get(), second.get());
    for (std::int64_t y = 0; y < ny_; ++y) {
      const Pair value = back ? swapped(z[y]) : z[y];
      store(line, shuffled<0, 8, 1, 9, 2, 10, 3, 11>(value.re, value.im));
      store(line + kLanes, shuffled<4, 12, 5, 13, 6, 14, 7, 15>(value.re, value.im));
      std::memcpy(spectrum + y * stride + 2 * x, line, floats * sizeof(float));
    }
  }
}

}  // namespace reber::cpu
