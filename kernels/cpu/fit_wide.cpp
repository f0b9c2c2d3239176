// SPDX-License-Identifier: BSD-3-Clause
// Tiles of four rows and up to three vectors of eight columns. The last vector of a row may be part of one.
#include "kernels/cpu/fit_wide.hpp"

#include <algorithm>
#include <string_view>

#include "core/base/environment.hpp"
#include "kernels/cpu/pixel_values.hpp"

namespace reber::cpu::wide {

#if defined(__AVX2__) && defined(__GNUC__)

#define REBER_AVX512 __attribute__((target("avx512f")))
#define REBER_AVX512_INLINE [[gnu::always_inline]] REBER_AVX512 inline

namespace {

constexpr int kEight = 8, kMostVectors = 3, kRows = dense::kPanel;

/// Which numbers of the last vector of a tile are columns.
struct Columns {
  int first, vectors;
  __mmask8 last;
};

/// The tile from column c on.
Columns columns_from(int c, int columns) {
  const int left = std::min(columns - c, kMostVectors * kEight), vectors = (left + kEight - 1) / kEight;
  return {c, vectors, static_cast<__mmask8>(0xFF >> (vectors * kEight - left))};
}

template <int W>
struct Tile {
  __m512d at[kRows][W];
};

template <int W>
REBER_AVX512_INLINE void load_row(const double* from, __mmask8 last, __m512d (&row)[W]) {
  for (int w = 0; w + 1 < W; ++w) row[w] = _mm512_loadu_pd(from + kEight * w);
  row[W - 1] = _mm512_maskz_loadu_pd(last, from + kEight * (W - 1));
}

template <int W>
REBER_AVX512_INLINE void store_row(double* to, __mmask8 last, const __m512d (&row)[W]) {
  for (int w = 0; w + 1 < W; ++w) _mm512_storeu_pd(to + kEight * w, row[w]);
  _mm512_mask_storeu_pd(to + kEight * (W - 1), last, row[W - 1]);
}

/// c - a b, rounded once.
REBER_AVX512_INLINE __m512d minus_product(double a, __m512d b, __m512d c) {
  return _mm512_fnmadd_pd(_mm512_set1_pd(a), b, c);
}

template <int W>
REBER_AVX512_INLINE void solve_tile(const double* panel, int begin, int k, const dense::Table<int>& x,
                                    const Columns& columns) {
  const int stride = x.columns;
  double* const rows = x.row(k) + columns.first;
  Tile<W> tile;
  for (int r = 0; r < kRows; ++r) load_row<W>(rows + r * stride, columns.last, tile.at[r]);
  const double *factors = panel, *above = x.row(begin) + columns.first;
  for (int m = begin; m < k; ++m, factors += kRows, above += stride) {
    __m512d right[W];
    load_row<W>(above, columns.last, right);
    for (int r = 0; r < kRows; ++r)
      for (int w = 0; w < W; ++w) tile.at[r][w] = minus_product(factors[r], right[w], tile.at[r][w]);
  }
  // The corner of the factor at (k, k), reciprocals on its diagonal: dense::solve_corner().
  const double *a = factors, *b = a + 4, *c = a + 8, *d = a + 12;
  for (int w = 0; w < W; ++w) {
    __m512d &x0 = tile.at[0][w], &x1 = tile.at[1][w], &x2 = tile.at[2][w], &x3 = tile.at[3][w];
    x0 = x0 * _mm512_set1_pd(a[0]);
    x1 = minus_product(a[1], x0, x1) * _mm512_set1_pd(b[1]);
    x2 = minus_product(b[2], x1, minus_product(a[2], x0, x2)) * _mm512_set1_pd(c[2]);
    x3 = minus_product(c[3], x2, minus_product(b[3], x1, minus_product(a[3], x0, x3))) * _mm512_set1_pd(d[3]);
  }
  for (int r = 0; r < kRows; ++r) store_row<W>(rows + r * stride, columns.last, tile.at[r]);
}

/// Rows a .. a + R - 1 of left^T times the tile's columns of right: dense::kChains sums, added up in pairs.
template <int R, int W>
REBER_AVX512_INLINE void product_tile(const dense::Table<int>& left, int a, const dense::Table<int>& right,
                                      const Columns& columns, const dense::Table<int>& out) {
  __m512d pairs[2][R][W];
  for (int chain = 0; chain < dense::kChains; ++chain) {
    __m512d sum[R][W];
    for (int r = 0; r < R; ++r)
      for (int w = 0; w < W; ++w) sum[r][w] = _mm512_setzero_pd();
    for (int i = chain; i < left.rows; i += dense::kChains) {
      const double* const factors = left.row(i) + a;
      __m512d row[W];
      load_row<W>(right.row(i) + columns.first, columns.last, row);
      for (int r = 0; r < R; ++r)
        for (int w = 0; w < W; ++w) sum[r][w] = _mm512_fmadd_pd(_mm512_set1_pd(factors[r]), row[w], sum[r][w]);
    }
    auto& pair = pairs[chain / 2];
    for (int r = 0; r < R; ++r)
      for (int w = 0; w < W; ++w) pair[r][w] = chain % 2 == 0 ? sum[r][w] : pair[r][w] + sum[r][w];
  }
  for (int r = 0; r < R; ++r) {
    __m512d row[W];
    for (int w = 0; w < W; ++w) row[w] = pairs[0][r][w] + pairs[1][r][w];
    store_row<W>(out.row(a + r) + columns.first, columns.last, row);
  }
}

/// Rows a .. a + R - 1 from column b on.
template <int R>
REBER_AVX512 void product_rows(const dense::Table<int>& left, int a, const dense::Table<int>& right, int b,
                               const dense::Table<int>& out) {
  for (; b < left.columns; b += kMostVectors * kEight) {
    const Columns columns = columns_from(b, left.columns);
    if (columns.vectors == 1) product_tile<R, 1>(left, a, right, columns, out);
    if (columns.vectors == 2) product_tile<R, 2>(left, a, right, columns, out);
    if (columns.vectors == 3) product_tile<R, 3>(left, a, right, columns, out);
  }
}

REBER_AVX512_INLINE Doubles half_of(const Octets& value, int half) {
  return half == 0 ? __builtin_shufflevector(value, value, 0, 1, 2, 3)
                   : __builtin_shufflevector(value, value, 4, 5, 6, 7);
}

/// model::derivatives() of eight pixels, the first `count` of which have rows.
REBER_AVX512_INLINE void put_derivatives(const PixelValues<Octets>& v, const Octets& scale, bool shape_free, int count,
                                         double* const* rows, int column) {
  Octets parts[kMostParts];
  derivatives_of(v, scale, parts);
  for (int half = 0; half < 2; ++half) {
    Doubles four[kMostParts];
    for (int p = 0; p < kMostParts; ++p) four[p] = half_of(parts[p], half);
    put_parts(four, shape_free, std::clamp(count - 4 * half, 0, 4), rows + 4 * half, column);
  }
}

REBER_AVX512 void differentiate_eight(const FitInput& in, const model::Shape* shapes, const double* inverse_rms, int i,
                                      const dense::Table<int>& table) {
  const int count = std::clamp(in.pixels - i, 0, kEight), columns = table.columns;
  const PixelVectors<Octets> pixels(in, inverse_rms, i);
  Octets sum{};
  double* rows[kEight];
  for (int lane = 0; lane < kEight; ++lane) rows[lane] = table.row(std::min(i + lane, table.rows - 1));
  int next = 0;
  for (int k = 0; k < in.components; ++k) {
    PixelValues<Octets> one;
    values_at(shapes[k], pixels.x, pixels.y, one);
    sum += one.value;
    put_derivatives(one, pixels.scale, in.bounds[k].shape_free, count, rows, next);
    next += model::free_parameters(in.bounds[k]);
  }
  const Octets rest = (pixels.value - sum) * pixels.scale;
  for (int lane = 0; lane < std::min(kEight, table.rows - i); ++lane) {
    if (lane < count) rows[lane][next] = rest[lane];
    std::fill(rows[lane] + (lane < count ? next + 1 : 0), rows[lane] + columns, 0.0);
  }
}

}  // namespace

bool usable() {
  static const bool has = [] {
    const char* const text = environment(Variable::cpu_vectors);
    return __builtin_cpu_supports("avx512f") != 0 && (text == nullptr || std::string_view(text) != "narrow");
  }();
  return has;
}

REBER_AVX512 void solve_transposed(const double* panel, int begin, int k, const dense::Table<int>& x) {
  for (int c = 0; c < x.columns; c += kMostVectors * kEight) {
    const Columns columns = columns_from(c, x.columns);
    if (columns.vectors == 1) solve_tile<1>(panel, begin, k, x, columns);
    if (columns.vectors == 2) solve_tile<2>(panel, begin, k, x, columns);
    if (columns.vectors == 3) solve_tile<3>(panel, begin, k, x, columns);
  }
}

void product(const dense::Table<int>& left, const dense::Table<int>& right, bool upper, const dense::Table<int>& out) {
  int a = 0;
  for (; a + 2 * kRows <= left.columns; a += 2 * kRows) product_rows<2 * kRows>(left, a, right, upper ? a : 0, out);
  if (a < left.columns) product_rows<kRows>(left, a, right, upper ? a : 0, out);
}

void differentiate(const FitInput& in, const model::Shape* shapes, const double* inverse_rms,
                   const dense::Table<int>& table) {
  for (int i = 0; i < table.rows; i += kEight) differentiate_eight(in, shapes, inverse_rms, i, table);
}

#else

bool usable() { return false; }
void solve_transposed(const double*, int, int, const dense::Table<int>&) {}
void product(const dense::Table<int>&, const dense::Table<int>&, bool, const dense::Table<int>&) {}
void differentiate(const FitInput&, const model::Shape*, const double*, const dense::Table<int>&) {}

#endif

}  // namespace reber::cpu::wide
