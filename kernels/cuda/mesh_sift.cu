// SPDX-License-Identifier: BSD-3-Clause
// One block a cell, nothing sorted but a few pixels. A histogram of the cell tells which pixels every round of the clip
// is sure to keep, and which of these could be a median: the sure ones are summed, exactly, those that could be a
// median are put in order, and the rest, in the tails, are gone through in every round. What does not fit this scheme
// is listed for mesh.cu. Answers kernels/cpu/mesh.cpp.
#include <cuda_runtime.h>

#include <algorithm>

#include "kernels/cuda/cell_rounds.cuh"
#include "kernels/cuda/mesh.hpp"

namespace reber::cuda {
namespace {

using namespace cell;

/// Values of a cell, by a whole block; in thread 0.   returns false where the scheme does not serve
template <int Threads>
__device__ bool sift_cell(const RowWindow& window, const MeshTask& task, const CellRule& rule, std::int64_t cell,
                          float4* pixels, CellMemory<Threads>& memory, rules::CellValue& value) {
  const PixelSpan rows = task.row_spans[task.first_row + cell / task.nx], cols = task.col_spans[cell % task.nx];
  const CellShape shape = shape_of(rows, cols);
  begin_load<Threads>(window, shape, pixels);
  reinterpret_cast<uint4*>(memory.starts)[threadIdx.x] = {0, 0, 0, 0};
  if (threadIdx.x < 32) {
    const Buckets chosen = choose_buckets<Threads>(window, rows, cols);
    if (threadIdx.x == 0) {
      memory.buckets = chosen;
      memory.tiny = 0;
    }
  }
  finish_load<Threads>(shape, pixels);
  __syncthreads();  // the pixels are there, the counts are 0, the buckets are chosen
  if (memory.buckets.scale == 0) return false;
  const int groups = shape.rows * shape.groups;
  count_buckets<Threads>(memory.buckets, groups, pixels, memory.starts);
  __syncthreads();  // all pixels are counted
  const Share share = scan_buckets(memory);
  const double area = static_cast<double>(rows.end - rows.begin) * static_cast<double>(cols.end - cols.begin);
  value = {rules::blank_value(), rules::blank_value()};
  if (share.total < 3 || static_cast<double>(share.total) < task.min_valid * area) return true;
  if (!choose_division(rule, share, memory)) return false;
  const Division& division = memory.division;
  auto* floats = reinterpret_cast<float*>(pixels);
  float* list = floats + rule.room;
  const Sums sums = divide_pixels(groups, rule, floats, memory, list);
  keep_sums(sums, division.exponent, memory);
  __syncthreads();  // all pixels are summed or listed, their memory is free
  const unsigned tails = division.below + division.above + memory.tiny;
  if (tails + division.middle_count > rule.list) return false;
  sort_middle(memory, list + division.below, floats);
  __syncthreads();  // the middle is sorted
  if (threadIdx.x >= 32) return true;
  long long totals[3];
#pragma unroll
  for (int k = 0; k < 3; ++k) {
    totals[k] = 0;
    for (int warp = 0; warp < Threads / 32; ++warp) totals[k] += memory.sums[k][warp];
  }
  const Divided divided{
      floats, list, tails, totals[0],
      static_cast<rules::Uint128>(static_cast<rules::Int128>(totals[1]) * (1ll << (kBits + 1)) + totals[2])};
  return clip_cell(task, division, divided, value);
}

/// A block a cell of the launch, or one after the other of those in `from`: their count, then their numbers. Cells that
/// this does not serve are listed in `failed`.
template <int Threads, int Blocks>
__global__ void __launch_bounds__(Threads, Blocks)
    k_sift_cells(RowWindow window, MeshTask task, CellRule rule, const std::uint32_t* from, std::uint32_t* failed) {
  extern __shared__ float4 cell_pixels[];
  __shared__ CellMemory<Threads> memory;
  const std::uint32_t count = from != nullptr ? from[0] : gridDim.x;
  for (std::uint32_t k = blockIdx.x; k < count; k += gridDim.x) {
    const std::uint32_t cell = from != nullptr ? from[1 + k] : k;
    rules::CellValue value;
    const bool served = sift_cell<Threads>(window, task, rule, cell, cell_pixels, memory, value);
    if (threadIdx.x == 0 && served) {
      task.mean[task.first_row * task.nx + cell] = value.mean;
      task.rms[task.first_row * task.nx + cell] = value.rms;
    } else if (threadIdx.x == 0) {
      failed[1 + atomicAdd(failed, 1u)] = cell;
    }
    if (from != nullptr) __syncthreads();  // the memory is free for the next cell
  }
}

/// Threads a cell, and blocks that a multiprocessor is to hold; bench/NOTES.md has the times of others.
template <int Threads, int Blocks>
struct SiftPolicy {
  static constexpr int threads = Threads, blocks = Blocks;
};
using UsualCells = SiftPolicy<128, 9>;
using LargeCells = SiftPolicy<256, 2>;  // of more than kUsualRoom pixels
constexpr int kUsualRoom = 8192;

template <class Policy>
void launch_sift(cudaStream_t stream, int blocks, const RowWindow& window, const MeshTask& task, const CellRule& rule,
                 const std::uint32_t* from, std::uint32_t* failed) {
  const auto kernel = k_sift_cells<Policy::threads, Policy::blocks>;
  const auto bytes = static_cast<int>((rule.room + rule.list) * sizeof(float));
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes), "cudaFuncSetAttribute",
        bytes);
  kernel<<<static_cast<unsigned>(blocks), Policy::threads, static_cast<std::size_t>(bytes), stream>>>(
      window, task, rule, from, failed);
  check_launch("k_sift_cells", stream);
}

/// Of the limits that the quartiles foretell for noise, inside which pixels are taken for sure: by far the most cells,
/// and cells of skewed or coarse values.
constexpr double kSurePart = 0.9, kLessSure = 0.5;
constexpr int kLeastList = 256;

}  // namespace

void sift_cells(cudaStream_t stream, int multiprocessors, const RowWindow& window, const MeshTask& task,
                std::int64_t most) {
  const auto room = static_cast<int>(most), cells = static_cast<int>(task.rows * task.nx);
  const double reach = kSigma * task.kappa * task.bias;
  const auto bound = static_cast<float>(2 * reach);
  const CellRule first{room, std::max(room / 16 * 3, kLeastList), static_cast<float>(kSurePart * reach), bound};
  const CellRule second{room, std::max(room / 4 * 3, kLeastList), static_cast<float>(kLessSure * reach), bound};
  const int few = std::min(cells, 8 * multiprocessors);
  static_assert(kMostRoom <= 256 * kMostPixels);
  if (room <= kUsualRoom) {
    launch_sift<UsualCells>(stream, cells, window, task, first, nullptr, task.unserved);
    launch_sift<UsualCells>(stream, few, window, task, second, task.unserved, task.crowded);
  } else {
    launch_sift<LargeCells>(stream, cells, window, task, first, nullptr, task.unserved);
    launch_sift<LargeCells>(stream, few, window, task, second, task.unserved, task.crowded);
  }
}

}  // namespace reber::cuda
