// SPDX-License-Identifier: BSD-3-Clause
// A polynomial of six factors by its normal equations.
#include "core/measure/background/noise_trend.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "core/measure/background/mesh_nodes.hpp"

namespace reber {
namespace {

constexpr std::size_t kFactors = 6, kFewest = 12;
using Terms = std::array<double, kFactors>;

Terms terms_at(Shape image, double y, double x) {
  const double u = 2 * x / static_cast<double>(std::max<std::int64_t>(image.nx - 1, 1)) - 1;
  const double v = 2 * y / static_cast<double>(std::max<std::int64_t>(image.ny - 1, 1)) - 1;
  return {1, u, v, u * u, u * v, v * v};
}

double product(const Terms& a, const Terms& b) {
  double sum = 0;
  for (std::size_t k = 0; k < kFactors; ++k) sum += a[k] * b[k];
  return sum;
}

double middle(std::vector<double> values) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, at);
  return *at;
}

/// Median of abs(log rms - middle - what the factors say).
double scatter_about(const std::vector<TrendCell>& cells, const Terms& factor) {
  std::vector<double> left;
  for (const TrendCell& cell : cells) left.push_back(cell.value - product(factor, cell.terms));
  const double centre = middle(left);
  for (double& one : left) one = std::abs(one - centre);
  return middle(left);
}

std::vector<TrendCell> known_cells(const MeshGrid& grid, const std::vector<float>& rms) {
  std::vector<TrendCell> cells;
  for (std::size_t j = 0, k = 0; j < grid.rows.size(); ++j)
    for (std::size_t i = 0; i < grid.cols.size(); ++i, ++k)
      if (std::isfinite(rms[k]) && rms[k] > 0)
        cells.push_back({terms_at(grid.image, centre_of(grid.rows[j]), centre_of(grid.cols[i])),
                         std::log(static_cast<double>(rms[k]))});
  return cells;
}

/// The span before a place, and how far on the way to the next one's centre that is; below 0 and above 1 at the rims.
std::pair<std::size_t, double> before(const std::vector<PixelSpan>& spans, double place) {
  if (spans.size() < 2) return {0, 0};
  const auto after = std::ranges::upper_bound(spans, place, {}, centre_of) - spans.begin();
  const auto k = static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(after - 1, 0, std::ssize(spans) - 2));
  return {k, (place - centre_of(spans[k])) / (centre_of(spans[k + 1]) - centre_of(spans[k]))};
}

double between(const NoiseTrend& trend, double y, double x) {
  const auto [j, v] = before(trend.cells.rows, y);
  const auto [i, u] = before(trend.cells.cols, x);
  const std::size_t nx = trend.cells.cols.size(), right = nx > 1 ? 1 : 0, below = trend.cells.rows.size() > 1 ? nx : 0;
  const double* at = trend.logs.data() + j * nx + i;
  return (1 - v) * ((1 - u) * at[0] + u * at[right]) + v * ((1 - u) * at[below] + u * at[below + right]);
}

MeshGrid fine_grid(const MeshGrid& cells) {
  const std::int64_t side = std::min(cells.rows.front().size(), cells.cols.front().size());
  return MeshGrid::make(cells.image, std::max<std::int64_t>(side / 8, 1));
}

}  // namespace

std::optional<std::array<double, 6>> polynomial_of(std::span<const TrendCell> cells) {
  std::array<std::array<double, kFactors + 1>, kFactors> rows{};
  for (const TrendCell& cell : cells)
    for (std::size_t a = 0; a < kFactors; ++a) {
      for (std::size_t b = 0; b < kFactors; ++b) rows[a][b] += cell.terms[a] * cell.terms[b];
      rows[a][kFactors] += cell.terms[a] * cell.value;
    }
  for (std::size_t k = 0; k < kFactors; ++k) {
    if (!(rows[k][k] > 1e-6 * static_cast<double>(cells.size()))) return std::nullopt;  // a matrix of squares
    for (std::size_t a = 0; a < kFactors; ++a) {
      if (a == k) continue;
      const double times = rows[a][k] / rows[k][k];
      for (std::size_t b = k; b <= kFactors; ++b) rows[a][b] -= times * rows[k][b];
    }
  }
  Terms factor{};
  for (std::size_t k = 0; k < kFactors; ++k) factor[k] = rows[k][kFactors] / rows[k][k];
  return factor;
}

double NoiseTrend::at(double y, double x) const {
  if (!logs.empty()) return std::exp(std::min(between(*this, y, x), most));
  return std::exp(std::min(product(factor, terms_at(image, y, x)), most));
}

std::optional<NoiseTrend> noise_trend(const MeshGrid& grid, const std::vector<float>& rms) {
  constexpr double kOff = 3 * 1.4826;
  const std::vector<TrendCell> all = known_cells(grid, rms);
  std::vector<TrendCell> used = all;
  std::optional<Terms> factor;
  for (int round = 0; round < 4; ++round) {
    if (used.size() < kFewest || !(factor = polynomial_of(used))) return std::nullopt;
    const double limit = kOff * scatter_about(used, *factor);
    used.clear();
    for (const TrendCell& cell : all)
      if (std::abs(cell.value - product(*factor, cell.terms)) <= limit) used.push_back(cell);
  }
  if (!(scatter_about(all, *factor) < 0.5 * scatter_about(all, {}))) return std::nullopt;
  NoiseTrend trend{grid.image, *factor, product(*factor, used.front().terms)};
  for (const TrendCell& cell : used) trend.most = std::max(trend.most, product(*factor, cell.terms));
  return trend;
}

bool too_steep(const NoiseTrend& trend, const MeshGrid& grid, int filter) {
  constexpr double kMost = 0.04;
  const std::int64_t ny = grid.ny(), nx = grid.nx(), half = filter / 2;
  std::vector<double> logs;
  for (const PixelSpan& row : grid.rows)
    for (const PixelSpan& col : grid.cols) logs.push_back(std::log(trend.at(centre_of(row), centre_of(col))));
  const auto log_at = [&](std::int64_t j, std::int64_t i) { return logs[static_cast<std::size_t>(j * nx + i)]; };
  std::vector<double> window;
  for (std::int64_t j = 0; j < ny; ++j)
    for (std::int64_t i = 0; i < nx; ++i) {
      const std::int64_t dy = std::min({half, j, ny - 1 - j}), dx = std::min({half, i, nx - 1 - i});
      window.clear();
      for (std::int64_t v = j - dy; v <= j + dy; ++v)
        for (std::int64_t u = i - dx; u <= i + dx; ++u) window.push_back(log_at(v, u));
      if (std::abs(middle(window) - log_at(j, i)) > kMost) return true;
    }
  return false;
}

BackgroundModel model_of(const NoiseTrend& trend, const MeshGrid& cells) {
  BackgroundModel model;
  model.grid = fine_grid(cells);
  for (const PixelSpan& row : model.grid.rows)
    for (const PixelSpan& col : model.grid.cols)
      model.rms.push_back(static_cast<float>(trend.at(centre_of(row), centre_of(col))));
  model.mean.assign(model.rms.size(), 0);
  return model;
}

BackgroundModel with_trend(const BackgroundModel& measured, const NoiseTrend& trend) {
  BackgroundModel model = resampled(measured, fine_grid(measured.grid));
  const BackgroundModel by = model_of(trend, measured.grid);
  for (std::size_t k = 0; k < model.rms.size(); ++k) model.mean[k] *= by.rms[k], model.rms[k] *= by.rms[k];
  return model;
}

}  // namespace reber
