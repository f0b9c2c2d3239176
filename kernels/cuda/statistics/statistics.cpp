// SPDX-License-Identifier: BSD-3-Clause
// Which way a plane's statistics and clip are found: by passes and sifting where they serve, else by histograms.
#include "kernels/cuda/statistics/statistics.hpp"

#include "kernels/cuda/statistics/histogram.hpp"
#include "kernels/cuda/statistics/median.hpp"
#include "kernels/cuda/statistics/sift.hpp"

namespace reber::cuda {

ClipStatistics clip_plane(const CudaPlane& plane, const ClipOptions& options, const Job& job) {
  if (const auto answer = sift_plane(plane, options)) return answer->clip;
  PlaneHistogram histogram(plane, job);
  return solve_clip(histogram, options);
}

namespace {

/// Mean and std by one pass, median and extremes by another. Empty where either does not serve.
std::optional<PlaneStatistics> by_passes(const CudaPlane& plane, StatisticsParts parts) {
  PlaneStatistics result;
  result.blank = plane.blank();
  result.finite = plane.shape().count() - plane.blank();
  if (parts != StatisticsParts::mean_and_std) {
    const bool extremes = parts == StatisticsParts::all;
    const auto middle = median_of_plane(plane, extremes);
    if (!middle) return std::nullopt;
    result.median = middle->median;
    if (extremes) result.min = middle->min, result.max = middle->max;
  }
  if (parts != StatisticsParts::median) {
    const auto sums = sum_plane(plane);
    if (!sums) return std::nullopt;
    result.finite = sums->finite;
    result.mean = sums->clip.mean;
    result.std = sums->clip.std;
  }
  return result;
}

}  // namespace

PlaneStatistics plane_statistics(const CudaPlane& plane, StatisticsParts parts, const Job& job) {
  if (const auto result = by_passes(plane, parts)) return *result;
  const auto answer = parts == StatisticsParts::mean_and_std ? std::nullopt : sift_plane(plane, ClipOptions{3, 0});
  if (!answer) {
    PlaneHistogram histogram(plane, job);
    return solve_statistics(histogram, plane.blank(), parts);
  }
  PlaneStatistics result;
  result.finite = answer->finite;
  result.blank = plane.blank();
  result.median = answer->clip.median;
  if (parts == StatisticsParts::median) return result;
  result.mean = answer->clip.mean;
  result.std = answer->clip.std;
  result.min = answer->min;
  result.max = answer->max;
  return result;
}

}  // namespace reber::cuda
