// SPDX-License-Identifier: BSD-3-Clause
// One block a cell: sort its pixels, then clip the sorted array. Answers kernels/cpu/mesh.cpp.
#include <cuda_runtime.h>

#include <cub/block/block_radix_sort.cuh>

#include "kernels/cuda/mesh.hpp"
#include "kernels/shared/cell_clip.hpp"
#include "kernels/shared/float_keys.hpp"

namespace reber::cuda {
namespace {

// Above the key of every finite float, so that blank pixels end up behind them.
constexpr std::uint32_t kBlankKey = 0xffffffffu;

__device__ float float_of_key(std::uint32_t key) { return __uint_as_float(rules::bits_of_key(key)); }

struct Lanes {
  double sum[rules::kCellLanes];
  double sum2[rules::kCellLanes];
};

/// Sums of a range by a whole block, each thread below kCellLanes one lane; every thread gets the result.
struct BlockSums {
  const float* sorted;
  Lanes* lanes;

  static REBER_HD void add(float value, double median, double& sum, double& sum2) {
    const double d = static_cast<double>(value) - median;
    sum += d;
    sum2 += d * d;
  }

  REBER_HD rules::CellSums operator()(std::int64_t lo, std::int64_t hi, double median) const {
#ifdef __CUDA_ARCH__
    const auto lane = static_cast<int>(threadIdx.x);
    if (lane < rules::kCellLanes) {
      double sum = 0, sum2 = 0;
      std::int64_t k = lo + lane;
      constexpr int kAhead = 8;  // loads in flight; the additions keep their order
      for (; k + (kAhead - 1) * rules::kCellLanes < hi; k += kAhead * rules::kCellLanes) {
        float values[kAhead];
#pragma unroll
        for (int a = 0; a < kAhead; ++a) values[a] = sorted[k + a * rules::kCellLanes];
#pragma unroll
        for (int a = 0; a < kAhead; ++a) add(values[a], median, sum, sum2);
      }
      for (; k < hi; k += rules::kCellLanes) add(sorted[k], median, sum, sum2);
      lanes->sum[lane] = sum;
      lanes->sum2[lane] = sum2;
    }
    for (int half = rules::kCellLanes / 2; half > 0; half /= 2) {
      __syncthreads();  // the lanes of the step before are written
      if (lane < half) {
        lanes->sum[lane] += lanes->sum[lane + half];
        lanes->sum2[lane] += lanes->sum2[lane + half];
      }
    }
    __syncthreads();  // the result is there for all
    const rules::CellSums total{lanes->sum[0], lanes->sum2[0]};
    __syncthreads();  // all have read it before the next round writes
    return total;
#else
    (void)lo, (void)hi, (void)median;
    return {0, 0};
#endif
  }
};

/// By a whole block: the cell's values from its `finite` sorted pixels of `area`.
__device__ void write_cell(const MeshTask& task, std::int64_t cell, const float* sorted, std::int64_t finite,
                           std::int64_t area, Lanes* lanes) {
  rules::CellValue value{rules::blank_value(), rules::blank_value()};
  if (finite >= 3 && !(static_cast<double>(finite) < task.min_valid * static_cast<double>(area))) {
    const rules::CellClip clip =
        rules::clip_sorted_cell(sorted, finite, task.kappa, task.max_rounds, BlockSums{sorted, lanes});
    value = rules::cell_value(clip.median, clip.mean, clip.std, task.bias);
  }
  if (threadIdx.x == 0) {
    task.mean[cell] = value.mean;
    task.rms[cell] = value.rms;
  }
}

/// Pixel `at` of a cell `width` wide whose first pixel is (y, x).
__device__ float cell_pixel(const RowWindow& window, std::int64_t y, std::int64_t x, unsigned width, unsigned at) {
  return window.pixels[(y + at / width - window.first) * window.pitch + x + at % width];
}

/// Finite pixels of a sorted cell: the blank ones stand behind them.
__device__ unsigned count_finite(const float* sorted, unsigned area) {
  unsigned lo = 0, hi = area;
  while (lo < hi) {
    const unsigned middle = (lo + hi) / 2;
    if (isfinite(sorted[middle])) {
      lo = middle + 1;
    } else {
      hi = middle;
    }
  }
  return lo;
}

template <int Threads, int Items>
union SortMemory {
  typename cub::BlockRadixSort<std::uint32_t, Threads, Items>::TempStorage sort;
  struct {
    float sorted[Threads * Items];
    Lanes lanes;
  } clip;
};

template <int Threads, int Items>
__global__ void __launch_bounds__(Threads) k_measure_cells(RowWindow window, MeshTask task) {
  extern __shared__ double2 cell_memory[];
  auto& memory = *reinterpret_cast<SortMemory<Threads, Items>*>(cell_memory);
  const std::int64_t j = task.first_row + blockIdx.x / task.nx, i = blockIdx.x % task.nx;
  const std::int64_t y0 = task.row_edges[j], x0 = task.col_edges[i];
  const auto width = static_cast<unsigned>(task.col_edges[i + 1] - x0);
  const auto area = static_cast<unsigned>((task.row_edges[j + 1] - y0) * width);
  std::uint32_t keys[Items];
#pragma unroll
  for (int item = 0; item < Items; ++item) {
    const unsigned at = item * Threads + threadIdx.x;
    const float pixel = at < area ? cell_pixel(window, y0, x0, width, at) : rules::blank_value();
    keys[item] = isfinite(pixel) ? rules::key_of(pixel) : kBlankKey;
  }
  cub::BlockRadixSort<std::uint32_t, Threads, Items>(memory.sort).SortBlockedToStriped(keys);
  __syncthreads();  // the sort's memory is about to hold the sorted pixels
#pragma unroll
  for (int item = 0; item < Items; ++item) memory.clip.sorted[item * Threads + threadIdx.x] = float_of_key(keys[item]);
  __syncthreads();  // all pixels are in place before the first round
  write_cell(task, j * task.nx + i, memory.clip.sorted, count_finite(memory.clip.sorted, area), area,
             &memory.clip.lanes);
}

template <int Threads, int Items>
void launch_cells(cudaStream_t stream, const RowWindow& window, const MeshTask& task) {
  constexpr std::size_t kBytes = sizeof(SortMemory<Threads, Items>);
  check(cudaFuncSetAttribute(k_measure_cells<Threads, Items>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             static_cast<int>(kBytes)),
        "cudaFuncSetAttribute", static_cast<std::int64_t>(kBytes));
  k_measure_cells<Threads, Items>
      <<<static_cast<unsigned>(task.rows * task.nx), Threads, kBytes, stream>>>(window, task);
  check_launch("k_measure_cells", stream);
}

constexpr int kThreads = 256;

/// A thread a pixel of the rows of cells, in image order; each finds its cell by bisection.
__global__ void __launch_bounds__(kThreads)
    k_make_cell_keys(RowWindow window, MeshTask task, std::int64_t pixels, const std::int64_t* __restrict__ offsets,
                     std::uint64_t* __restrict__ keys, std::uint32_t* counts) {
  const std::int64_t p = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (p >= pixels) return;
  const std::int64_t y = task.row_edges[task.first_row] + p / window.nx, x = p % window.nx;
  const auto cell_of = [](const std::int64_t* edges, std::int64_t first, std::int64_t last, std::int64_t at) {
    while (last - first > 1) {
      const std::int64_t middle = (first + last) / 2;
      (edges[middle] <= at ? first : last) = middle;
    }
    return first;
  };
  const std::int64_t j = cell_of(task.row_edges, task.first_row, task.first_row + task.rows, y);
  const std::int64_t i = cell_of(task.col_edges, 0, task.nx, x);
  const std::int64_t cell = (j - task.first_row) * task.nx + i;
  const float pixel = window_pixel(window, y, x);
  const bool good = isfinite(pixel);
  const std::int64_t width = task.col_edges[i + 1] - task.col_edges[i];
  const std::int64_t at = (y - task.row_edges[j]) * width + x - task.col_edges[i];
  keys[offsets[cell] + at] = static_cast<std::uint64_t>(cell) << 32 | (good ? rules::key_of(pixel) : kBlankKey);
  // Neighbours are mostly of one cell: one count a warp and cell.
  const unsigned active = __activemask();
  const unsigned same = __match_any_sync(active, static_cast<unsigned long long>(cell));
  const unsigned finite = __ballot_sync(active, good) & same;
  if (static_cast<int>(threadIdx.x & 31) == __ffs(static_cast<int>(same)) - 1)
    atomicAdd(counts + cell, static_cast<std::uint32_t>(__popc(finite)));
}

__global__ void __launch_bounds__(kThreads)
    k_floats_of_keys(std::int64_t pixels, const std::uint64_t* __restrict__ keys, float* __restrict__ sorted) {
  const std::int64_t p = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (p < pixels) sorted[p] = float_of_key(static_cast<std::uint32_t>(keys[p]));
}

__global__ void __launch_bounds__(rules::kCellLanes)
    k_clip_cells(MeshTask task, const std::int64_t* __restrict__ offsets, const std::uint32_t* __restrict__ counts,
                 const float* __restrict__ sorted) {
  __shared__ Lanes lanes;
  const std::int64_t cell = blockIdx.x;
  write_cell(task, task.first_row * task.nx + cell, sorted + offsets[cell], counts[cell],
             offsets[cell + 1] - offsets[cell], &lanes);
}

unsigned blocks_of(std::int64_t pixels) { return static_cast<unsigned>((pixels + kThreads - 1) / kThreads); }

}  // namespace

void measure_cells(cudaStream_t stream, const RowWindow& window, const MeshTask& task, std::int64_t max_area) {
  if (max_area <= 1024) {
    launch_cells<256, 4>(stream, window, task);
  } else if (max_area <= 4096) {
    launch_cells<256, 16>(stream, window, task);
  } else {
    launch_cells<1024, 16>(stream, window, task);
  }
}

void make_cell_keys(cudaStream_t stream, const RowWindow& window, const MeshTask& task, std::int64_t pixels,
                    const std::int64_t* offsets, std::uint64_t* keys, std::uint32_t* counts) {
  k_make_cell_keys<<<blocks_of(pixels), kThreads, 0, stream>>>(window, task, pixels, offsets, keys, counts);
  check_launch("k_make_cell_keys", stream);
}

void clip_sorted_cells(cudaStream_t stream, const MeshTask& task, std::int64_t pixels, const std::int64_t* offsets,
                       const std::uint64_t* keys, const std::uint32_t* counts, float* sorted) {
  k_floats_of_keys<<<blocks_of(pixels), kThreads, 0, stream>>>(pixels, keys, sorted);
  check_launch("k_floats_of_keys", stream);
  k_clip_cells<<<static_cast<unsigned>(task.rows * task.nx), rules::kCellLanes, 0, stream>>>(task, offsets, counts,
                                                                                             sorted);
  check_launch("k_clip_cells", stream);
}

}  // namespace reber::cuda
