// SPDX-License-Identifier: BSD-3-Clause
// A polynomial through all cells, and local ones through what it leaves.
#include "core/measure/background/noise_trend.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <utility>

#include "core/base/significance.hpp"
#include "core/base/thread_pool.hpp"
#include "core/measure/background/cell_surface.hpp"
#include "core/measure/background/mesh_nodes.hpp"

namespace reber {
namespace {

constexpr std::size_t kFactors = 6;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
using Terms = std::array<double, kFactors>;

/// A place along one axis: from -1 to 1 over the cells, and among their centres.
struct AlongAxis {
  double place = 0;
  Between cells;
};
AlongAxis along(const std::vector<PixelSpan>& spans, double at) {
  const std::int64_t size = spans.back().end - spans.front().begin;
  return {
      2 * (at - static_cast<double>(spans.front().begin)) / static_cast<double>(std::max<std::int64_t>(size - 1, 1)) -
          1,
      between(spans, at)};
}
std::vector<AlongAxis> along(const std::vector<PixelSpan>& spans, const std::vector<PixelSpan>& places) {
  std::vector<AlongAxis> made;
  for (const PixelSpan& one : places) made.push_back(along(spans, centre_of(one)));
  return made;
}

Terms terms_at(double v, double u) { return {1, u, v, u * u, u * v, v * v}; }

double product(const Terms& a, const Terms& b) {
  double sum = 0;
  for (std::size_t k = 0; k < kFactors; ++k) sum += a[k] * b[k];
  return sum;
}

/// Median of abs(log rms - middle - what the factors say).
double scatter_about(const std::vector<TrendCell>& cells, const Terms& factor) {
  std::vector<double> left;
  for (const TrendCell& cell : cells) left.push_back(cell.value - product(factor, cell.terms));
  return scatter_of(std::move(left));
}

/// Through the cells that are known, those beyond 3 times the scatter left out; zeros where fewer than 12 are left.
Terms image_polynomial(const MeshGrid& grid, const CellValues& logs) {
  const std::vector<AlongAxis> rows = along(grid.rows, grid.rows), cols = along(grid.cols, grid.cols);
  std::vector<TrendCell> all;
  for (std::int64_t j = 0; j < logs.ny; ++j)
    for (std::int64_t i = 0; i < logs.nx; ++i)
      if (const double one = logs.at(j, i); std::isfinite(one))
        all.push_back({terms_at(rows[j].place, cols[i].place), one});
  std::vector<TrendCell> used = all;
  std::optional<Terms> factor;
  for (int round = 0; round < 4; ++round) {
    if (used.size() < kFewestCells || !(factor = polynomial_of(used))) return {};
    const double limit = kFarDeviations * scatter_about(used, *factor);
    used.clear();
    for (const TrendCell& cell : all)
      if (std::abs(cell.value - product(*factor, cell.terms)) <= limit) used.push_back(cell);
  }
  return *factor;
}

/// The noise of a trend at a place.
double noise_at(const NoiseTrend& trend, const AlongAxis& y, const AlongAxis& x) {
  double more = 0;
  if (!trend.logs.empty()) {
    const double v = y.cells.from, u = x.cells.from;
    const double *above = trend.logs.data() + y.cells.first * trend.cells.cols.size(),
                 *below = trend.logs.data() + y.cells.second * trend.cells.cols.size();
    more = (1 - v) * ((1 - u) * above[x.cells.first] + u * above[x.cells.second]) +
           v * ((1 - u) * below[x.cells.first] + u * below[x.cells.second]);
  }
  return std::exp(std::min(product(trend.factor, terms_at(y.place, x.place)) + more, trend.most));
}

MeshGrid fine_grid(const MeshGrid& cells) { return cells.with_cells(std::max<std::int64_t>(side_of(cells) / 8, 1)); }

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

double NoiseTrend::at(double y, double x) const { return noise_at(*this, along(cells.rows, y), along(cells.cols, x)); }

std::vector<float> NoiseTrend::at(const MeshGrid& nodes) const {
  const std::vector<AlongAxis> rows = along(cells.rows, nodes.rows), cols = along(cells.cols, nodes.cols);
  std::vector<float> noise;
  for (const AlongAxis& y : rows)
    for (const AlongAxis& x : cols) noise.push_back(static_cast<float>(noise_at(*this, y, x)));
  return noise;
}

namespace {

/// Logarithms of the cells' rms.
CellValues logs_of(const MeshGrid& grid, const std::vector<float>& rms) {
  CellValues logs{grid.ny(), grid.nx(), {}};
  for (const float one : rms)
    logs.value.push_back(one > 0 && std::isfinite(one) ? std::log(static_cast<double>(one)) : kNan);
  return logs;
}

/// Of the local polynomial at a cell.
double smooth_at(const CellValues& logs, std::int64_t j, std::int64_t i) {
  const auto factor = polynomial_at(logs, j, i);
  return factor ? factor->front() : kNan;
}

/// What the cells' noise is by what local polynomials leave of them: these follow a part of it.
double noise_of(std::vector<double> left) {
  constexpr double kLeft = 0.85, kLeast = 1e-3;
  return std::max(kSigmaPerDeviation * scatter_of(std::move(left)) / kLeft, kLeast);
}

/// Mean of the finite values among the 5 x 5 about each; NaN where there is none.
CellValues means_near(const CellValues& values) {
  CellValues means{values.ny, values.nx, {}};
  for (std::int64_t j = 0; j < values.ny; ++j)
    for (std::int64_t i = 0; i < values.nx; ++i) {
      double sum = 0, count = 0;
      for (std::int64_t v = std::max<std::int64_t>(j - kNearCells, 0); v <= std::min(j + kNearCells, values.ny - 1);
           ++v)
        for (std::int64_t u = std::max<std::int64_t>(i - kNearCells, 0); u <= std::min(i + kNearCells, values.nx - 1);
             ++u)
          if (const double one = values.at(v, u); std::isfinite(one)) sum += one, ++count;
      means.value.push_back(count > 0 ? sum / count : kNan);
    }
  return means;
}

/// The middle one of what is finite, 0 where nothing is.
template <class T>
double level_of(const std::vector<T>& values) {
  std::vector<double> known(values.begin(), values.end());
  std::erase_if(known, [](double one) { return !std::isfinite(one); });
  return known.empty() ? 0 : middle_of(std::move(known));
}

/// How far the cells' means are from the level, in rms.
CellValues lifts_of(const MeshGrid& grid, const MeshCells& cells) {
  const double level = level_of(cells.mean);
  CellValues lifts{grid.ny(), grid.nx(), {}};
  for (std::size_t k = 0; k < cells.mean.size(); ++k)
    lifts.value.push_back(std::abs(cells.mean[k] - level) / static_cast<double>(cells.rms[k]));
  return lifts;
}

/// 1 where a level is that of the image, 0 in emission.
double of_noise(double lift) { return std::isfinite(lift) ? std::clamp(2 - lift / kLevelOff, 0.0, 1.0) : 1; }

/// Values of all cells, from all threads.
template <class At>
CellValues at_cells(const CellValues& like, const At& at) {
  CellValues made{like.ny, like.nx, std::vector<double>(like.value.size())};
  ThreadPool pool;
  pool.for_each(like.ny, [&](std::int64_t j) {
    for (std::int64_t i = 0; i < like.nx; ++i) made.value[static_cast<std::size_t>(j * like.nx + i)] = at(j, i);
  });
  return made;
}

/// Squares of what is left of values, in units of the noise; one that is far off counts as kFar.
CellValues misses(const CellValues& values, const CellValues& about, double noise) {
  constexpr double kFar = 16;
  CellValues out{values.ny, values.nx, {}};
  for (std::size_t k = 0; k < values.value.size(); ++k) {
    const double left = (values.value[k] - about.value[k]) / noise;
    out.value.push_back(std::isfinite(left) ? std::min(left * left, kFar) : kNan);
  }
  return out;
}

double mean_of(const CellValues& values) {
  double sum = 0, count = 0;
  for (const double one : values.value)
    if (std::isfinite(one)) sum += one, ++count;
  return count > 0 ? sum / count : 0;
}

/// From 0 at `from` to 1 at from + width.
double ramp(double value, double from, double width) { return std::clamp((value - from) / width, 0.0, 1.0); }

}  // namespace

bool filter_cuts_noise(const MeshGrid& grid, const MeshCells& cells, int filter) {
  constexpr std::size_t kMostCells = std::size_t{1} << 14;
  constexpr double kMoved = 0.06, kSigma = 3.5;
  // Variance of a median over that of one of its values, times their number; leverage of the middle of 5 x 5 cells in a
  // polynomial of second order, and of one at the rim.
  constexpr double kOfMedian = std::numbers::pi / 2, kInside = 27.0 / 175, kAtRim = 0.6;
  if (cells.rms.size() > kMostCells) return false;
  const CellValues logs = logs_of(grid, cells.rms), lifts = lifts_of(grid, cells);
  const auto [first, step] = even_cells(logs.value.size());
  std::vector<double> left, moved, share, lift;
  for (std::int64_t j = first; j < logs.ny; j += step)
    for (std::int64_t i = first; i < logs.nx; i += step) {
      const double smooth = smooth_at(logs, j, i), off = logs.at(j, i) - smooth;
      if (!std::isfinite(off)) continue;
      left.push_back(off);
      lift.push_back(lifts.at(j, i));
      const std::int64_t half = filter / 2, dy = std::min({half, j, logs.ny - 1 - j}),
                         dx = std::min({half, i, logs.nx - 1 - i});
      const auto window = static_cast<double>((2 * dy + 1) * (2 * dx + 1));
      moved.push_back(std::abs(logs.filtered(j, i, half) - smooth));
      share.push_back(std::sqrt(kOfMedian / window + (dy == half && dx == half ? kInside : kAtRim)));
    }
  const double noise = noise_of(left), least = enough_cells(left.size());
  std::vector<double> cut;
  for (std::size_t k = 0; k < moved.size(); ++k)
    if (moved[k] > std::max(kMoved, kSigma * noise * share[k])) cut.push_back(lift[k]);
  return static_cast<double>(cut.size()) >= least && middle_of(std::move(cut)) <= kLevelOff;
}

NoiseTrend noise_trend(const MeshGrid& grid, const MeshCells& cells, int filter) {
  constexpr double kBeyond = 0.5;  // from the centre of the noisiest cell to its rim
  // Gains of squares a cell, in variances: none below the first, all of it so much above. Local polynomials take a
  // sixth of the noise more than the filter does.
  constexpr double kGain = 0.6, kImageGain = 0.2, kImageWidth = 0.5;
  const CellValues logs = logs_of(grid, cells.rms);
  const CellValues smooth = at_cells(logs, [&](std::int64_t j, std::int64_t i) { return smooth_at(logs, j, i); });
  std::vector<double> left;
  for (std::size_t k = 0; k < logs.value.size(); ++k) left.push_back(logs.value[k] - smooth.value[k]);
  const double noise = noise_of(std::move(left));

  NoiseTrend trend{image_polynomial(grid, logs), grid, {}, 0, level_of(cells.mean)};
  const std::vector<AlongAxis> rows = along(grid.rows, grid.rows), cols = along(grid.cols, grid.cols);
  const auto image_at = [&](std::int64_t j, std::int64_t i) {
    return product(trend.factor, terms_at(rows[j].place, cols[i].place));
  };
  // How much of something describes all cells: by what it leaves of them, and what their middle leaves.
  const auto part_of = [&](const CellValues& values, const CellValues& about) {
    const double middle = level_of(values.value);
    const double even = mean_of(misses(values, at_cells(values, [&](auto, auto) { return middle; }), noise));
    const double rest_of = mean_of(misses(values, about, noise));
    return ramp((even - rest_of) / std::max(rest_of, 1.0), kImageGain, kImageWidth);
  };
  const double part = part_of(logs, at_cells(logs, image_at));
  for (double& one : trend.factor) one *= part;

  const CellValues base = at_cells(logs, image_at);
  const CellValues rest = at_cells(logs, [&](std::int64_t j, std::int64_t i) { return logs.at(j, i) - base.at(j, i); });
  const CellValues filtered =
      at_cells(rest, [&](std::int64_t j, std::int64_t i) { return rest.filtered(j, i, filter / 2); });
  // Where the filter follows nothing but noise, it is left to the cells that are measured about the trend.
  const double followed = part_of(rest, filtered), middle = level_of(rest.value);
  const CellValues by_filter = means_near(misses(rest, filtered, noise)),
                   by_surface = means_near(misses(logs, smooth, noise)), lifts = means_near(lifts_of(grid, cells));
  trend.most = -std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < rest.value.size(); ++k) {
    const double gain = by_filter.value[k] - by_surface.value[k], surface = smooth.value[k] - base.value[k];
    const double weight = std::isfinite(gain) ? ramp(gain, kGain, 1) * of_noise(lifts.value[k]) : 0;
    const double flat = std::isfinite(filtered.value[k]) ? middle + followed * (filtered.value[k] - middle) : surface;
    trend.logs.push_back(std::isfinite(surface) ? flat + weight * (surface - flat) : flat);
    if (std::isfinite(logs.value[k] + trend.logs[k])) trend.most = std::max(trend.most, base.value[k] + trend.logs[k]);
  }
  if (!std::isfinite(trend.most)) trend.most = 0;
  // Far from all known cells there is nothing to measure.
  for (std::size_t k = 0; k < trend.logs.size(); ++k)
    if (!std::isfinite(trend.logs[k])) trend.logs[k] = trend.most - base.value[k];
  trend.most += kBeyond;
  return trend;
}

BackgroundModel model_of(const NoiseTrend& trend, const MeshGrid& cells) {
  MeshGrid nodes = fine_grid(cells);
  std::vector<float> noise = trend.at(nodes);
  std::vector<float> level(noise.size(), static_cast<float>(trend.level));
  return {std::move(nodes), std::move(level), std::move(noise), nullptr, nullptr};
}

BackgroundModel with_trend(const BackgroundModel& measured, const BackgroundModel& trend) {
  BackgroundModel model = resampled(measured, trend.grid);
  for (std::size_t k = 0; k < model.rms.size(); ++k)
    model.mean[k] = model.mean[k] * trend.rms[k] + trend.mean[k], model.rms[k] *= trend.rms[k];
  return model;
}

}  // namespace reber
