// SPDX-License-Identifier: BSD-3-Clause
// Exact common beam: an active-set search over bases of at most three beams.
#include "core/sky/model/common_beam.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "core/base/error.hpp"

namespace reber {
namespace {

constexpr double kArcsec = 3600;
/// Relative to the trace: what sticks out by less is rounding.
constexpr double kTolerance = 1e-13;
/// An input this close to the answer (relative to its trace) is told to limit it.
constexpr double kTouching = 1e-9;

double det(const Covariance& c) { return c.xx * c.yy - c.xy * c.xy; }
double trace(const Covariance& c) { return c.xx + c.yy; }
Covariance scaled(const Covariance& c, double factor) { return {c.xx * factor, c.xy * factor, c.yy * factor}; }
Covariance inverse(const Covariance& c) {
  const double d = det(c);
  return {c.yy / d, -c.xy / d, c.xx / d};
}

double least_eigenvalue(const Covariance& c) { return trace(c) / 2 - std::hypot((c.xx - c.yy) / 2, c.xy); }

struct Direction {
  double x, y;
};

/// Unit eigenvector of the smaller eigenvalue.
Direction least_direction(const Covariance& c) {
  const double angle = std::atan2(2 * c.xy, c.xx - c.yy) / 2;
  return {-std::sin(angle), std::cos(angle)};
}

Covariance congruent(const Matrix2& m, const Covariance& c) { return to_sky(c, m); }

/// Lower triangular L with L L^T = c, and its inverse.
Matrix2 cholesky(const Covariance& c) {
  const double a = std::sqrt(c.xx), b = c.xy / a;
  return {a, 0, b, std::sqrt(c.yy - b * b)};
}
Matrix2 inverse_of_lower(const Matrix2& l) { return {1 / l.a, 0, -l.c / (l.a * l.d), 1 / l.d}; }

bool contains(const Covariance& outer, const Covariance& inner) {
  return least_eigenvalue(outer - inner) >= -kTolerance * trace(outer);
}

Covariance common_of_two(const Covariance& a, const Covariance& b) {
  const Matrix2 l = cholesky(a);
  const Covariance m = congruent(inverse_of_lower(l), b);
  const double mean = trace(m) / 2, half = std::hypot((m.xx - m.yy) / 2, m.xy);
  const double large = std::max(1.0, mean + half), small = std::max(1.0, mean - half);
  const Direction v = least_direction(m);
  const Covariance d{small * v.x * v.x + large * v.y * v.y, (small - large) * v.x * v.y,
                     small * v.y * v.y + large * v.x * v.x};
  return congruent(l, d);
}

/// Solves a 3 x 3 system by Gaussian elimination with pivots; nothing where it is singular.
std::optional<std::array<double, 3>> solve(std::array<std::array<double, 4>, 3> m) {
  double largest = 0;
  for (const auto& row : m)
    for (std::size_t j = 0; j < 3; ++j) largest = std::max(largest, std::abs(row[j]));
  for (std::size_t k = 0; k < 3; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k + 1; i < 3; ++i)
      if (std::abs(m[i][k]) > std::abs(m[pivot][k])) pivot = i;
    if (!(std::abs(m[pivot][k]) > 1e-14 * largest)) return std::nullopt;
    std::swap(m[k], m[pivot]);
    for (std::size_t i = k + 1; i < 3; ++i) {
      const double factor = m[i][k] / m[k][k];
      for (std::size_t j = k; j < 4; ++j) m[i][j] -= factor * m[k][j];
    }
  }
  std::array<double, 3> x{};
  for (std::size_t k = 3; k-- > 0;) {
    double value = m[k][3];
    for (std::size_t j = k + 1; j < 3; ++j) value -= m[k][j] * x[j];
    x[k] = value / m[k][k];
  }
  return x;
}

/// The barrier's function, gradient and Hessian at A in the parameters xx, xy, yy.
struct Barrier {
  std::array<Covariance, 3> limits;  ///< inverses of the beams' matrices

  [[nodiscard]] double value(const Covariance& a, double t) const {
    if (!(det(a) > 0) || !(a.xx > 0)) return INFINITY;
    double sum = -t * std::log(det(a));
    for (const Covariance& limit : limits) {
      const Covariance s = limit - a;
      if (!(det(s) > 0) || !(s.xx > 0)) return INFINITY;
      sum -= std::log(det(s));
    }
    return sum;
  }

  /// Adds weight x tr(P E_i P E_j) to the Hessian and sign x weight x tr(P E_i) to the right side.
  static void add(const Covariance& p, double weight, double sign, std::array<std::array<double, 4>, 3>& m) {
    const double xx = p.xx, xy = p.xy, yy = p.yy;
    const std::array<std::array<double, 3>, 3> h{{{xx * xx, 2 * xx * xy, xy * xy},
                                                  {2 * xx * xy, 2 * (xx * yy + xy * xy), 2 * xy * yy},
                                                  {xy * xy, 2 * xy * yy, yy * yy}}};
    const std::array<double, 3> g{xx, 2 * xy, yy};
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) m[i][j] += weight * h[i][j];
      m[i][3] += sign * weight * g[i];
    }
  }

  /// One Newton step with backtracking; the decrement's square.
  double step(Covariance& a, double t) const {
    std::array<std::array<double, 4>, 3> system{};
    add(inverse(a), t, 1, system);
    for (const Covariance& limit : limits) add(inverse(limit - a), 1, -1, system);
    const auto d = solve(system);
    if (!d) return 0;
    double decrement = 0;
    for (std::size_t i = 0; i < 3; ++i) decrement += (*d)[i] * system[i][3];
    const double before = value(a, t);
    for (double length = 1; length > 1e-12; length /= 2) {
      const Covariance next{a.xx + length * (*d)[0], a.xy + length * (*d)[1], a.yy + length * (*d)[2]};
      if (!(value(next, t) <= before - 0.1 * length * decrement)) continue;
      a = next;
      return decrement;
    }
    return 0;
  }
};

/// Newton's method on the conditions that the least eigenvalue of each C - C_i is zero.
Covariance polished(Covariance c, const std::array<Covariance, 3>& beams) {
  for (int round = 0; round < 50; ++round) {
    std::array<std::array<double, 4>, 3> system{};
    double worst = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      const Covariance rest = c - beams[i];
      const Direction w = least_direction(rest);
      const double least = least_eigenvalue(rest);
      system[i] = {w.x * w.x, 2 * w.x * w.y, w.y * w.y, -least};
      worst = std::max(worst, std::abs(least));
    }
    if (worst <= 1e-16 * trace(c)) break;
    const auto d = solve(system);
    if (!d) break;
    c = {c.xx + (*d)[0], c.xy + (*d)[1], c.yy + (*d)[2]};
  }
  return c;
}

/// Three beams that all touch the answer. The axes are first made those in which the mean of the beams is round.
Covariance common_of_three(const std::array<Covariance, 3>& beams) {
  const Covariance mean = scaled(beams[0] + beams[1] + beams[2], 1.0 / 3);
  const Matrix2 l = cholesky(mean), back = inverse_of_lower(l);
  std::array<Covariance, 3> round;
  Barrier barrier;
  double start = INFINITY;
  for (std::size_t i = 0; i < 3; ++i) {
    round[i] = congruent(back, beams[i]);
    barrier.limits[i] = inverse(round[i]);
    start = std::min(start, least_eigenvalue(barrier.limits[i]));
  }
  Covariance a{start / 2, 0, start / 2};
  // The gap to the optimum of log det is 2 n / t.
  for (double t = 1; t < 1e12; t *= 8) {
    for (int i = 0; i < 60 && barrier.step(a, t) > 1e-16; ++i) {
    }
  }
  const Covariance inside = inverse(a), exact = polished(inside, round);
  const bool good = det(exact) > 0 && exact.xx > 0 && det(exact) <= det(inside) * (1 + 1e-6) &&
                    std::ranges::all_of(round, [&](const Covariance& one) { return contains(exact, one); });
  return congruent(l, good ? exact : inside);
}

/// Candidates in the order of their number of beams; the first that holds all of `beams` is the answer, because fewer
/// conditions cannot make the optimum larger.
std::pair<Covariance, std::vector<std::size_t>> smallest(const std::vector<Covariance>& beams,
                                                         const std::vector<std::size_t>& members) {
  Covariance best{};
  std::vector<std::size_t> basis;
  const auto consider = [&](const Covariance& c, std::vector<std::size_t> of) {
    if (!basis.empty()) return;
    for (const std::size_t i : members)
      if (!contains(c, beams[i])) return;
    best = c;
    basis = std::move(of);
  };
  const std::size_t n = members.size();
  for (std::size_t i = 0; i < n; ++i) consider(beams[members[i]], {members[i]});
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = i + 1; j < n && basis.empty(); ++j)
      consider(common_of_two(beams[members[i]], beams[members[j]]), {members[i], members[j]});
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = i + 1; j < n; ++j)
      for (std::size_t k = j + 1; k < n && basis.empty(); ++k)
        consider(common_of_three({beams[members[i]], beams[members[j]], beams[members[k]]}),
                 {members[i], members[j], members[k]});
  return {best, basis};
}

std::vector<Covariance> matrices(std::span<const Beam> beams) {
  if (beams.empty()) throw InputError("a common beam needs at least one beam");
  std::vector<Covariance> all;
  for (const Beam& beam : beams) {
    if (!(beam.minor_deg > 0) || !std::isfinite(beam.major_deg) || !std::isfinite(beam.pa_deg))
      throw InputError(fmt::format("a beam of {} x {} arcsec has no area: no common beam can be found",
                                   beam.major_deg * kArcsec, beam.minor_deg * kArcsec));
    all.push_back(sky_covariance(beam.major_deg * kArcsec, beam.minor_deg * kArcsec, beam.pa_deg));
  }
  return all;
}

}  // namespace

CommonBeam common_beam(std::span<const Beam> beams) {
  const std::vector<Covariance> all = matrices(beams);
  std::vector<std::size_t> basis{0};
  Covariance c = all[0];
  // The area grows with each round, and there are finitely many bases: the bound is against rounding alone.
  for (std::size_t round = 0; round < 4 * all.size() + 10; ++round) {
    std::size_t worst = 0;
    double least = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const double value = least_eigenvalue(c - all[i]);
      if (value < least) least = value, worst = i;
    }
    if (least >= -kTolerance * trace(c)) break;
    std::vector<std::size_t> members = basis;
    members.push_back(worst);
    auto [next, next_basis] = smallest(all, members);
    if (next_basis.empty() || !(det(next) > det(c) * (1 - 1e-12))) break;
    c = next;
    basis = std::move(next_basis);
  }
  // Whatever rounding left outside is taken in.
  double grow = 1;
  for (const Covariance& one : all) {
    const Covariance inside = congruent(inverse_of_lower(cholesky(c)), one);
    grow = std::max(grow, trace(inside) - least_eigenvalue(inside));
  }
  c = scaled(c, grow);
  const Ellipse ellipse = ellipse_of(c);
  CommonBeam result{{ellipse.major / kArcsec, ellipse.minor / kArcsec, ellipse.pa_deg}, {}};
  for (std::size_t i = 0; i < all.size(); ++i)
    if (least_eigenvalue(c - all[i]) <= kTouching * trace(c)) result.limiting.push_back(i);
  return result;
}

double noise_factor(const Beam& target, const Beam& source, bool per_beam) {
  const double ratio = target.area_deg2() / source.area_deg2();
  return per_beam ? std::sqrt(ratio) : 1 / std::sqrt(ratio);
}

}  // namespace reber
