// SPDX-License-Identifier: BSD-3-Clause
// A small least-squares problem per cell.
#include "core/background/local_trend.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "core/base/thread_pool.hpp"

namespace reber {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// The values change their places.
double middle_of(std::span<double> values) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, at);
  return *at;
}
double middle(std::vector<double> values) { return middle_of(values); }

/// Median of values, which are finite, and of their distances from it.
struct Spread {
  double centre = kNan, scatter = kNan;
};
/// The values change.
Spread spread_of(std::span<double> values) {
  if (values.empty()) return {};
  const double centre = middle_of(values);
  for (double& value : values) value = std::abs(value - centre);
  return {centre, middle_of(values)};
}

double scatter_of(std::vector<double> values) {
  std::erase_if(values, [](double value) { return !std::isfinite(value); });
  return spread_of(values).scatter;
}

constexpr std::int64_t kFarthest = 4;  ///< cells that a trend's value is made of, in rows and columns
/// Room without allocations: there are many such sets, from all threads.
template <class T>
struct NearCells {
  std::array<T, (2 * kFarthest + 1) * (2 * kFarthest + 1)> all;
  std::size_t count = 0;

  void add(const T& one) { all[count++] = one; }
  [[nodiscard]] std::span<T> span() { return std::span(all).first(count); }
};

/// Logarithms of the cells' rms; NaN where not known.
struct Logs {
  std::int64_t ny, nx;
  std::vector<double> value;

  /// Known cells at most `reach` rows and columns from one, their places from it as the terms.
  [[nodiscard]] NearCells<TrendCell> near(std::int64_t j, std::int64_t i, std::int64_t reach) const {
    NearCells<TrendCell> cells;
    for (std::int64_t v = std::max<std::int64_t>(j - reach, 0); v <= std::min(j + reach, ny - 1); ++v)
      for (std::int64_t u = std::max<std::int64_t>(i - reach, 0); u <= std::min(i + reach, nx - 1); ++u) {
        const double log_rms = value[static_cast<std::size_t>(v * nx + u)];
        const auto y = static_cast<double>(v - j), x = static_cast<double>(u - i);
        if (std::isfinite(log_rms)) cells.add({{1, x, y, x * x, x * y, y * y}, log_rms});
      }
    return cells;
  }

  /// What the median filter makes of a known cell: its window shrinks evenly at the borders.
  [[nodiscard]] double filtered(std::int64_t j, std::int64_t i, std::int64_t half) const {
    const std::int64_t dy = std::min({half, j, ny - 1 - j}), dx = std::min({half, i, nx - 1 - i});
    std::vector<double> window;
    for (std::int64_t v = j - dy; v <= j + dy; ++v)
      for (std::int64_t u = i - dx; u <= i + dx; ++u)
        if (const double one = value[static_cast<std::size_t>(v * nx + u)]; std::isfinite(one)) window.push_back(one);
    return middle(std::move(window));
  }
};

/// What a polynomial leaves of each cell.
NearCells<double> left_by(const std::array<double, 6>& factor, std::span<const TrendCell> cells) {
  NearCells<double> left;
  for (const TrendCell& cell : cells) {
    double fitted = 0;
    for (std::size_t k = 0; k < factor.size(); ++k) fitted += factor[k] * cell.terms[k];
    left.add(cell.log_rms - fitted);
  }
  return left;
}

/// By 5 x 5 cells or, where these are not enough, by more; NaN where 9 x 9 are not.
double smooth_at(const Logs& logs, std::int64_t j, std::int64_t i) {
  constexpr std::size_t kFewest = 12;
  constexpr double kOff = 3 * 1.4826;
  constexpr std::int64_t kReach = 2;
  for (std::int64_t reach = kReach; reach <= kFarthest; ++reach) {
    NearCells<TrendCell> cells = logs.near(j, i, reach);
    if (cells.count < kFewest) continue;
    const auto first = polynomial_of(cells.span());
    if (!first) continue;
    const NearCells<double> left = left_by(*first, cells.span());
    NearCells<double> room = left;
    const Spread spread = spread_of(room.span());
    NearCells<TrendCell> kept;
    for (std::size_t k = 0; k < cells.count; ++k)
      if (std::abs(left.all[k] - spread.centre) <= kOff * spread.scatter) kept.add(cells.all[k]);
    const auto second = kept.count < kFewest ? first : polynomial_of(kept.span());
    if (second) return second->front();
  }
  return kNan;
}

Logs logs_of(const MeshGrid& grid, const std::vector<float>& rms) {
  Logs logs{grid.ny(), grid.nx(), {}};
  for (const float one : rms)
    logs.value.push_back(one > 0 && std::isfinite(one) ? std::log(static_cast<double>(one)) : kNan);
  return logs;
}

}  // namespace

NoiseTrend smooth_trend(const MeshGrid& grid, const std::vector<float>& rms) {
  constexpr double kBeyond = 0.5;  // from the centre of the noisiest cell to its rim
  const Logs logs = logs_of(grid, rms);
  NoiseTrend trend{grid.image, {}, -std::numeric_limits<double>::infinity(), grid, {}};
  for (std::int64_t j = 0; j < logs.ny; ++j)
    for (std::int64_t i = 0; i < logs.nx; ++i) {
      trend.logs.push_back(smooth_at(logs, j, i));
      if (std::isfinite(trend.logs.back() + logs.value[static_cast<std::size_t>(j * logs.nx + i)]))
        trend.most = std::max(trend.most, trend.logs.back());
    }
  if (!std::isfinite(trend.most)) trend.most = 0;
  // Far from all known cells there is nothing to measure.
  for (double& one : trend.logs)
    if (!std::isfinite(one)) one = trend.most;
  trend.most += kBeyond;
  return trend;
}

namespace {

/// Cells that a smooth trend has a value at: their own and what the trend leaves.
struct LookedAt {
  std::vector<std::int64_t> row, col;
  std::vector<double> value, left;
};

/// At most `most` cells, evenly: where there are more every n-th of every n-th row, from all threads.
LookedAt look_at(const Logs& logs, double most) {
  const auto step = std::max<std::int64_t>(
      static_cast<std::int64_t>(std::ceil(std::sqrt(static_cast<double>(logs.value.size()) / most))), 1);
  const std::int64_t first = step / 2, rows = (logs.ny - first + step - 1) / step;
  std::vector<LookedAt> each(static_cast<std::size_t>(std::max<std::int64_t>(rows, 0)));
  ThreadPool pool;
  pool.for_each(std::ssize(each), [&](std::int64_t k) {
    const std::int64_t j = first + k * step;
    LookedAt& seen = each[static_cast<std::size_t>(k)];
    for (std::int64_t i = first; i < logs.nx; i += step) {
      const double value = logs.value[static_cast<std::size_t>(j * logs.nx + i)];
      const double smooth = std::isfinite(value) ? smooth_at(logs, j, i) : kNan;
      if (!std::isfinite(smooth)) continue;
      seen.row.push_back(j), seen.col.push_back(i);
      seen.value.push_back(value), seen.left.push_back(value - smooth);
    }
  });
  LookedAt all;
  for (const LookedAt& one : each) {
    all.row.insert(all.row.end(), one.row.begin(), one.row.end());
    all.col.insert(all.col.end(), one.col.begin(), one.col.end());
    all.value.insert(all.value.end(), one.value.begin(), one.value.end());
    all.left.insert(all.left.end(), one.left.begin(), one.left.end());
  }
  return all;
}

}  // namespace

std::optional<NoiseTrend> local_trend(const MeshGrid& grid, const MeshCells& cells, int filter) {
  constexpr std::size_t kMostCells = std::size_t{1} << 14;
  constexpr double kMoved = 0.12, kPart = 0.01, kFewest = 3, kMostLevel = 0.3, kBetter = 0.5, kLooked = 500;
  if (cells.rms.size() > kMostCells) return std::nullopt;
  const Logs logs = logs_of(grid, cells.rms);
  const LookedAt seen = look_at(logs, kLooked);
  if (!(scatter_of(seen.left) < kBetter * scatter_of(seen.value))) return std::nullopt;
  std::vector<double> means;
  struct {
    std::vector<double> left, by_filter, mean, rms;
  } steep;
  for (std::size_t n = 0; n < seen.value.size(); ++n) {
    const auto k = static_cast<std::size_t>(seen.row[n] * logs.nx + seen.col[n]);
    means.push_back(cells.mean[k]);
    const double filtered = logs.filtered(seen.row[n], seen.col[n], filter / 2);
    if (!(std::abs(filtered - (seen.value[n] - seen.left[n])) > kMoved)) continue;
    steep.left.push_back(std::abs(seen.left[n])), steep.by_filter.push_back(std::abs(seen.value[n] - filtered));
    steep.mean.push_back(cells.mean[k]), steep.rms.push_back(cells.rms[k]);
  }
  if (!(static_cast<double>(steep.left.size()) >= std::max(kFewest, kPart * static_cast<double>(seen.left.size()))))
    return std::nullopt;
  if (!(middle(steep.left) < kBetter * middle(steep.by_filter))) return std::nullopt;
  const double level = middle(std::move(means));
  for (std::size_t k = 0; k < steep.mean.size(); ++k) steep.mean[k] = std::abs(steep.mean[k] - level) / steep.rms[k];
  return middle(steep.mean) <= kMostLevel ? std::optional(smooth_trend(grid, cells.rms)) : std::nullopt;
}

}  // namespace reber
