// SPDX-License-Identifier: BSD-3-Clause
// Small dense linear algebra in double for a team: Cholesky factor, triangular solves, products over pixels. Every
// element is a chain of fused multiply-adds in ascending order of the index summed over, so no division of the work
// shows.
#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/shared/team.hpp"

namespace reber::dense {

/// Matrices have a multiple of this many rows; what pads a triangle is the identity, what pads a table is zero.
inline constexpr int kPanel = 4;
/// Members of a team side by side along a row of a triangle.
inline constexpr int kAcross = 16;
/// Partial sums of a product over pixels: pixel i goes to chain i mod 4, the chains are added as (0 + 1) + (2 + 3).
inline constexpr int kChains = 4;

REBER_HD int padded(int n) { return (n + kPanel - 1) / kPanel * kPanel; }
REBER_HD std::int64_t triangle_size(std::int64_t n) { return n * (n + 1) / 2; }

/// Upper triangle of an n x n matrix, packed by rows: row(k)[j] is the element (k, j) for j >= k.
struct Triangle {
  double* data;
  int n;
  REBER_HD double* row(int k) const { return data + static_cast<std::int64_t>(k) * (2 * n - k - 1) / 2; }
};

/// Table of rows x columns; Columns is int, or std::integral_constant where the number is known when compiling.
template <class Columns>
struct Table {
  double* data;
  int rows;
  Columns columns;
  REBER_HD double* row(int r) const { return data + static_cast<std::int64_t>(r) * static_cast<int>(columns); }
};

/// The 4 x 4 triangle at (k, k), in registers; reciprocals of the factor's diagonal in `scale`.
struct Corner {
  double u01, u02, u03, u12, u13, u23;
  double scale[kPanel];
};

REBER_HD Corner corner_of(const Triangle& u, int k) {
  const double *a = u.row(k) + k, *b = u.row(k + 1) + k, *c = u.row(k + 2) + k, *d = u.row(k + 3) + k;
  return {a[1], a[2], a[3], b[2], b[3], c[3], {a[0], b[1], c[2], d[3]}};
}

/// The factor of a corner that holds the matrix.   returns false where it is not positive definite
REBER_HD bool factorise(Corner& c) {
  using std::fma, std::sqrt;
  double* s = c.scale;
  if (!(s[0] > 0)) return false;
  s[0] = 1 / sqrt(s[0]);
  c.u01 *= s[0], c.u02 *= s[0], c.u03 *= s[0];
  s[1] = fma(-c.u01, c.u01, s[1]);
  if (!(s[1] > 0)) return false;
  s[1] = 1 / sqrt(s[1]);
  c.u12 = fma(-c.u01, c.u02, c.u12) * s[1], c.u13 = fma(-c.u01, c.u03, c.u13) * s[1];
  s[2] = fma(-c.u12, c.u12, fma(-c.u02, c.u02, s[2]));
  if (!(s[2] > 0)) return false;
  s[2] = 1 / sqrt(s[2]);
  c.u23 = fma(-c.u12, c.u13, fma(-c.u02, c.u03, c.u23)) * s[2];
  s[3] = fma(-c.u23, c.u23, fma(-c.u13, c.u13, fma(-c.u03, c.u03, s[3])));
  if (!(s[3] > 0)) return false;
  s[3] = 1 / sqrt(s[3]);
  return true;
}

/// x := corner^-T x for four entries of a column.
REBER_HD void solve_corner(const Corner& c, double& x0, double& x1, double& x2, double& x3) {
  using std::fma;
  x0 = x0 * c.scale[0];
  x1 = fma(-c.u01, x0, x1) * c.scale[1];
  x2 = fma(-c.u12, x1, fma(-c.u02, x0, x2)) * c.scale[2];
  x3 = fma(-c.u23, x2, fma(-c.u13, x1, fma(-c.u03, x0, x3))) * c.scale[3];
}

/// V = U^T U in place, U's diagonal replaced by its reciprocals. Every member gets the same answer.
///   returns false where V is not positive definite
template <class Team>
REBER_HD bool factorise(const Team& team, const Triangle& u) {
  using std::fma;
  const Share share = share_of(team, kAcross);
  for (int k = 0; k < u.n; k += kPanel) {
    const int end = k + kPanel;
    double *a = u.row(k), *b = u.row(k + 1), *c = u.row(k + 2), *d = u.row(k + 3);
    Corner corner = corner_of(u, k);
    if (!factorise(corner)) return false;
    for (int j = end + team.rank; j < u.n; j += team.size) solve_corner(corner, a[j], b[j], c[j], d[j]);
    team.sync();
    if (team.rank == 0) {
      a[k] = corner.scale[0], a[k + 1] = corner.u01, a[k + 2] = corner.u02, a[k + 3] = corner.u03;
      b[k + 1] = corner.scale[1], b[k + 2] = corner.u12, b[k + 3] = corner.u13;
      c[k + 2] = corner.scale[2], c[k + 3] = corner.u23;
      d[k + 3] = corner.scale[3];
    }
    for (int i = end + share.row; i < u.n; i += share.rows) {
      double* to = u.row(i);
      const double fa = -a[i], fb = -b[i], fc = -c[i], fd = -d[i];
      REBER_VECTOR
      for (int j = i + share.column; j < u.n; j += share.columns)
        to[j] = fma(fd, d[j], fma(fc, c[j], fma(fb, b[j], fma(fa, a[j], to[j]))));
    }
    team.sync();
  }
  return true;
}

/// x := U^-T x for a factor as factorise() leaves it.
template <class Team, class Columns>
REBER_HD void solve_transposed(const Team& team, const Triangle& u, const Table<Columns>& x) {
  using std::fma;
  const int columns = x.columns;
  const Share share = share_of(team, columns);
  for (int k = 0; k < u.n; k += kPanel) {
    const int end = k + kPanel;
    const Corner corner = corner_of(u, k);
    double *x0 = x.row(k), *x1 = x.row(k + 1), *x2 = x.row(k + 2), *x3 = x.row(k + 3);
    REBER_VECTOR
    for (int c = team.rank; c < columns; c += team.size) solve_corner(corner, x0[c], x1[c], x2[c], x3[c]);
    team.sync();
    const double *a = u.row(k), *b = u.row(k + 1), *c = u.row(k + 2), *d = u.row(k + 3);
    for (int i = end + share.row; i < u.n; i += share.rows) {
      double* to = x.row(i);
      const double fa = -a[i], fb = -b[i], fc = -c[i], fd = -d[i];
      REBER_VECTOR
      for (int q = share.column; q < columns; q += share.columns)
        to[q] = fma(fd, x3[q], fma(fc, x2[q], fma(fb, x1[q], fma(fa, x0[q], to[q]))));
    }
    team.sync();
  }
}

/// x := U^-1 x; sums run over descending indices.
template <class Team, class Columns>
REBER_HD void solve_upper(const Team& team, const Triangle& u, const Table<Columns>& x) {
  using std::fma;
  const int columns = x.columns;
  const Share share = share_of(team, columns);
  for (int k = u.n - kPanel; k >= 0; k -= kPanel) {
    const Corner s = corner_of(u, k);
    double *x0 = x.row(k), *x1 = x.row(k + 1), *x2 = x.row(k + 2), *x3 = x.row(k + 3);
    REBER_VECTOR
    for (int c = team.rank; c < columns; c += team.size) {
      x3[c] = x3[c] * s.scale[3];
      x2[c] = fma(-s.u23, x3[c], x2[c]) * s.scale[2];
      x1[c] = fma(-s.u12, x2[c], fma(-s.u13, x3[c], x1[c])) * s.scale[1];
      x0[c] = fma(-s.u01, x1[c], fma(-s.u02, x2[c], fma(-s.u03, x3[c], x0[c]))) * s.scale[0];
    }
    team.sync();
    for (int i = share.row; i < k; i += share.rows) {
      double* to = x.row(i);
      const double* f = u.row(i) + k;
      const double f0 = -f[0], f1 = -f[1], f2 = -f[2], f3 = -f[3];
      REBER_VECTOR
      for (int q = share.column; q < columns; q += share.columns)
        to[q] = fma(f0, x0[q], fma(f1, x1[q], fma(f2, x2[q], fma(f3, x3[q], to[q]))));
    }
    team.sync();
  }
}

/// Columns [b, b + Team::together) of row a of left^T right.
template <class Team, class Columns>
REBER_HD void product_block(const Table<Columns>& left, int a, const Table<Columns>& right, int b, double* out) {
  constexpr int kTogether = Team::together;
  double sum[kChains][kTogether] = {};
  for (int i = 0; i < left.rows; i += kChains)
    for (int chain = 0; chain < kChains; ++chain) {
      const double factor = left.row(i + chain)[a];
      const double* row = right.row(i + chain) + b;
      for (int q = 0; q < kTogether; ++q) sum[chain][q] = std::fma(factor, row[q], sum[chain][q]);
    }
  for (int q = 0; q < kTogether; ++q) out[q] = (sum[0][q] + sum[1][q]) + (sum[2][q] + sum[3][q]);
}

/// out(a, b) = sum over rows of left(., a) right(., b), for b >= a at least where `upper`, else for all.
template <class Team, class Columns>
REBER_HD void product(const Team& team, const Table<Columns>& left, const Table<Columns>& right, bool upper,
                      const Table<Columns>& out) {
  const int columns = left.columns, blocks = columns / Team::together;
  for (int item = team.rank; item < columns * blocks; item += team.size) {
    const int a = item / blocks, b = item % blocks * Team::together;
    if (upper && b + Team::together <= a) continue;
    product_block<Team>(left, a, right, b, out.row(a) + b);
  }
  team.sync();
}

}  // namespace reber::dense
