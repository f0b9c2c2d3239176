// SPDX-License-Identifier: BSD-3-Clause
// One thread of a processor as a team: the chains of kernels/shared/dense.hpp and fit_steps.hpp, several of them at a
// time in vectors, so that the bits are theirs. Sums are gathered in registers where a team of many updates memory, and
// what the noise's reach makes zero is left out.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include "core/compute/job.hpp"
#include "kernels/cpu/simd_double.hpp"
#include "kernels/shared/fit_steps.hpp"

namespace reber::cpu {

/// Asks between the steps of a problem whether to stop: an island of thousands of pixels takes seconds.
struct FitThread : OneThread {
  static constexpr bool kLeavesOut = true;
  /// What a thread keeps between problems, first how far the factor reaches from its diagonal. Element (m, j) is zero
  /// where j
  /// >= end of m's panel; ends ascend.
  struct Envelope {
    std::vector<int> end;    ///< of each panel of rows, a multiple of kPanel
    std::vector<int> begin;  ///< of each panel of columns: the first row that reaches it
    std::vector<int> row;    ///< of put_under_noise(), as the next two
    std::vector<std::pair<int, int>> near;
    std::vector<double> factor;
  };
  const Job* job;
  Envelope* envelope;  ///< correlate() fills it for the other functions

  FitThread(const Job& asked, Envelope& room) : job(&asked), envelope(&room) {}
  void sync() const { job->check(); }
  /// chi^2 as ProblemFit finds it, of the residual alone.   column: room for four numbers a pixel
  [[nodiscard]] double chi2_alone(const FitInput& in, const model::Shape* shapes, const double* inverse_rms,
                                  const dense::Triangle& factor, double* column) const;
  [[nodiscard]] int end(int row) const { return envelope->end[static_cast<std::size_t>(row / dense::kPanel)]; }
  [[nodiscard]] int begin(int column) const {
    return envelope->begin[static_cast<std::size_t>(column / dense::kPanel)];
  }
};

namespace fit_thread {

using dense::kPanel;
inline constexpr int kFour = 4;  ///< of Doubles
static_assert(kFour == kPanel);

/// The rows and columns of a tile of W vectors: kPanel rows of sums in registers.
template <int W>
struct Tile {
  Doubles at[kPanel][W];

  [[gnu::always_inline]] void load_rows(const double* const (&rows)[kPanel]) {
    for (int r = 0; r < kPanel; ++r)
      for (int w = 0; w < W; ++w) at[r][w] = load(rows[r] + kFour * w);
  }
  [[gnu::always_inline]] void store_rows(double* const (&rows)[kPanel]) const {
    for (int r = 0; r < kPanel; ++r)
      for (int w = 0; w < W; ++w) store(rows[r] + kFour * w, at[r][w]);
  }
  /// Row r := row r - factors[r] x.
  [[gnu::always_inline]] void subtract(const double* factors, const double* x) {
    Doubles right[W];
    for (int w = 0; w < W; ++w) right[w] = load(x + kFour * w);
    for (int r = 0; r < kPanel; ++r) {
      const Doubles factor = all(factors[r]);
      for (int w = 0; w < W; ++w) at[r][w] = minus_product(factor, right[w], at[r][w]);
    }
  }
  /// As dense::solve_corner() for each column.
  [[gnu::always_inline]] void solve(const dense::Corner& c) {
    for (int w = 0; w < W; ++w) {
      Doubles &x0 = at[0][w], &x1 = at[1][w], &x2 = at[2][w], &x3 = at[3][w];
      x0 = x0 * all(c.scale[0]);
      x1 = minus_product(all(c.u01), x0, x1) * all(c.scale[1]);
      x2 = minus_product(all(c.u12), x1, minus_product(all(c.u02), x0, x2)) * all(c.scale[2]);
      x3 = minus_product(all(c.u23), x2, minus_product(all(c.u13), x1, minus_product(all(c.u03), x0, x3))) *
           all(c.scale[3]);
    }
  }
};

/// Column j of the rows of a panel, of a packed triangle.
struct PanelRows {
  double* row[kPanel];
  PanelRows(const dense::Triangle& u, int k) : row{u.row(k), u.row(k + 1), u.row(k + 2), u.row(k + 3)} {}
};

/// The panel's rows at columns j .. j + 4 W - 1, right of its corner, once all rows above are done.
template <int W>
[[gnu::always_inline]] inline void factorise_tile(const FitThread& team, const dense::Triangle& u, int k, int j,
                                                  const dense::Corner& corner) {
  const PanelRows rows(u, k);
  Tile<W> tile;
  tile.load_rows({rows.row[0] + j, rows.row[1] + j, rows.row[2] + j, rows.row[3] + j});
  int m = team.begin(j);  // rows above it hold zeros here, or were not written
  for (const double* from = u.row(m); m < k; from += u.n - m - 1, ++m) tile.subtract(from + k, from + j);
  tile.solve(corner);
  tile.store_rows({rows.row[0] + j, rows.row[1] + j, rows.row[2] + j, rows.row[3] + j});
}

/// The corner at (k, k) once all rows above are done.
inline dense::Corner updated_corner(const FitThread& team, const dense::Triangle& u, int k) {
  const PanelRows rows(u, k);
  Tile<1> tile;
  // What lies left of a row's diagonal is of the row before: loaded, never used.
  tile.load_rows({rows.row[0] + k, rows.row[1] + k, rows.row[2] + k, rows.row[3] + k});
  int m = team.begin(k);
  for (const double* from = u.row(m); m < k; from += u.n - m - 1, ++m) tile.subtract(from + k, from + k);
  const Doubles &a = tile.at[0][0], &b = tile.at[1][0], &c = tile.at[2][0], &d = tile.at[3][0];
  return {a[1], a[2], a[3], b[2], b[3], c[3], {a[0], b[1], c[2], d[3]}};
}

/// Columns c .. c + 4 W - 1 of a panel of rows of x := U^-T x, once all rows above are done.
template <int W, class Columns>
[[gnu::always_inline]] inline void solve_transposed_tile(const FitThread& team, const dense::Triangle& u, int k, int c,
                                                         const dense::Corner& corner, const dense::Table<Columns>& x) {
  Tile<W> tile;
  tile.load_rows({x.row(k) + c, x.row(k + 1) + c, x.row(k + 2) + c, x.row(k + 3) + c});
  int m = team.begin(k);
  const double* right = x.row(m) + c;
  for (const double* from = u.row(m); m < k; from += u.n - m - 1, ++m, right += static_cast<int>(x.columns))
    tile.subtract(from + k, right);
  tile.solve(corner);
  tile.store_rows({x.row(k) + c, x.row(k + 1) + c, x.row(k + 2) + c, x.row(k + 3) + c});
}

/// Calls body<W>(c) for columns c .. c + 4 W - 1 until all are done; W is 1, 2 or 3.
template <class Body>
[[gnu::always_inline]] inline void for_columns(int columns, const Body& body) {
  int c = 0;
  for (; c + 3 * kFour <= columns; c += 3 * kFour) body.template operator()<3>(c);
  for (; c + 2 * kFour <= columns; c += 2 * kFour) body.template operator()<2>(c);
  for (; c < columns; c += kFour) body.template operator()<1>(c);
}

/// Sums over the rows of one chain: rows a .. a + 3 of left^T times columns b .. b + 4 W - 1 of right.
template <int W, class Columns>
[[gnu::always_inline]] inline Tile<W> product_chain(const dense::Table<Columns>& left, int a,
                                                    const dense::Table<Columns>& right, int b, int chain) {
  Tile<W> sum{};
  for (int i = chain; i < left.rows; i += dense::kChains) {
    const double *factors = left.row(i) + a, *row = right.row(i) + b;
    Doubles x[W];
    for (int w = 0; w < W; ++w) x[w] = load(row + kFour * w);
    for (int r = 0; r < kPanel; ++r)
      for (int w = 0; w < W; ++w) sum.at[r][w] = fma(all(factors[r]), x[w], sum.at[r][w]);
  }
  return sum;
}

/// Values of one component at four pixels and what its derivatives are made of: model::value_at().
struct FourValues {
  Doubles shape, value, ex, ey;
};

inline Doubles exp2_below(Doubles t) {
  constexpr double kShift = 0x1.8p52;  // as in model::exp2_below()
  const Doubles shifted = t + kShift, f = t - (shifted - kShift);
  constexpr double kTerms[] = {1.3691488853904128880e-12, 2.5678435993488205141e-11,
                               4.4455382718708114976e-10, 7.0549116208011233299e-9,
                               1.0178086009239699728e-7,  1.3215486790144309488e-6,
                               1.5252733804059840280e-5,  1.5403530393381609954e-4,
                               1.3333558146428443423e-3,  9.6181291076284771620e-3,
                               5.5504108664821579953e-2,  2.4022650695910071233e-1,
                               6.9314718055994530942e-1,  1.0};
  Doubles sum = all(kTerms[0]);
  for (std::size_t k = 1; k < std::size(kTerms); ++k) sum = fma(sum, f, all(kTerms[k]));
  const Longs n = reinterpret_cast<Longs>(shifted) - reinterpret_cast<Longs>(all(kShift));
  const Doubles value = sum * reinterpret_cast<Doubles>((n + 1023) << 52);
  return t < -1000.0 ? all(0.0) : value;
}

inline FourValues values_at(const model::Shape& g, Doubles px, Doubles py) {
  const Doubles dx = px - g.x, dy = py - g.y;
  const Doubles ex = fma(all(g.xy), dy, g.xx * dx), ey = fma(all(g.xy), dx, g.yy * dy);
  const Doubles shape = exp2_below(-4.0 * fma(ey, dy, ex * dx));
  return {shape, g.peak * shape, ex, ey};
}

/// Six values of four pixels, a vector for each value, to the pixels' rows.
inline void put_turned(const Doubles (&parts)[6], double* const* rows, int column) {
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

/// model::derivatives() of four pixels, to their rows.
inline void put_derivatives(const FourValues& v, Doubles scale, bool shape_free, int count, double* const* rows,
                            int column) {
  const Doubles slope = model::k4Ln2 * v.value * scale, by_ex = slope * v.ex, by_ey = slope * v.ey;
  const Doubles parts[6] = {v.shape * scale, 2.0 * by_ex, 2.0 * by_ey, by_ex * v.ex, 2.0 * by_ex * v.ey, by_ey * v.ey};
  if (shape_free && count == kFour) {
    put_turned(parts, rows, column);
    return;
  }
  for (int p = 0; p < (shape_free ? 6 : 3); ++p)
    for (int lane = 0; lane < count; ++lane) rows[lane][column + p] = parts[p][lane];
}

/// First and behind the last of the pixels that are within reach of a row of the image. Pixels in raster order.
struct RowsInReach {
  int first = 0, last = 0;
  void move_to(const FitInput& in, int i, int reach) {
    while (in.y[first] < in.y[i] - reach) ++first;
    while (last < in.pixels && in.y[last] <= in.y[i] + reach) ++last;
  }
};

inline void find_envelope(const FitInput& in, int n, FitThread::Envelope& envelope) {
  const auto panels = static_cast<std::size_t>(n / kPanel);
  const bool raster = std::is_sorted(in.y, in.y + in.pixels);
  envelope.end.assign(panels, n);
  envelope.begin.resize(panels);
  RowsInReach reach;
  for (int i = 0; raster && i + kPanel <= in.pixels; i += kPanel) {
    reach.move_to(in, i + kPanel - 1, in.weights.reach);
    envelope.end[static_cast<std::size_t>(i / kPanel)] = dense::padded(reach.last);
  }
  std::size_t reaching = 0;
  for (std::size_t p = 0; p < panels; ++p) {
    while (envelope.end[reaching] <= static_cast<int>(p) * kPanel) ++reaching;
    envelope.begin[p] = static_cast<int>(reaching) * kPanel;
  }
}

}  // namespace fit_thread

/// steps::correlate(). Rows are filled as far as tiles look: to one vector behind their end.
inline void correlate(const FitThread& team, const FitInput& in, const dense::Triangle& matrix, double* sums) {
  fit_thread::find_envelope(in, matrix.n, *team.envelope);
  std::fill_n(sums, matrix.n, 0.0);
  for (int i = 0; i < matrix.n; ++i) {
    double* row = matrix.row(i);
    const int end = team.end(i), known = i < in.pixels ? std::min(end, in.pixels) : i;
    double sum = sums[i];
    for (int j = i; j < known; ++j) {
      const int dy = in.y[j] - in.y[i], dx = in.x[j] - in.x[i];
      row[j] = in.weights.at(dy, dx);
      sum += std::fabs(row[j]);
      if (j > i) sums[j] += std::fabs(in.weights.at(-dy, -dx));
    }
    for (int j = known; j < std::min(end + fit_thread::kFour, matrix.n); ++j) row[j] = 0;
    sums[i] = sum;
  }
  team.sync();
}

/// dense::factorise() of what correlate() left.
inline bool factorise(const FitThread& team, const dense::Triangle& u) {
  using namespace fit_thread;
  for (int k = 0; k < u.n; k += kPanel) {
    dense::Corner corner = updated_corner(team, u, k);
    if (!dense::factorise(corner)) return false;
    const int end = team.end(k);
    for (int j = k + kPanel; j < end;) {
      const bool two = j + 2 * kFour <= u.n;
      two ? factorise_tile<2>(team, u, k, j, corner) : factorise_tile<1>(team, u, k, j, corner);
      j += two ? 2 * kFour : kFour;
    }
    const PanelRows rows(u, k);
    double *a = rows.row[0] + k, *b = rows.row[1] + k, *c = rows.row[2] + k, *d = rows.row[3] + k;
    a[0] = corner.scale[0], a[1] = corner.u01, a[2] = corner.u02, a[3] = corner.u03;
    b[1] = corner.scale[1], b[2] = corner.u12, b[3] = corner.u13;
    c[2] = corner.scale[2], c[3] = corner.u23;
    d[3] = corner.scale[3];
    team.sync();
  }
  return true;
}

/// dense::solve_transposed() by that factor.
template <class Columns>
void solve_transposed(const FitThread& team, const dense::Triangle& u, const dense::Table<Columns>& x) {
  using namespace fit_thread;
  for (int k = 0; k < u.n; k += kPanel) {
    const dense::Corner corner = dense::corner_of(u, k);
    for_columns(x.columns, [&]<int W>(int c) { solve_transposed_tile<W>(team, u, k, c, corner, x); });
    team.sync();
  }
}

/// dense::solve_upper() by that factor.
template <class Columns>
void solve_upper(const FitThread& team, const dense::Triangle& u, const dense::Table<Columns>& x) {
  using namespace fit_thread;
  for (int k = u.n - kPanel; k >= 0; k -= kPanel) {
    const dense::Corner s = dense::corner_of(u, k);
    for_columns(x.columns, [&]<int W>(int c) {
      Tile<W> right;
      right.load_rows({x.row(k) + c, x.row(k + 1) + c, x.row(k + 2) + c, x.row(k + 3) + c});
      for (int w = 0; w < W; ++w) {
        Doubles &x0 = right.at[0][w], &x1 = right.at[1][w], &x2 = right.at[2][w], &x3 = right.at[3][w];
        x3 = x3 * all(s.scale[3]);
        x2 = minus_product(all(s.u23), x3, x2) * all(s.scale[2]);
        x1 = minus_product(all(s.u12), x2, minus_product(all(s.u13), x3, x1)) * all(s.scale[1]);
        x0 = minus_product(all(s.u01), x1, minus_product(all(s.u02), x2, minus_product(all(s.u03), x3, x0))) *
             all(s.scale[0]);
      }
      right.store_rows({x.row(k) + c, x.row(k + 1) + c, x.row(k + 2) + c, x.row(k + 3) + c});
      for (int i = team.begin(k); i < k; ++i) {
        const double* f = u.row(i) + k;
        double* to = x.row(i) + c;
        for (int w = 0; w < W; ++w) {
          Doubles sum = load(to + kFour * w);
          for (int r = kPanel - 1; r >= 0; --r) sum = minus_product(all(f[r]), right.at[r][w], sum);
          store(to + kFour * w, sum);
        }
      }
    });
    team.sync();
  }
}

/// dense::product() of tables with a multiple of four columns.
template <class Columns>
void product(const FitThread& team, const dense::Table<Columns>& left, const dense::Table<Columns>& right, bool upper,
             const dense::Table<Columns>& out) {
  using namespace fit_thread;
  const int columns = left.columns;
  for (int a = 0; a < columns; a += kPanel)
    for_columns(columns, [&]<int W>(int b) {
      if (upper && b + kFour * W <= a) return;
      Tile<W> sums[dense::kChains];
      for (int chain = 0; chain < dense::kChains; ++chain) sums[chain] = product_chain<W>(left, a, right, b, chain);
      for (int r = 0; r < kPanel; ++r)
        for (int w = 0; w < W; ++w)
          store(out.row(a + r) + b + kFour * w,
                (sums[0].at[r][w] + sums[1].at[r][w]) + (sums[2].at[r][w] + sums[3].at[r][w]));
    });
  team.sync();
}

/// steps::differentiate(), four pixels at a time.
template <class Columns>
void differentiate(const FitThread& team, const FitInput& in, const model::Shape* shapes, const double* inverse_rms,
                   const dense::Table<Columns>& table) {
  using namespace fit_thread;
  const int columns = table.columns;
  for (int i = 0; i < table.rows; i += kFour) {
    const int count = std::clamp(in.pixels - i, 0, kFour);
    Doubles px{}, py{}, scale{}, value{}, sum{};
    double* rows[kFour];
    for (int lane = 0; lane < kFour; ++lane) {
      const int at = std::min(i + lane, in.pixels - 1);
      px[lane] = in.x[at], py[lane] = in.y[at], scale[lane] = inverse_rms[at], value[lane] = in.value[at];
      rows[lane] = table.row(i + lane);
    }
    int next = 0;
    for (int k = 0; k < in.components; ++k) {
      const FourValues one = values_at(shapes[k], px, py);
      sum += one.value;
      put_derivatives(one, scale, in.bounds[k].shape_free, count, rows, next);
      next += model::free_parameters(in.bounds[k]);
    }
    const Doubles rest = (value - sum) * scale;
    for (int lane = 0; lane < kFour; ++lane) {
      if (lane < count) rows[lane][next] = rest[lane];
      std::fill(rows[lane] + (lane < count ? next + 1 : 0), rows[lane] + columns, 0.0);
    }
  }
  team.sync();
}

}  // namespace reber::cpu
