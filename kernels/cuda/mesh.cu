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
    value = rules::cell_value(clip.median, clip.mean, clip.std, task.bias, task.centre);
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
  const PixelSpan rows = task.row_spans[j], cols = task.col_spans[i];
  const std::int64_t y0 = rows.begin, x0 = cols.begin;
  const auto width = static_cast<unsigned>(cols.end - cols.begin);
  const auto area = static_cast<unsigned>((rows.end - rows.begin) * width);
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

/// `pieces` blocks a cell, a thread a pixel.
__global__ void __launch_bounds__(kThreads)
    k_make_cell_keys(RowWindow window, MeshTask task, std::int64_t pieces, const std::int64_t* __restrict__ offsets,
                     std::uint64_t* __restrict__ keys, std::uint32_t* counts) {
  const std::int64_t cell = blockIdx.x / pieces;
  const PixelSpan rows = task.row_spans[task.first_row + cell / task.nx], cols = task.col_spans[cell % task.nx];
  const std::int64_t width = cols.end - cols.begin;
  const std::int64_t at = blockIdx.x % pieces * kThreads + threadIdx.x;
  bool good = false;
  if (at < (rows.end - rows.begin) * width) {
    const float pixel = window_pixel(window, rows.begin + at / width, cols.begin + at % width);
    good = isfinite(pixel);
    keys[offsets[cell] + at] = static_cast<std::uint64_t>(cell) << 32 | (good ? rules::key_of(pixel) : kBlankKey);
  }
  const int finite = __syncthreads_count(good ? 1 : 0);
  if (threadIdx.x == 0 && finite > 0) atomicAdd(counts + cell, static_cast<std::uint32_t>(finite));
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

void make_cell_keys(cudaStream_t stream, const RowWindow& window, const MeshTask& task, std::int64_t max_area,
                    const std::int64_t* offsets, std::uint64_t* keys, std::uint32_t* counts) {
  const std::int64_t pieces = blocks_of(max_area);
  k_make_cell_keys<<<static_cast<unsigned>(task.rows * task.nx * pieces), kThreads, 0, stream>>>(window, task, pieces,
                                                                                                 offsets, keys, counts);
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
