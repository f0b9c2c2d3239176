// SPDX-License-Identifier: BSD-3-Clause
// Dense linear algebra of forced photometry: Cholesky's factors of the noise and of the normal matrix.
#include "core/studies/forced_solve.hpp"

#include <algorithm>
#include <array>
#include <cmath>

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

/// V = U^T U in the upper triangle.   least: a pivot below this part of its diagonal counts as singular
bool factorise(Rows& v, double least) {
  for (std::size_t k = 0; k < v.rows; ++k) {
    const double before = v[k][k];
    for (std::size_t above = 0; above < k; ++above) {
      const double factor = v[above][k];
      for (std::size_t j = k; j < v.rows; ++j) v[k][j] -= factor * v[above][j];
    }
    if (!(v[k][k] > least * before)) return false;
    const double scale = 1 / std::sqrt(v[k][k]);
    for (std::size_t j = k; j < v.rows; ++j) v[k][j] *= scale;
  }
  return true;
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

}  // namespace

std::optional<Amplitudes> solve_amplitudes(const FitPixels& pixels, const std::vector<GaussianComponent>& components,
                                           const NoiseCorrelation& weights, const NoiseCorrelation& errors) {
  const std::size_t n = pixels.value.size(), m = components.size();
  if (n < m || m == 0) return std::nullopt;
  Rows model(n, m);
  std::array<double, GaussianComponent::kParameters> derivatives{};
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < m; ++k) {
      GaussianComponent one = components[k];
      one.peak = 1;
      model[i][k] = one.evaluate(pixels.x[i], pixels.y[i], derivatives) / pixels.rms[i];
    }
  Rows v = correlation(pixels, weights);
  double largest = 0;
  for (std::size_t i = 0; i < n; ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < n; ++j) sum += std::abs(v[i][j]);
    largest = std::max(largest, sum);
  }
  for (std::size_t i = 0; i < n; ++i) v[i][i] += kNoiseFloor * largest;
  Rows weighted = model;
  if (!factorise(v, 0)) return std::nullopt;
  solve(v, weighted, true);
  Rows normal(m, m), right(m, 1);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t a = 0; a < m; ++a) {
      right[a][0] += weighted[i][a] * pixels.value[i] / pixels.rms[i];
      for (std::size_t b = 0; b < m; ++b) normal[a][b] += weighted[i][a] * model[i][b];
    }
  constexpr double kLeastPivot = 1e-6;  // below this two components are one
  if (!factorise(normal, kLeastPivot)) return std::nullopt;
  solve(normal, right, true);
  const Rows noise = correlation(pixels, errors);
  // Each component's own combination of pixels, then its variance under the noise.
  Rows combination(m, n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t a = 0; a < m; ++a) combination[a][i] = weighted[i][a];
  solve(normal, combination, true);
  Amplitudes out;
  for (std::size_t a = 0; a < m; ++a) {
    double variance = 0;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) variance += combination[a][i] * noise[i][j] * combination[a][j];
    out.value.push_back(right[a][0]);
    out.error.push_back(std::sqrt(std::max(0.0, variance)));
  }
  for (std::size_t i = 0; i < n; ++i) {
    double left = pixels.value[i] / pixels.rms[i];
    for (std::size_t a = 0; a < m; ++a) left -= right[a][0] * model[i][a];
    out.chi2 += left * left / static_cast<double>(n);
  }
  return out;
}

}  // namespace reber
