// SPDX-License-Identifier: BSD-3-Clause
// One thread per run, then one warp per island, in the order of kernels/shared/island_rules.hpp. Answers
// kernels/cpu/islands/measure.cpp.
#include <cuda_runtime.h>

#include <algorithm>

#include "kernels/cuda/device/early_code.hpp"
#include "kernels/cuda/islands/measure.hpp"

namespace reber::cuda {
namespace {

constexpr int kThreads = 256;
constexpr unsigned kAll = 0xffffffffu;
static_assert(rules::kIslandLanes == 32, "the lanes of an island are the lanes of a warp");

__global__ void __launch_bounds__(kThreads)
    k_measure_runs(RowWindow window, RunPixels kept, BackgroundView background, bool negative,
                   const rules::Run* __restrict__ runs, std::int64_t first, std::int64_t last,
                   RunMeasure* __restrict__ measures) {
  const std::int64_t k = first + static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (k >= last) return;
  const rules::Run run = runs[k];
  const float* row = kept.pixels != nullptr ? kept.pixels + (static_cast<std::int64_t>(kept.begin[k]) - run.x0)
                                            : window.pixels + (run.y - window.first) * window.pitch;
  RunMeasure measure{};
  rules::start_run(measure.sums);
  for (std::int32_t x = run.x0; x < run.x1; ++x) {
    const float mean = background.mean_map.pixels != nullptr ? window_pixel(background.mean_map, run.y, x)
                                                             : mesh_at(background, background.mean_nodes, run.y, x);
    rules::add_pixel(measure.sums, x, run.x0, rules::above_background(row[x], mean, negative));
  }
  const MeanRms at_peak = background_at(background, run.y, measure.sums.peak_x);
  measure.pixel = row[measure.sums.peak_x];
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

/// Sums over some runs of an island; complete in the first lane of the warp that made them.
struct RunsTotal {
  rules::Partial partial;
  long long npix;
  Peak peak;
  std::int32_t x0, x1;
  std::uint32_t padding;
};

__device__ RunsTotal no_runs(std::int32_t x0, std::int32_t x1) {
  // A peak below every pixel above background, so that a lane without runs never wins.
  return {rules::zero_partial(), 0, {-__int_as_float(0x7f800000), kAll, 0}, x0, x1, 0};
}

__device__ RunsTotal add(const RunsTotal& a, const RunsTotal& b) {
  return {
      rules::add(a.partial, b.partial), a.npix + b.npix, better(a.peak, b.peak), min(a.x0, b.x0), max(a.x1, b.x1), 0};
}

__device__ RunsTotal sum_of_lanes(RunsTotal mine) {
  for (int half = rules::kIslandLanes / 2; half > 0; half /= 2) {
    const RunsTotal other{from_lane_above(mine.partial, half),   __shfl_down_sync(kAll, mine.npix, half),
                          from_lane_above(mine.peak, half),      __shfl_down_sync(kAll, mine.x0, half),
                          __shfl_down_sync(kAll, mine.x1, half), 0};
    mine = add(mine, other);
  }
  return mine;
}

/// The islands and what is known of their runs.
struct Islands {
  const rules::Run* __restrict__ runs;
  const std::uint64_t* __restrict__ by_island;
  const std::uint32_t* __restrict__ begin;
  std::int64_t count;
  const RunMeasure* __restrict__ measures;

  [[nodiscard]] __device__ std::uint32_t run_of(std::uint32_t entry) const {
    return static_cast<std::uint32_t>(by_island[entry]);
  }
};

/// Runs [first, last) of an island, counted from its first, by a warp.
__device__ RunsTotal sum_runs(const Islands& islands, std::int64_t island, std::uint32_t first, std::uint32_t last) {
  const std::uint32_t from = islands.begin[island];
  const rules::Run head = islands.runs[islands.run_of(from)];
  RunsTotal total = no_runs(head.x0, head.x1);
#pragma unroll 2
  for (std::uint32_t k = first + (threadIdx.x & 31); k < last; k += rules::kIslandLanes) {
    const std::uint32_t index = islands.run_of(from + k);
    const rules::Run run = islands.runs[index];
    const rules::RunSums part = islands.measures[index].sums;
    total = add(
        total,
        {rules::shifted(part, run, head.y, head.x0), run.x1 - run.x0, {part.peak_above, k, index}, run.x0, run.x1, 0});
  }
  return sum_of_lanes(total);
}

__device__ void write_island(const Islands& islands, std::int64_t island, const RunsTotal& total, IslandSums* sums) {
  const rules::Run head = islands.runs[islands.run_of(islands.begin[island])];
  const rules::Run tail = islands.runs[islands.run_of(islands.begin[island + 1] - 1)];
  const RunMeasure& best = islands.measures[total.peak.run];
  IslandSums out;
  out.npix = total.npix;
  out.first_y = out.y0 = head.y;
  out.first_x = head.x0;
  out.x0 = total.x0;
  out.y1 = tail.y + 1;
  out.x1 = total.x1;
  out.peak_y = islands.runs[total.peak.run].y;
  out.peak_x = best.sums.peak_x;
  out.peak = best.pixel;
  out.peak_mean = best.mean;
  out.peak_rms = best.rms;
  out.s = total.partial.s;
  out.sx = total.partial.sx;
  out.sy = total.partial.sy;
  out.sxx = total.partial.sxx;
  out.sxy = total.partial.sxy;
  out.syy = total.partial.syy;
  sums[island] = out;
}

/// An island of several sections, and where their sums stand.
struct LargeIsland {
  std::uint32_t island, first, sections;
};
struct Section {
  std::uint32_t island, number;
};
/// Lists of large islands and their sections; null where there can be none.
struct LargeIslands {
  std::uint32_t* counts = nullptr;  ///< islands, sections
  LargeIsland* islands = nullptr;
  Section* sections = nullptr;
  RunsTotal* totals = nullptr;  ///< of the sections
};

/// One warp per island; large ones are listed.
__global__ void __launch_bounds__(kThreads) k_sum_islands(Islands islands, LargeIslands large, IslandSums* sums) {
  const std::int64_t island = (static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x) / 32;
  if (island >= islands.count) return;
  const std::uint32_t lane = threadIdx.x & 31, runs = islands.begin[island + 1] - islands.begin[island];
  if (runs <= rules::kSectionRuns) {
    const RunsTotal total = sum_runs(islands, island, 0, runs);
    if (lane == 0) write_island(islands, island, total, sums);
    return;
  }
  const std::uint32_t sections = (runs + rules::kSectionRuns - 1) / rules::kSectionRuns;
  std::uint32_t first = 0;
  if (lane == 0) {
    first = atomicAdd(large.counts + 1, sections);
    large.islands[atomicAdd(large.counts, 1u)] = {static_cast<std::uint32_t>(island), first, sections};
  }
  first = __shfl_sync(kAll, first, 0);
  for (std::uint32_t k = lane; k < sections; k += 32)
    large.sections[first + k] = {static_cast<std::uint32_t>(island), k};
}

/// One warp per section.
__global__ void __launch_bounds__(kThreads) k_sum_sections(Islands islands, LargeIslands large) {
  const std::uint32_t warps = gridDim.x * (kThreads / 32);
  for (std::uint32_t k = (blockIdx.x * kThreads + threadIdx.x) / 32; k < large.counts[1]; k += warps) {
    const Section section = large.sections[k];
    const std::uint32_t runs = islands.begin[section.island + 1] - islands.begin[section.island];
    const std::uint32_t first = section.number * rules::kSectionRuns;
    const RunsTotal total = sum_runs(islands, section.island, first, min(first + rules::kSectionRuns, runs));
    if ((threadIdx.x & 31) == 0) large.totals[k] = total;
  }
}

/// One warp per large island.
__global__ void __launch_bounds__(kThreads) k_join_sections(Islands islands, LargeIslands large, IslandSums* sums) {
  const std::uint32_t warps = gridDim.x * (kThreads / 32), lane = threadIdx.x & 31;
  for (std::uint32_t k = (blockIdx.x * kThreads + threadIdx.x) / 32; k < large.counts[0]; k += warps) {
    const LargeIsland one = large.islands[k];
    const rules::Run head = islands.runs[islands.run_of(islands.begin[one.island])];
    RunsTotal total = no_runs(head.x0, head.x1);
#pragma unroll 4
    for (std::uint32_t section = lane; section < one.sections; section += rules::kIslandLanes)
      total = add(total, large.totals[one.first + section]);
    total = sum_of_lanes(total);
    if (lane == 0) write_island(islands, one.island, total, sums);
  }
}

const EarlyCode kEarly(k_measure_runs, k_sum_islands);

}  // namespace

void measure_runs(cudaStream_t stream, const RowWindow& window, const RunPixels& kept, const BackgroundView& background,
                  const CudaIslands& islands, std::int64_t first, std::int64_t last, RunMeasure* measures) {
  if (first >= last) return;
  const auto blocks = static_cast<unsigned>((last - first + kThreads - 1) / kThreads);
  k_measure_runs<<<blocks, kThreads, 0, stream>>>(window, kept, background, islands.options().negative,
                                                  islands.runs.data(), first, last, measures);
  check_launch("k_measure_runs", stream);
}

void sum_islands(cudaStream_t stream, int multiprocessors, const CudaIslands& islands, const IslandOrder& order,
                 const RunMeasure* measures, IslandSums* sums) {
  const Islands view{islands.runs.data(), order.by_island.data(), order.island_begin.data(), islands.islands, measures};
  const auto blocks = static_cast<unsigned>((islands.islands * 32 + kThreads - 1) / kThreads);
  // An island has at least as many pixels as runs.
  if (islands.largest <= rules::kSectionRuns) {
    k_sum_islands<<<blocks, kThreads, 0, stream>>>(view, LargeIslands{}, sums);
    return check_launch("k_sum_islands", stream);
  }
  const std::int64_t most = islands.run_count / rules::kSectionRuns + 1;
  const DeviceBuffer<std::uint32_t> counts(2, stream);
  const DeviceBuffer<LargeIsland> large(most, stream);
  const DeviceBuffer<Section> sections(2 * most, stream);
  const DeviceBuffer<RunsTotal> totals(2 * most, stream);
  check(cudaMemsetAsync(counts.data(), 0, static_cast<std::size_t>(counts.bytes()), stream), "cudaMemsetAsync");
  const LargeIslands lists{counts.data(), large.data(), sections.data(), totals.data()};
  k_sum_islands<<<blocks, kThreads, 0, stream>>>(view, lists, sums);
  check_launch("k_sum_islands", stream);
  const auto at_once = static_cast<unsigned>(std::min<std::int64_t>(2 * most * 32 / kThreads + 1, 8 * multiprocessors));
  k_sum_sections<<<at_once, kThreads, 0, stream>>>(view, lists);
  check_launch("k_sum_sections", stream);
  k_join_sections<<<at_once, kThreads, 0, stream>>>(view, lists, sums);
  check_launch("k_join_sections", stream);
}

}  // namespace reber::cuda
