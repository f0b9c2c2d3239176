// SPDX-License-Identifier: BSD-3-Clause
// A thread a run, then a warp an island, in the order of kernels/shared/island_rules.hpp. Answers
// kernels/cpu/measure.cpp.
#include <cuda_runtime.h>

#include "kernels/cuda/measure.hpp"

namespace reber::cuda {
namespace {

constexpr int kThreads = 256;
constexpr unsigned kAll = 0xffffffffu;
static_assert(rules::kIslandLanes == 32, "the lanes of an island are the lanes of a warp");

__global__ void __launch_bounds__(kThreads)
    k_measure_runs(RowWindow window, BackgroundView background, bool negative, const rules::Run* __restrict__ runs,
                   std::int64_t first, std::int64_t last, RunMeasure* __restrict__ measures) {
  const std::int64_t k = first + static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (k >= last) return;
  const rules::Run run = runs[k];
  RunMeasure measure;
  rules::start_run(measure.sums);
  for (std::int32_t x = run.x0; x < run.x1; ++x) {
    const float mean = background.mean_map.pixels != nullptr ? window_pixel(background.mean_map, run.y, x)
                                                             : mesh_at(background, background.mean_nodes, run.y, x);
    rules::add_pixel(measure.sums, x, run.x0, rules::above_background(window_pixel(window, run.y, x), mean, negative));
  }
  const MeanRms at_peak = background_at(background, run.y, measure.sums.peak_x);
  measure.pixel = window_pixel(window, run.y, measure.sums.peak_x);
  measure.mean = at_peak.mean;
  measure.rms = at_peak.rms;
  measures[k] = measure;
}

/// The largest pixel so far: of run `run`, the k-th of its island; the first in raster order where several are.
struct Peak {
  float above;
  std::uint32_t k, run;
};

__device__ Peak better(const Peak& a, const Peak& b) {
  return b.above > a.above || (b.above == a.above && b.k < a.k) ? b : a;
}

__device__ rules::Partial from_lane_above(const rules::Partial& mine, int half) {
  return {__shfl_down_sync(kAll, mine.s, half),   __shfl_down_sync(kAll, mine.sx, half),
          __shfl_down_sync(kAll, mine.sy, half),  __shfl_down_sync(kAll, mine.sxx, half),
          __shfl_down_sync(kAll, mine.sxy, half), __shfl_down_sync(kAll, mine.syy, half)};
}

__device__ Peak from_lane_above(const Peak& mine, int half) {
  return {__shfl_down_sync(kAll, mine.above, half), __shfl_down_sync(kAll, mine.k, half),
          __shfl_down_sync(kAll, mine.run, half)};
}

__global__ void __launch_bounds__(kThreads)
    k_sum_islands(const rules::Run* __restrict__ runs, const std::uint64_t* __restrict__ by_island,
                  const std::uint32_t* __restrict__ begin, std::int64_t islands,
                  const RunMeasure* __restrict__ measures, IslandSums* __restrict__ sums) {
  const std::int64_t island = (static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x) / 32;
  if (island >= islands) return;
  const std::uint32_t lane = threadIdx.x & 31, from = begin[island], count = begin[island + 1] - from;
  const rules::Run head = runs[static_cast<std::uint32_t>(by_island[from])];
  const rules::Run tail = runs[static_cast<std::uint32_t>(by_island[from + count - 1])];
  rules::Partial partial = rules::zero_partial();
  // Below every pixel above background, so that a lane without runs never wins.
  Peak peak{-__int_as_float(0x7f800000), kAll, 0};
  long long npix = 0;
  std::int32_t x0 = head.x0, x1 = head.x1;
  for (std::uint32_t k = lane; k < count; k += rules::kIslandLanes) {
    const auto index = static_cast<std::uint32_t>(by_island[from + k]);
    const rules::Run run = runs[index];
    const rules::RunSums part = measures[index].sums;
    partial = rules::add(partial, rules::shifted(part, run, head.y, head.x0));
    peak = better(peak, {part.peak_above, k, index});
    npix += run.x1 - run.x0;
    x0 = min(x0, run.x0);
    x1 = max(x1, run.x1);
  }
  for (int half = rules::kIslandLanes / 2; half > 0; half /= 2) {
    partial = rules::add(partial, from_lane_above(partial, half));
    peak = better(peak, from_lane_above(peak, half));
    npix += __shfl_down_sync(kAll, npix, half);
    x0 = min(x0, __shfl_down_sync(kAll, x0, half));
    x1 = max(x1, __shfl_down_sync(kAll, x1, half));
  }
  if (lane != 0) return;
  const RunMeasure& best = measures[peak.run];
  IslandSums out;
  out.npix = npix;
  out.first_y = out.y0 = head.y;
  out.first_x = head.x0;
  out.x0 = x0;
  out.y1 = tail.y + 1;
  out.x1 = x1;
  out.peak_y = runs[peak.run].y;
  out.peak_x = best.sums.peak_x;
  out.peak = best.pixel;
  out.peak_mean = best.mean;
  out.peak_rms = best.rms;
  out.s = partial.s;
  out.sx = partial.sx;
  out.sy = partial.sy;
  out.sxx = partial.sxx;
  out.sxy = partial.sxy;
  out.syy = partial.syy;
  sums[island] = out;
}

}  // namespace

void measure_runs(cudaStream_t stream, const RowWindow& window, const BackgroundView& background,
                  const CudaIslands& islands, std::int64_t first, std::int64_t last, RunMeasure* measures) {
  if (first >= last) return;
  const auto blocks = static_cast<unsigned>((last - first + kThreads - 1) / kThreads);
  k_measure_runs<<<blocks, kThreads, 0, stream>>>(window, background, islands.options().negative, islands.runs.data(),
                                                  first, last, measures);
  check_launch("k_measure_runs", stream);
}

void sum_islands(cudaStream_t stream, const CudaIslands& islands, const RunMeasure* measures, IslandSums* sums) {
  if (islands.islands == 0) return;
  const auto blocks = static_cast<unsigned>((islands.islands * 32 + kThreads - 1) / kThreads);
  k_sum_islands<<<blocks, kThreads, 0, stream>>>(islands.runs.data(), islands.by_island.data(),
                                                 islands.island_begin.data(), islands.islands, measures, sums);
  check_launch("k_sum_islands", stream);
}

}  // namespace reber::cuda
