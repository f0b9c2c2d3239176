// SPDX-License-Identifier: BSD-3-Clause
// The steps of a fit that walk over its pixels, for any team. kernels/cpu/fit_thread.hpp has the same chains for one
// thread of a processor.
#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/shared/dense.hpp"
#include "kernels/shared/gaussian_model.hpp"

namespace reber {

/// The table of a NoiseCorrelation.
struct CorrelationView {
  const double* values;
  int reach;
  REBER_HD double at(int dy, int dx) const {
    if (dy < 0) dy = -dy, dx = -dx;
    if (dy > reach || dx > reach || dx < -reach) return 0;
    return values[dy * (2 * reach + 1) + dx + reach];
  }
};

/// One problem of a batch.
struct FitInput {
  const std::int32_t *y, *x;
  const double *value, *rms;
  int pixels;
  const GaussianComponent* start;
  const FitBounds* bounds;
  int components;
  bool correlated;
  double useful_chi2;
  CorrelationView weights, errors;
};

namespace steps {

/// The noise correlation of the weights into the matrix; what pads it is zero. sums: of each row's absolute values.
template <class Team>
REBER_HD void correlate(const Team& team, const FitInput& in, const dense::Triangle& matrix, double* sums) {
  for (int i = team.rank; i < matrix.n; i += team.size) {
    double* row = matrix.row(i);
    double sum = 0;
    for (int j = 0; j < in.pixels && i < in.pixels; ++j) {
      const double r = in.weights.at(in.y[j] - in.y[i], in.x[j] - in.x[i]);
      sum += std::fabs(r);
      if (j >= i) row[j] = r;
    }
    for (int j = i < in.pixels ? in.pixels : i; j < matrix.n; ++j) row[j] = 0;
    sums[i] = sum;
  }
  team.sync();
}

/// Adds to the diagonal of the pixels; what pads it becomes 1.
template <class Team>
REBER_HD void raise_diagonal(const Team& team, const FitInput& in, const dense::Triangle& matrix, double by) {
  for (int i = team.rank; i < matrix.n; i += team.size) matrix.row(i)[i] = i < in.pixels ? matrix.row(i)[i] + by : 1.0;
  team.sync();
}

/// Derivatives of the model over the rms, then the residual over it, zeros behind them and in rows that pad.
template <class Team, class Columns>
REBER_HD void differentiate(const Team& team, const FitInput& in, const model::Shape* shapes, const double* inverse_rms,
                            const dense::Table<Columns>& table) {
  const int columns = table.columns;
  for (int i = team.rank; i < table.rows; i += team.size) {
    double* row = table.row(i);
    if (i >= in.pixels) {
      for (int c = 0; c < columns; ++c) row[c] = 0;
      continue;
    }
    const double scale = inverse_rms[i];
    double sum = 0;
    int next = 0;
    for (int k = 0; k < in.components; ++k) {
      const model::Value value = model::value_at(shapes[k], in.x[i], in.y[i]);
      sum += value.value;
      model::derivatives(value, scale, in.bounds[k].shape_free, row + next);
      next += model::free_parameters(in.bounds[k]);
    }
    row[next] = (in.value[i] - sum) * scale;
    for (int c = next + 1; c < columns; ++c) row[c] = 0;
  }
  team.sync();
}

/// out := R table for the noise R of the errors. Pixels are in raster order, so rows out of reach end the sum.
template <class Team, class Columns>
REBER_HD void put_under_noise(const Team& team, const FitInput& in, const dense::Table<Columns>& table,
                              const dense::Table<Columns>& out) {
  constexpr int kBlock = 8;
  const int columns = table.columns, blocks = (columns + kBlock - 1) / kBlock;
  for (int item = team.rank; item < out.rows * blocks; item += team.size) {
    const int i = item / blocks, first = item % blocks * kBlock;
    double sum[kBlock] = {};
    for (int j = 0; j < in.pixels && i < in.pixels; ++j) {
      const int dy = in.y[j] - in.y[i];
      if (dy < -in.errors.reach) continue;
      if (dy > in.errors.reach) break;
      const double factor = in.errors.at(dy, in.x[j] - in.x[i]);
      if (factor == 0) continue;
      const double* row = table.row(j) + first;
      for (int q = 0; q < kBlock; ++q)
        if (first + q < columns) sum[q] = std::fma(factor, row[q], sum[q]);
    }
    for (int q = 0; q < kBlock; ++q)
      if (first + q < columns) out.row(i)[first + q] = sum[q];
  }
  team.sync();
}

}  // namespace steps
}  // namespace reber
