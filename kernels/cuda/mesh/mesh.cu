// SPDX-License-Identifier: BSD-3-Clause
// Cells that mesh_sift.cu does not serve, a block each: sort the pixels, then clip the sorted array. The filter of the
// nodes. Answers kernels/cpu/mesh.cpp.
#include <cuda_runtime.h>

#include "kernels/cuda/device/early_code.hpp"
#include "kernels/cuda/device/shared_memory.hpp"
#include "kernels/cuda/mesh/cell_sort.hpp"
#include "kernels/cuda/mesh/mesh.hpp"

namespace reber::cuda {
namespace {

/// By a whole block: the cell's values from its `finite` sorted pixels of `area`.
__device__ void write_cell(const MeshTask& task, std::int64_t cell, const float* sorted, std::int64_t finite,
                           std::int64_t area, ClipMemory* memory) {
  const bool enough = finite >= 3 && !(static_cast<double>(finite) < task.min_valid * static_cast<double>(area));
  if (threadIdx.x >= 32) {
    if (enough) help_clip(sorted, memory);
    return;
  }
  rules::CellValue value{rules::blank_value(), rules::blank_value()};
  if (enough) {
    const rules::CellClip clip = lead_clip(sorted, finite, task.kappa, task.max_rounds, memory);
    value = rules::cell_value(clip.median, clip.mean, clip.std, task.bias, task.centre);
  }
  if (threadIdx.x == 0) {
    task.mean[cell] = value.mean;
    task.rms[cell] = value.rms;
  }
}

/// Pixels tid, tid + Threads, ... of a cell, blank ones and those beyond it as blank.
template <int Threads, int Items>
__device__ void load_cell(const RowWindow& window, const PixelSpan& rows, const PixelSpan& cols,
                          float (&pixels)[Items]) {
  const auto width = static_cast<unsigned>(cols.end - cols.begin),
             height = static_cast<unsigned>(rows.end - rows.begin);
  const float* corner = window.pixels + (rows.begin - window.first) * window.pitch + cols.begin;
  unsigned y = threadIdx.x / width, x = threadIdx.x % width;
  const unsigned down = Threads / width, right = Threads % width;
#pragma unroll
  for (int item = 0; item < Items; ++item) {
    pixels[item] = y < height ? corner[y * window.pitch + x] : rules::blank_value();
    y += down;
    x += right;
    if (x >= width) {
      x -= width;
      ++y;
    }
  }
}

/// A block takes one listed cell after the other, unserved ones first where they are few. Blocks: that a multiprocessor
/// is to hold.
template <int Threads, int Items, int Blocks>
__global__ void __launch_bounds__(Threads, Blocks) k_measure_crowded(RowWindow window, MeshTask task) {
  extern __shared__ double2 cell_memory[];
  auto& memory = *reinterpret_cast<CellMemory<Threads, Items>*>(cell_memory);
  const std::uint32_t left = *task.unserved.count, unserved = left <= task.few ? left : 0;
  for (std::uint32_t k = blockIdx.x; k < unserved + *task.crowded.count; k += gridDim.x) {
    const std::uint32_t cell = k < unserved ? task.unserved.cells[k] : task.crowded.cells[k - unserved];
    const std::int64_t j = task.first_row + cell / task.nx, i = cell % task.nx;
    const PixelSpan rows = task.row_spans[j], cols = task.col_spans[i];
    float pixels[Items];
    load_cell<Threads>(window, rows, cols, pixels);
    const unsigned finite = sort_by_digits<Threads>(pixels, memory);
    write_cell(task, j * task.nx + i, memory.cell.sorted, finite, (rows.end - rows.begin) * (cols.end - cols.begin),
               &memory.cell.clip);
    __syncthreads();  // the memory is free for the next cell
  }
}

template <int Threads, int Items, int Blocks>
void launch_crowded(cudaStream_t stream, int multiprocessors, const RowWindow& window, const MeshTask& task) {
  constexpr std::size_t kBytes = sizeof(CellMemory<Threads, Items>);
  const auto kernel = k_measure_crowded<Threads, Items, Blocks>;
  allow_shared(kernel, kBytes);
  const std::int64_t cells = task.rows * task.nx, fill = std::int64_t{Blocks} * multiprocessors;
  kernel<<<static_cast<unsigned>(cells < fill ? cells : fill), Threads, kBytes, stream>>>(window, task);
  check_launch("k_measure_crowded", stream);
}

constexpr std::int64_t kSmallCell = 4096;  ///< pixels of a cell that 256 threads sort
constexpr int kSmallBlocks = 2;            ///< such blocks per multiprocessor

constexpr int kThreads = 256;

/// `pieces` blocks per listed cell, one thread per pixel.
__global__ void __launch_bounds__(kThreads)
    k_make_cell_keys(RowWindow window, MeshTask task, std::int64_t pieces, SortedCells list,
                     std::uint64_t* __restrict__ keys, std::uint32_t* counts) {
  const std::int64_t k = blockIdx.x / pieces, cell = list.cells[k];
  const PixelSpan rows = task.row_spans[task.first_row + cell / task.nx], cols = task.col_spans[cell % task.nx];
  const std::int64_t width = cols.end - cols.begin;
  const std::int64_t at = blockIdx.x % pieces * kThreads + threadIdx.x;
  bool good = false;
  if (at < (rows.end - rows.begin) * width) {
    const float pixel = window_pixel(window, rows.begin + at / width, cols.begin + at % width);
    good = isfinite(pixel);
    keys[list.offsets[k] + at] = static_cast<std::uint64_t>(k) << 32 | (good ? rules::key_of(pixel) : kBlankKey);
  }
  const int finite = __syncthreads_count(good ? 1 : 0);
  if (threadIdx.x == 0 && finite > 0) atomicAdd(counts + k, static_cast<std::uint32_t>(finite));
}

__global__ void __launch_bounds__(kThreads)
    k_floats_of_keys(std::int64_t pixels, const std::uint64_t* __restrict__ keys, float* __restrict__ sorted) {
  const std::int64_t p = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (p < pixels) sorted[p] = float_of_key(static_cast<std::uint32_t>(keys[p]));
}

__global__ void __launch_bounds__(kSumLanes)
    k_clip_cells(MeshTask task, SortedCells list, const std::uint32_t* __restrict__ counts,
                 const float* __restrict__ sorted) {
  __shared__ ClipMemory memory;
  const unsigned k = blockIdx.x;
  write_cell(task, task.first_row * task.nx + list.cells[k], sorted + list.offsets[k], counts[k],
             list.offsets[k + 1] - list.offsets[k], &memory);
}

/// A map of the cells' values and the map that its filter makes.
struct Filtered {
  const float* values;
  float* medians;
};

constexpr int kMostWindow = kWidestFilter * kWidestFilter;

/// Puts the smallest of the first Count values in front and the largest of them at their end.
template <int Count>
__device__ __forceinline__ void part_extremes(float (&values)[kMostWindow]) {
  const auto order = [&](int low, int high) {
    const float a = values[low], b = values[high];
    values[low] = fminf(a, b);
    values[high] = fmaxf(a, b);
  };
#pragma unroll
  for (int k = 0; k < Count / 2; ++k) order(k, Count - 1 - k);
#pragma unroll
  for (int k = 1; k < (Count + 1) / 2; ++k) order(0, k);
#pragma unroll
  for (int k = Count / 2; k < Count - 1; ++k) order(k, Count - 1);
}

/// Median, which is among the first Count values or behind them. The extremes of just more than half of all values
/// cannot be it: they go, and one of the others comes, until three are left.
template <int Count = (kMostWindow + 3) / 2>
__device__ __forceinline__ float median_of(float (&values)[kMostWindow]) {
  part_extremes<Count>(values);
  if constexpr (Count == 3) {
    return values[1];
  } else {
    values[0] = values[kMostWindow + 3 - Count];
    return median_of<Count - 1>(values);
  }
}

constexpr int kFilterThreads = 64;

/// One thread per cell of rows [first, end). Both maps in one launch.
__global__ void __launch_bounds__(kFilterThreads)
    k_filter_cells(Filtered means, Filtered noises, unsigned ny, unsigned nx, int most, unsigned first, unsigned end) {
  const Filtered map = blockIdx.y == 0 ? means : noises;
  const unsigned cell = first * nx + blockIdx.x * kFilterThreads + threadIdx.x;
  if (cell >= end * nx) return;
  const auto y = static_cast<int>(cell / nx), x = static_cast<int>(cell % nx);
  const int reach_y = min(most, min(y, static_cast<int>(ny) - 1 - y));
  const int reach_x = min(most, min(x, static_cast<int>(nx) - 1 - x));
  const auto value_at = [&](int k) {
    constexpr int kMiddle = kWidestFilter / 2;
    const int dy = k / kWidestFilter - kMiddle, dx = k % kWidestFilter - kMiddle;
    // As many below as above stand for what the window leaves out.
    if (abs(dy) > reach_y || abs(dx) > reach_x) return k < kMostWindow / 2 ? -HUGE_VALF : HUGE_VALF;
    return map.values[static_cast<std::int64_t>(cell) + dy * static_cast<int>(nx) + dx];
  };
  float values[kMostWindow];
#pragma unroll
  for (int k = 0; k < kMostWindow; ++k) values[k] = value_at(k);
  float median = median_of(values);
  if (median == 0) {  // 0 rather than -0, if there is one
    median = -0.0f;
    for (int k = 0; k < kMostWindow; ++k)
      if (__float_as_uint(value_at(k)) == 0) median = 0.0f;
  }
  map.medians[cell] = median;
}

unsigned blocks_of(std::int64_t pixels) { return static_cast<unsigned>((pixels + kThreads - 1) / kThreads); }

const EarlyCode kEarly(k_measure_crowded<256, 16, kSmallBlocks>, k_filter_cells);

}  // namespace

std::uint32_t few_cells(int multiprocessors, std::int64_t max_area) {
  return max_area <= kSmallCell ? static_cast<std::uint32_t>(kSmallBlocks * multiprocessors) : 0;
}

std::int64_t crowded_bytes(std::int64_t max_area) {
  return max_area <= kSmallCell ? sizeof(CellMemory<256, 16>) : sizeof(CellMemory<512, 32>);
}

void measure_crowded(cudaStream_t stream, int multiprocessors, const RowWindow& window, const MeshTask& task,
                     std::int64_t max_area) {
  if (max_area <= kSmallCell) {
    launch_crowded<256, 16, kSmallBlocks>(stream, multiprocessors, window, task);
  } else {
    launch_crowded<512, 32, 1>(stream, multiprocessors, window, task);
  }
}

void make_cell_keys(cudaStream_t stream, const RowWindow& window, const MeshTask& task, std::int64_t max_area,
                    const SortedCells& list, std::uint64_t* keys, std::uint32_t* counts) {
  const std::int64_t pieces = blocks_of(max_area);
  k_make_cell_keys<<<static_cast<unsigned>(list.count * pieces), kThreads, 0, stream>>>(window, task, pieces, list,
                                                                                        keys, counts);
  check_launch("k_make_cell_keys", stream);
}

void clip_sorted_cells(cudaStream_t stream, const MeshTask& task, std::int64_t pixels, const SortedCells& list,
                       const std::uint64_t* keys, const std::uint32_t* counts, float* sorted) {
  k_floats_of_keys<<<blocks_of(pixels), kThreads, 0, stream>>>(pixels, keys, sorted);
  check_launch("k_floats_of_keys", stream);
  k_clip_cells<<<static_cast<unsigned>(list.count), kSumLanes, 0, stream>>>(task, list, counts, sorted);
  check_launch("k_clip_cells", stream);
}

void filter_cells(cudaStream_t stream, const float* means, const float* noises, std::int64_t ny, std::int64_t nx,
                  int side, const CellRows& rows, float* filtered_means, float* filtered_noises) {
  if (rows.end <= rows.first) return;
  const dim3 blocks(static_cast<unsigned>(((rows.end - rows.first) * nx + kFilterThreads - 1) / kFilterThreads), 2);
  k_filter_cells<<<blocks, kFilterThreads, 0, stream>>>(
      {means, filtered_means}, {noises, filtered_noises}, static_cast<unsigned>(ny), static_cast<unsigned>(nx),
      side / 2, static_cast<unsigned>(rows.first), static_cast<unsigned>(rows.end));
  check_launch("k_filter_cells", stream);
}

}  // namespace reber::cuda
