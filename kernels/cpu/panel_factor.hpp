// SPDX-License-Identifier: BSD-3-Clause
// A triangle by panels of four columns, for threads of a processor: what a panel needs lies in a row, where rows of the
// triangle would be pages apart.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "core/base/thread_pool.hpp"
#include "kernels/cpu/simd_double.hpp"
#include "kernels/shared/dense.hpp"

namespace reber::cpu {

using dense::kPanel;
inline constexpr int kFour = 4;  ///< of Doubles
static_assert(kFour == kPanel);

/// The upper triangle of an n x n matrix, n a multiple of kPanel. Of the columns c .. c + 3 of a panel the rows
/// begin(c) .. c + 3 are there, four numbers each; rows above are zero. Where panels begin never descends.
class PanelFactor {
 public:
  /// begins: of each panel, a multiple of kPanel. What the matrix holds is undefined.
  void take_shape(std::vector<int>& begins) {
    begin_.swap(begins);
    first_.clear();
    std::size_t count = 0;
    for (std::size_t p = 0; p < begin_.size(); ++p) {
      first_.push_back(count);
      count += static_cast<std::size_t>(kPanel * (static_cast<int>(p + 1) * kPanel - begin_[p]));
    }
    if (count <= room_) return;
    numbers_ = std::make_unique_for_overwrite<double[]>(count);
    room_ = count;
  }

  [[nodiscard]] int size() const { return kPanel * static_cast<int>(begin_.size()); }
  [[nodiscard]] int begin(int column) const { return begin_[static_cast<std::size_t>(column / kPanel)]; }
  /// Elements (row, column .. column + 3) of the panel that begins at the column; the next row is four numbers on.
  [[nodiscard]] double* at(int row, int column) const {
    const auto panel = static_cast<std::size_t>(column / kPanel);
    return numbers_.get() + first_[panel] + kPanel * (row - begin_[panel]);
  }
  [[nodiscard]] double& element(int row, int column) const {
    return at(row, column / kPanel * kPanel)[column % kPanel];
  }

  [[nodiscard]] dense::Corner corner(int k) const {
    const double *a = at(k, k), *b = a + 4, *c = a + 8, *d = a + 12;
    return {a[1], a[2], a[3], b[2], b[3], c[3], {a[0], b[1], c[2], d[3]}};
  }
  void set_corner(int k, const dense::Corner& s) const {
    double *a = at(k, k), *b = a + 4, *c = a + 8, *d = a + 12;
    a[0] = s.scale[0], a[1] = s.u01, a[2] = s.u02, a[3] = s.u03;
    b[1] = s.scale[1], b[2] = s.u12, b[3] = s.u13;
    c[2] = s.scale[2], c[3] = s.u23;
    d[3] = s.scale[3];
  }

 private:
  std::vector<int> begin_;
  std::vector<std::size_t> first_;  ///< number of each panel
  std::unique_ptr<double[]> numbers_;
  std::size_t room_ = 0;
};

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

/// Calls body<W>(c) for columns c .. c + 4 W - 1 until all are done; W is 1, 2 or 3.
template <class Body>
[[gnu::always_inline]] inline void for_columns(int columns, const Body& body) {
  int c = 0;
  for (; c + 3 * kFour <= columns; c += 3 * kFour) body.template operator()<3>(c);
  for (; c + 2 * kFour <= columns; c += 2 * kFour) body.template operator()<2>(c);
  for (; c < columns; c += kFour) body.template operator()<1>(c);
}

namespace panels {

/// Subtracts the products of rows m .. end - 1 of panel k and of V panels from j on from a tile's first V vectors.
template <int V, int W>
[[gnu::always_inline]] inline void subtract_rows(const PanelFactor& u, int k, int j, int m, int end, Tile<W>& tile) {
  if (m >= end) return;
  const double* factors = u.at(m, k);
  const double* x[V];
  for (int w = 0; w < V; ++w) x[w] = u.at(m, j + kFour * w);
  Tile<V> sums;
  for (int r = 0; r < kPanel; ++r)
    for (int w = 0; w < V; ++w) sums.at[r][w] = tile.at[r][w];
  for (; m < end; ++m, factors += kPanel) {
    Doubles right[V];
    for (int w = 0; w < V; ++w, x[w - 1] += kPanel) right[w] = load(x[w]);
    for (int r = 0; r < kPanel; ++r) {
      const Doubles factor = all(factors[r]);
      for (int w = 0; w < V; ++w) sums.at[r][w] = minus_product(factor, right[w], sums.at[r][w]);
    }
  }
  for (int r = 0; r < kPanel; ++r)
    for (int w = 0; w < V; ++w) tile.at[r][w] = sums.at[r][w];
}

/// Rows k .. k + 3 of W panels from j on, with what rows above them subtract.
template <int W>
[[gnu::always_inline]] inline Tile<W> updated_tile(const PanelFactor& u, int k, int j) {
  Tile<W> tile;
  for (int w = 0; w < W; ++w) {
    const double* from = u.at(k, j + kFour * w);
    for (int r = 0; r < kPanel; ++r) tile.at[r][w] = load(from + kPanel * r);
  }
  // A panel that begins further down has nothing to subtract before.
  const auto until = [&](int w) { return w < W ? std::min(k, u.begin(j + kFour * w)) : k; };
  subtract_rows<1>(u, k, j, u.begin(j), until(1), tile);
  if constexpr (W > 1) subtract_rows<2>(u, k, j, u.begin(j + kFour), until(2), tile);
  if constexpr (W > 2) subtract_rows<3>(u, k, j, u.begin(j + 2 * kFour), k, tile);
  return tile;
}

template <int W>
[[gnu::always_inline]] inline void factorise_tile(const PanelFactor& u, int k, int j, const dense::Corner& corner) {
  Tile<W> tile = updated_tile<W>(u, k, j);
  tile.solve(corner);
  for (int w = 0; w < W; ++w) {
    double* to = u.at(k, j + kFour * w);
    for (int r = 0; r < kPanel; ++r) store(to + kPanel * r, tile.at[r][w]);
  }
}

/// Rows k .. k + 3 of those of the panels j, j + 4, .. below `end` that reach them.
inline void factorise_rows(const PanelFactor& u, int k, int j, int end) {
  int reached = 0;
  while (j + reached * kFour < end && u.begin(j + reached * kFour) <= k) ++reached;
  if (reached == 0) return;
  const dense::Corner corner = u.corner(k);
  if (reached == 1) factorise_tile<1>(u, k, j, corner);
  if (reached == 2) factorise_tile<2>(u, k, j, corner);
  if (reached == 3) factorise_tile<3>(u, k, j, corner);
}

/// The corner at (k, k) once all rows above are done, factorised.   returns false where it is not positive definite
inline bool factorise_corner(const PanelFactor& u, int k) {
  const Tile<1> tile = updated_tile<1>(u, k, k);
  const Doubles &a = tile.at[0][0], &b = tile.at[1][0], &c = tile.at[2][0], &d = tile.at[3][0];
  dense::Corner corner{a[1], a[2], a[3], b[2], b[3], c[3], {a[0], b[1], c[2], d[3]}};
  if (!dense::factorise(corner)) return false;
  u.set_corner(k, corner);
  return true;
}

}  // namespace panels

/// dense::factorise() by strips of three panels, which stay in the first cache. Several threads may work on strips side
/// by side: each goes as far as the strips before it are done, and a number's chain is the same.
class StripFactor {
 public:
  explicit StripFactor(const PanelFactor& u) : u_(u) {}

  [[nodiscard]] int strips() const { return (u_.size() + kStrip - 1) / kStrip; }
  /// Whether the matrix was positive definite, once all strips are done.
  [[nodiscard]] bool positive() const { return !ended_.load(std::memory_order_relaxed); }

  /// Once for each strip, begun in their order.   asked: called after it; whatever it throws ends the other strips
  template <class Asked>
  void factorise(int strip, const Asked& asked) {
    const int first = kStrip * strip, end = std::min(first + kStrip, u_.size());
    for (int k = u_.begin(first); k < first; k += kPanel) {
      if (!is_done(k / kStrip)) return;
      panels::factorise_rows(u_, k, first, end);
    }
    for (int k = first; k < end; k += kPanel) {
      if (!panels::factorise_corner(u_, k)) return ended_.store(true);
      panels::factorise_rows(u_, k, k + kPanel, end);
    }
    if (!is_done(strip - 1)) return;
    done_.store(strip + 1, std::memory_order_release);
    try {
      asked();
    } catch (...) {
      ended_.store(true);
      throw;
    }
  }

 private:
  static constexpr int kStrip = 3 * kFour;

  /// Waits for a strip that another thread is at.   returns false where it will not be done
  [[nodiscard]] bool is_done(int strip) const {
    constexpr int kPatience = 256;  // looks; then whoever is waited for may need this processor
    for (int looks = 0; done_.load(std::memory_order_acquire) <= strip; ++looks) {
      if (ended_.load(std::memory_order_relaxed)) return false;
      if (looks >= kPatience) std::this_thread::yield();
    }
    return true;
  }

  const PanelFactor& u_;
  std::atomic<int> done_ = 0;  ///< strips, all before this one
  std::atomic<bool> ended_ = false;
};

/// dense::factorise().   threads: that have nothing else to do help with a large matrix;   asked: called between strips
template <class Asked>
bool factorise(const PanelFactor& u, ThreadPool& threads, const Asked& asked) {
  constexpr int kLarge = 400, kMostThreads = 8;  // 0.5 ms of a thread; more than eight wait for each other
  StripFactor strips(u);
  if (u.size() >= kLarge) {
    threads.for_each_idle(strips.strips(), kMostThreads,
                          [&](std::int64_t strip) { strips.factorise(static_cast<int>(strip), asked); });
  } else {
    for (int strip = 0; strip < strips.strips() && strips.positive(); ++strip) strips.factorise(strip, asked);
  }
  return strips.positive();
}

/// dense::solve_transposed() for columns c .. c + 4 W - 1 of rows k .. k + 3, once all rows above are done.
template <int W, class Columns>
[[gnu::always_inline]] inline void solve_transposed_tile(const PanelFactor& u, int k, int c,
                                                         const dense::Corner& corner, const dense::Table<Columns>& x) {
  Tile<W> tile;
  tile.load_rows({x.row(k) + c, x.row(k + 1) + c, x.row(k + 2) + c, x.row(k + 3) + c});
  int m = u.begin(k);
  const double *right = x.row(m) + c, *factors = u.at(m, k);
  for (; m < k; ++m, factors += kPanel, right += static_cast<int>(x.columns)) tile.subtract(factors, right);
  tile.solve(corner);
  tile.store_rows({x.row(k) + c, x.row(k + 1) + c, x.row(k + 2) + c, x.row(k + 3) + c});
}

/// dense::solve_upper() for columns c .. c + 4 W - 1: rows k .. k + 3, then what they take from the rows above.
template <int W, class Columns>
[[gnu::always_inline]] inline void solve_upper_tile(const PanelFactor& u, int k, int c, const dense::Corner& s,
                                                    const dense::Table<Columns>& x) {
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
  int i = u.begin(k);
  const double* f = u.at(i, k);
  for (double* to = x.row(i) + c; i < k; ++i, f += kPanel, to += static_cast<int>(x.columns))
    for (int w = 0; w < W; ++w) {
      Doubles sum = load(to + kFour * w);
      for (int r = kPanel - 1; r >= 0; --r) sum = minus_product(all(f[r]), right.at[r][w], sum);
      store(to + kFour * w, sum);
    }
}

}  // namespace reber::cpu
