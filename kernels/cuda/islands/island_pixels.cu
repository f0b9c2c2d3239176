// SPDX-License-Identifier: BSD-3-Clause
// Pixels of chosen islands, gathered run by run. Answers island_pixels of kernels/cpu/islands/measure.cpp.
#include <cuda_runtime.h>

#include "kernels/cuda/device/early_code.hpp"
#include "kernels/cuda/islands/island_pixels.hpp"

namespace reber::cuda {
namespace {

constexpr int kThreads = 256;

/// One warp per island.
__global__ void __launch_bounds__(kThreads)
    k_count_pixels(const rules::Run* __restrict__ runs, const std::uint64_t* __restrict__ by_island,
                   const std::uint32_t* __restrict__ begin, std::int64_t islands,
                   unsigned long long* __restrict__ counts) {
  const std::int64_t island = (static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x) / 32;
  if (island >= islands) return;
  unsigned long long count = 0;
  for (std::uint32_t k = begin[island] + (threadIdx.x & 31); k < begin[island + 1]; k += 32) {
    const rules::Run run = runs[static_cast<std::uint32_t>(by_island[k])];
    count += static_cast<unsigned>(run.x1 - run.x0);
  }
  for (int half = 16; half > 0; half /= 2) count += __shfl_down_sync(0xffffffffu, count, half);
  if ((threadIdx.x & 31) == 0) counts[island] = count;
}

__global__ void __launch_bounds__(kThreads)
    k_chosen_lengths(const rules::Run* __restrict__ runs, const std::uint64_t* __restrict__ by_island,
                     std::int64_t entries, const unsigned long long* __restrict__ counts, unsigned long long min_pixels,
                     std::uint32_t* __restrict__ lengths) {
  const std::int64_t k = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (k >= entries) return;
  const std::uint64_t key = by_island[k];
  const rules::Run run = runs[static_cast<std::uint32_t>(key)];
  lengths[k] = counts[(key >> 32) - 1] >= min_pixels ? static_cast<std::uint32_t>(run.x1 - run.x0) : 0;
}

/// One warp per run; runs of rows that are not held are left to another band.
__global__ void __launch_bounds__(kThreads)
    k_gather_pixels(RowWindow window, RunPixels kept, BackgroundView background, std::int64_t y0, std::int64_t ny,
                    const rules::Run* __restrict__ runs, const std::uint64_t* __restrict__ by_island,
                    std::int64_t entries, const std::uint32_t* __restrict__ lengths,
                    const std::uint32_t* __restrict__ places, PixelLists lists) {
  const std::int64_t k = (static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x) / 32;
  if (k >= entries || lengths[k] == 0) return;
  const auto index = static_cast<std::uint32_t>(by_island[k]);
  const rules::Run run = runs[index];
  if (run.y < y0 || run.y >= y0 + ny) return;
  const float* row = kept.pixels != nullptr ? kept.pixels + (static_cast<std::int64_t>(kept.begin[index]) - run.x0)
                                            : window.pixels + (run.y - window.first) * window.pitch;
  for (std::int32_t x = run.x0 + static_cast<std::int32_t>(threadIdx.x & 31); x < run.x1; x += 32) {
    const std::int64_t to = std::int64_t{places[k]} + (x - run.x0);
    const MeanRms level = background_at(background, run.y, x);
    lists.y[to] = run.y;
    lists.x[to] = x;
    lists.pixel[to] = row[x];
    lists.mean[to] = level.mean;
    lists.rms[to] = level.rms;
  }
}

unsigned blocks_of(std::int64_t threads) { return static_cast<unsigned>((threads + kThreads - 1) / kThreads); }

const EarlyCode kEarly(k_count_pixels, k_chosen_lengths, k_gather_pixels);

}  // namespace

void count_pixels(cudaStream_t stream, const CudaIslands& islands, const IslandOrder& order,
                  unsigned long long* counts) {
  k_count_pixels<<<blocks_of(islands.islands * 32), kThreads, 0, stream>>>(
      islands.runs.data(), order.by_island.data(), order.island_begin.data(), islands.islands, counts);
  check_launch("k_count_pixels", stream);
}

void chosen_lengths(cudaStream_t stream, const CudaIslands& islands, const IslandOrder& order,
                    const unsigned long long* counts, std::int64_t min_pixels, std::uint32_t* lengths) {
  k_chosen_lengths<<<blocks_of(islands.run_count), kThreads, 0, stream>>>(
      islands.runs.data(), order.by_island.data(), islands.run_count, counts,
      static_cast<unsigned long long>(min_pixels > 0 ? min_pixels : 0), lengths);
  check_launch("k_chosen_lengths", stream);
}

void gather_pixels(cudaStream_t stream, const RowWindow& window, const RunPixels& kept,
                   const BackgroundView& background, std::int64_t y0, std::int64_t ny, const CudaIslands& islands,
                   const IslandOrder& order, const std::uint32_t* lengths, const std::uint32_t* places,
                   const PixelLists& lists) {
  k_gather_pixels<<<blocks_of(islands.run_count * 32), kThreads, 0, stream>>>(
      window, kept, background, y0, ny, islands.runs.data(), order.by_island.data(), islands.run_count, lengths, places,
      lists);
  check_launch("k_gather_pixels", stream);
}

}  // namespace reber::cuda
