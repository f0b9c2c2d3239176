// SPDX-License-Identifier: BSD-3-Clause
// Dense linear algebra of forced photometry: Cholesky's factors of the noise and of the normal matrix.
#include "core/studies/forced_solve.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <utility>

namespace reber {
namespace {

/// Rows of equal length, row-major.
struct Rows {
  std::size_t rows = 0, columns = 0;
  std::vector<double> data;
  Rows(std::size_t r, std::size_t c) : rows(r), columns(c), data(r * c) {}
  double* operator[](std::size_t r) { return data.data() + r * columns; }
  const double* operator[](std::size_t r) const { return data.data() + r * columns; }
};

/// V = U^T U in the upper triangle. A row whose pivot is not above the part `least` of its diagonal depends on those
/// before it, and becomes 0.   returns these rows
std::vector<std::size_t> factorise(Rows& v, double least) {
  std::vector<std::size_t> dependent;
  for (std::size_t k = 0; k < v.rows; ++k) {
    const double before = v[k][k];
    for (std::size_t above = 0; above < k; ++above) {
      const double factor = v[above][k];
      for (std::size_t j = k; j < v.rows; ++j) v[k][j] -= factor * v[above][j];
    }
    const bool good = v[k][k] > least * before;
    if (!good) dependent.push_back(k);
    const double scale = good ? 1 / std::sqrt(v[k][k]) : 0;
    for (std::size_t j = k; j < v.rows; ++j) v[k][j] *= scale;
  }
  return dependent;
}

/// b := U^-T b, then U^-1 b where wanted.
void solve(const Rows& u, Rows& b, bool both) {
  for (std::size_t k = 0; k < u.rows; ++k) {
    for (std::size_t c = 0; c < b.columns; ++c) b[k][c] /= u[k][k];
    for (std::size_t i = k + 1; i < u.rows; ++i)
      for (std::size_t c = 0; c < b.columns; ++c) b[i][c] -= u[k][i] * b[k][c];
  }
  for (std::size_t k = both ? u.rows : 0; k-- > 0;) {
    for (std::size_t j = k + 1; j < u.rows; ++j)
      for (std::size_t c = 0; c < b.columns; ++c) b[k][c] -= u[k][j] * b[j][c];
    for (std::size_t c = 0; c < b.columns; ++c) b[k][c] /= u[k][k];
  }
}

Rows correlation(const FitPixels& pixels, const NoiseCorrelation& noise) {
  const std::size_t n = pixels.value.size();
  Rows out(n, n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = i; j < n; ++j)
      out[i][j] = out[j][i] = noise.at(pixels.y[j] - pixels.y[i], pixels.x[j] - pixels.x[i]);
  return out;
}

/// Which components have one amplitude together: each row is a set of them, of equal parts.
using Sets = std::vector<std::vector<std::size_t>>;

/// Sums over pairs of sets, of equal parts of their members.
Rows of_sets(const Rows& normal, const Sets& sets) {
  Rows out(sets.size(), sets.size());
  for (std::size_t a = 0; a < sets.size(); ++a)
    for (std::size_t b = 0; b < sets.size(); ++b) {
      for (const std::size_t i : sets[a])
        for (const std::size_t k : sets[b]) out[a][b] += normal[i][k];
      out[a][b] /= static_cast<double>(sets[a].size() * sets[b].size());
    }
  return out;
}

/// Joins each dependent set to the one that it is most like. Their indices ascend, and the first set is none of them.
void join(const Rows& normal, const std::vector<std::size_t>& dependent, Sets& sets) {
  const auto likeness = [&](std::size_t a, std::size_t b) { return normal[a][b] / std::sqrt(normal[a][a]); };
  std::vector<std::size_t> to(sets.size());
  std::iota(to.begin(), to.end(), 0);
  for (const std::size_t k : dependent) {
    std::size_t best = 0;
    for (std::size_t a = 0; a < k; ++a)
      if (to[a] == a && likeness(a, k) > likeness(best, k)) best = a;
    to[k] = best;
  }
  Sets joined;
  std::vector<std::size_t> place(sets.size());
  for (std::size_t k = 0; k < sets.size(); ++k) {
    if (to[k] == k) {
      place[k] = joined.size();
      joined.emplace_back();
    }
    std::ranges::copy(sets[k], std::back_inserter(joined[place[to[k]]]));
  }
  sets = std::move(joined);
}

/// Sets of components that can be told apart, and the factor of their normal matrix. Components that are nothing on
/// all pixels are in none.
Sets sets_of(const Rows& normal, Rows& factor) {
  constexpr double kLeastPivot = 1e-6;  // below this two components are one
  Sets sets;
  for (std::size_t k = 0; k < normal.rows; ++k)
    if (normal[k][k] > 0) sets.push_back({k});
  for (;;) {
    const Rows between = of_sets(normal, sets);
    factor = between;
    const std::vector<std::size_t> dependent = factorise(factor, kLeastPivot);
    if (dependent.empty()) return sets;
    join(between, dependent, sets);
  }
}

/// Of each component its values on the pixels at unit peak, over the rms.
Rows models_of(const FitPixels& pixels, const std::vector<GaussianComponent>& components) {
  Rows model(pixels.value.size(), components.size());
  std::array<double, GaussianComponent::kParameters> derivatives{};
  for (std::size_t i = 0; i < model.rows; ++i)
    for (std::size_t k = 0; k < model.columns; ++k) {
      GaussianComponent one = components[k];
      one.peak = 1;
      model[i][k] = one.evaluate(pixels.x[i], pixels.y[i], derivatives) / pixels.rms[i];
    }
  return model;
}

/// Factor of the correlation of the weights, with its floor.   returns nothing where there is none
std::optional<Rows> factor_of_weights(const FitPixels& pixels, const NoiseCorrelation& weights) {
  Rows v = correlation(pixels, weights);
  double largest = 0;
  for (std::size_t i = 0; i < v.rows; ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < v.rows; ++j) sum += std::abs(v[i][j]);
    largest = std::max(largest, sum);
  }
  for (std::size_t i = 0; i < v.rows; ++i) v[i][i] += kNoiseFloor * largest;
  if (!factorise(v, 0).empty()) return std::nullopt;
  return v;
}

/// The mean of each set's columns, one set per row.
Rows means_of_sets(const Rows& columns, const Sets& sets) {
  Rows out(sets.size(), columns.rows);
  for (std::size_t s = 0; s < sets.size(); ++s)
    for (std::size_t i = 0; i < columns.rows; ++i) {
      for (const std::size_t k : sets[s]) out[s][i] += columns[i][k];
      out[s][i] /= static_cast<double>(sets[s].size());
    }
  return out;
}

}  // namespace

std::optional<Amplitudes> solve_amplitudes(const FitPixels& pixels, const std::vector<GaussianComponent>& components,
                                           const NoiseCorrelation& weights, const NoiseCorrelation& errors) {
  const std::size_t n = pixels.value.size(), m = components.size();
  if (n == 0 || m == 0) return std::nullopt;
  const Rows model = models_of(pixels, components);
  const auto v = factor_of_weights(pixels, weights);
  if (!v) return std::nullopt;
  Rows weighted = model;
  solve(*v, weighted, true);
  Rows normal(m, m), factor(0, 0);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t a = 0; a < m; ++a)
      for (std::size_t b = 0; b < m; ++b) normal[a][b] += weighted[i][a] * model[i][b];
  const Sets sets = sets_of(normal, factor);
  // Each set's own combination of pixels, then its variance under the noise.
  Rows combination = means_of_sets(weighted, sets), value(sets.size(), 1);
  for (std::size_t s = 0; s < sets.size(); ++s)
    for (std::size_t i = 0; i < n; ++i) value[s][0] += combination[s][i] * pixels.value[i] / pixels.rms[i];
  solve(factor, value, true);
  solve(factor, combination, true);
  const Rows noise = correlation(pixels, errors);
  // A measured correlation may give none, or less, to a combination of pixels that nearly cancels: then V's.
  Rows formal(sets.size(), sets.size());
  for (std::size_t s = 0; s < sets.size(); ++s) formal[s][s] = 1;
  solve(factor, formal, true);
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  Amplitudes out{std::vector(m, kNan), std::vector(m, kNan), std::vector<std::size_t>(m, 0), 0};
  for (std::size_t s = 0; s < sets.size(); ++s) {
    double variance = 0;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) variance += combination[s][i] * noise[i][j] * combination[s][j];
    if (!(variance > 0)) variance = formal[s][s];
    for (const std::size_t k : sets[s]) {
      const auto shares = static_cast<double>(sets[s].size());
      out.value[k] = value[s][0] / shares;
      out.error[k] = std::sqrt(variance) / shares;
      out.shares[k] = sets[s].size();
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    double left = pixels.value[i] / pixels.rms[i];
    for (std::size_t a = 0; a < m; ++a)
      if (out.shares[a] > 0) left -= out.value[a] * model[i][a];
    out.chi2 += left * left / static_cast<double>(n);
  }
  return out;
}

}  // namespace reber
