// SPDX-License-Identifier: BSD-3-Clause
// Statistics, the clip and the mesh by sorting whole arrays in double precision.
#include "kernels/reference/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "kernels/reference/rules.hpp"

namespace reber::reference {
namespace {

double median_of(std::span<const double> sorted) {
  const std::size_t middle = sorted.size() / 2;
  return sorted.size() % 2 != 0 ? sorted[middle] : 0.5 * (sorted[middle - 1] + sorted[middle]);
}

struct Moments {
  double mean, std;
};

/// Two passes, so that a large offset cancels before anything is squared; long double keeps 10^9 terms exact enough.
Moments moments_of(std::span<const double> values) {
  long double sum = 0;
  for (const double value : values) sum += value;
  const long double mean = sum / static_cast<long double>(values.size());
  long double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return {static_cast<double>(mean), static_cast<double>(std::sqrt(squares / static_cast<long double>(values.size())))};
}

std::vector<double> sorted_finite(std::vector<double> values) {
  std::erase_if(values, [](double value) { return !std::isfinite(value); });
  std::ranges::sort(values);
  return values;
}

ClipStatistics clip_sorted(std::span<const double> kept, const ClipOptions& options) {
  ClipStatistics result;
  if (kept.empty()) return result;
  while (result.rounds < options.max_rounds && !result.converged) {
    ++result.rounds;
    const double median = median_of(kept);
    const double std = moments_of(kept).std;
    if (!(std > 0)) {
      result.converged = true;
      break;
    }
    const auto low = std::ranges::upper_bound(kept, median - options.kappa * std);
    const auto high = std::ranges::lower_bound(kept, median + options.kappa * std);
    const std::span<const double> next(low, high);
    result.converged = next.size() == kept.size();
    kept = next;
  }
  const Moments moments = moments_of(kept);
  result.median = median_of(kept);
  result.mean = moments.mean;
  result.std = moments.std;
  result.kept = static_cast<std::int64_t>(kept.size());
  return result;
}

}  // namespace

PlaneStatistics statistics(const HostPlane& plane, StatisticsParts parts) {
  const auto values = sorted_finite(plane.pixels);
  PlaneStatistics result;
  result.finite = static_cast<std::int64_t>(values.size());
  result.blank = plane.blank();
  if (values.empty()) return result;
  if (parts != StatisticsParts::mean_and_std) result.median = median_of(values);
  if (parts == StatisticsParts::median) return result;
  const Moments moments = moments_of(values);
  result.mean = moments.mean;
  result.std = moments.std;
  if (parts == StatisticsParts::mean_and_std) return result;
  result.min = values.front();
  result.max = values.back();
  return result;
}

ClipStatistics clip(const HostPlane& plane, const ClipOptions& options) {
  return clip_sorted(sorted_finite(plane.pixels), options);
}

MeshCells mesh(const HostPlane& plane, const MeshGrid& grid, const MeshOptions& options, const Job& job) {
  MeshCells cells;
  const double bias = clip_bias(options.clip.kappa);
  for (std::int64_t j = 0; j < grid.ny(); ++j) {
    job.check();
    for (std::int64_t i = 0; i < grid.nx(); ++i) {
      std::vector<double> values;
      const PixelSpan rows = grid.rows[j], cols = grid.cols[i];
      for (std::int64_t y = rows.begin; y < rows.end; ++y)
        for (std::int64_t x = cols.begin; x < cols.end; ++x) values.push_back(plane.at(y, x));
      const double area = static_cast<double>(values.size());
      values = sorted_finite(std::move(values));
      struct {
        float mean, rms;
      } value{kBlank, kBlank};
      if (values.size() >= 3 && static_cast<double>(values.size()) >= options.min_valid * area) {
        const ClipStatistics clipped = clip_sorted(values, options.clip);
        const double rms = clipped.std / bias;
        const bool crowded = !(std::abs(clipped.mean - clipped.median) < 0.3 * rms);
        const double weight = options.centre;
        value.mean =
            static_cast<float>(crowded ? clipped.median : weight * clipped.median - (weight - 1) * clipped.mean);
        value.rms = static_cast<float>(rms);
      }
      cells.mean.push_back(value.mean);
      cells.rms.push_back(value.rms);
    }
  }
  return cells;
}

BackgroundAt::BackgroundAt(const HostBackground& background)
    : model_(&background.model), mean_map_(background.mean_map), rms_map_(background.rms_map) {
  for (std::int64_t y = 0; y < background.image().ny; ++y) rows_.push_back(nodes_about(model_->grid.rows, y));
  for (std::int64_t x = 0; x < background.image().nx; ++x) cols_.push_back(nodes_about(model_->grid.cols, x));
}

BackgroundAt::Value BackgroundAt::operator()(std::int64_t y, std::int64_t x) const {
  const Between &row = rows_[y], &col = cols_[x];
  const auto between = [&](const std::vector<float>& nodes) {
    const auto down = [&](std::int64_t i) {
      const std::int64_t nx = model_->grid.nx();
      return on_line(nodes[row.before * nx + i], nodes[row.behind * nx + i], row.weight);
    };
    return on_line(down(col.before), down(col.behind), col.weight);
  };
  return {mean_map_ != nullptr ? static_cast<float>(mean_map_->at(y, x)) : between(model_->mean),
          rms_map_ != nullptr ? static_cast<float>(rms_map_->at(y, x)) : between(model_->rms)};
}

}  // namespace reber::reference
