// SPDX-License-Identifier: BSD-3-Clause
// A surface through the logarithms of the cells' noise.
#include "core/measure/background/local_trend.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "core/base/thread_pool.hpp"
#include "core/measure/background/cell_surface.hpp"

namespace reber {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// By 5 x 5 cells or, where these are not enough, by more; NaN where 9 x 9 are not.
double smooth_at(const CellValues& logs, std::int64_t j, std::int64_t i) {
  const auto factor = polynomial_at(logs, j, i);
  return factor ? factor->front() : kNan;
}

/// Logarithms of the cells' rms.
CellValues logs_of(const MeshGrid& grid, const std::vector<float>& rms) {
  CellValues logs{grid.ny(), grid.nx(), {}};
  for (const float one : rms)
    logs.value.push_back(one > 0 && std::isfinite(one) ? std::log(static_cast<double>(one)) : kNan);
  return logs;
}

}  // namespace

NoiseTrend smooth_trend(const MeshGrid& grid, const std::vector<float>& rms) {
  constexpr double kBeyond = 0.5;  // from the centre of the noisiest cell to its rim
  const CellValues logs = logs_of(grid, rms);
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
LookedAt look_at(const CellValues& logs, double most) {
  const auto [first, step] = even_cells(logs.value.size(), most);
  const std::int64_t rows = (logs.ny - first + step - 1) / step;
  std::vector<LookedAt> each(static_cast<std::size_t>(std::max<std::int64_t>(rows, 0)));
  ThreadPool pool;
  pool.for_each(std::ssize(each), [&, first = first, step = step](std::int64_t k) {
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
  const CellValues logs = logs_of(grid, cells.rms);
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
  if (!(middle_of(steep.left) < kBetter * middle_of(steep.by_filter))) return std::nullopt;
  const double level = middle_of(std::move(means));
  for (std::size_t k = 0; k < steep.mean.size(); ++k) steep.mean[k] = std::abs(steep.mean[k] - level) / steep.rms[k];
  return middle_of(steep.mean) <= kMostLevel ? std::optional(smooth_trend(grid, cells.rms)) : std::nullopt;
}

}  // namespace reber
