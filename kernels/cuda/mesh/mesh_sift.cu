// SPDX-License-Identifier: BSD-3-Clause
// One block per cell, nothing sorted but a few pixels. A histogram of the cell tells which pixels every round of the
// clip is sure to keep, and which of these could be a median: the sure ones are summed, exactly, those that could be a
// median are put in order, and the rest, in the tails, are gone through in every round. The rounds of most cells have a
// kernel of their own, a few lanes per cell. What does not fit this scheme is listed for mesh.cu. Answers
// kernels/cpu/mesh.cpp.
#include <cuda_runtime.h>

#include <algorithm>
#include <type_traits>

#include "kernels/cuda/device/early_code.hpp"
#include "kernels/cuda/device/shared_memory.hpp"
#include "kernels/cuda/mesh/cell_divide.cuh"
#include "kernels/cuda/mesh/cell_rounds.cuh"
#include "kernels/cuda/mesh/mesh_sift.hpp"

namespace reber::cuda {
namespace {

using namespace cell;

__device__ __forceinline__ void write_value(const MeshTask& task, std::int64_t cell, const rules::CellValue& value) {
  task.mean[task.first_row * task.nx + cell] = value.mean;
  task.rms[task.first_row * task.nx + cell] = value.rms;
}

__device__ __forceinline__ void add_to(const CellList& list, std::uint32_t cell) {
  list.cells[atomicAdd(list.count, 1u)] = cell;
}

template <int Threads>
__device__ unsigned tails_of(const CellMemory<Threads>& memory) {
  return memory.division.below + memory.division.above + memory.tiny;
}

/// What the rounds start from, once keep_sums() is done and all threads know.
template <int Threads>
__device__ CellRecord record_of(const CellMemory<Threads>& memory) {
  const Division& division = memory.division;
  long long totals[3] = {0, 0, 0};
#pragma unroll
  for (int k = 0; k < 3; ++k)
    for (int warp = 0; warp < Threads / 32; ++warp) totals[k] += memory.sums[k][warp];
  return {division.buckets.scale,
          division.buckets.offset,
          division.lowest,
          division.highest,
          division.finite,
          tails_of(memory),
          division.middle_start,
          division.middle_count,
          division.pivot,
          division.exponent,
          totals[0],
          totals[1],
          totals[2]};
}

enum class Outcome { failed, valued, divided };  ///< failed: the scheme does not serve

/// By a whole block: divides a cell's pixels by memory.division; the sure ones' sums are then in memory.sums, and the
/// list of the others lies behind rule.room floats in `pixels`. A cell of too few finite pixels has its value at once.
template <int Threads>
__device__ Outcome divide_cell(const RowWindow& window, const MeshTask& task, const CellRule& rule, std::uint32_t cell,
                               float4* pixels, CellMemory<Threads>& memory) {
  const auto nx = static_cast<std::uint32_t>(task.nx);
  const PixelSpan rows = task.row_spans[task.first_row + cell / nx], cols = task.col_spans[cell % nx];
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
  if (memory.buckets.scale == 0) return Outcome::failed;
  const int groups = shape.rows * shape.groups;
  count_buckets<Threads>(memory.buckets, groups, pixels, memory.starts);
  __syncthreads();  // all pixels are counted
  const Share share = scan_buckets(memory);
  const double area = static_cast<double>(rows.end - rows.begin) * static_cast<double>(cols.end - cols.begin);
  if (share.total < 3 || static_cast<double>(share.total) < task.min_valid * area) {
    if (threadIdx.x == 0) write_value(task, cell, {rules::blank_value(), rules::blank_value()});
    return Outcome::valued;
  }
  if (!choose_division(rule, share, memory)) return Outcome::failed;
  auto* floats = reinterpret_cast<float*>(pixels);
  const Sums sums = divide_pixels(groups, rule, floats, memory, floats + rule.room);
  keep_sums(sums, memory.division.exponent, memory);
  __syncthreads();  // all pixels are summed or listed, their memory is free
  return tails_of(memory) + memory.division.middle_count <= rule.list ? Outcome::divided : Outcome::failed;
}

// bench/notes/mesh.md has the times of others.
constexpr int kTeam = 8;              ///< lanes per cell in the rounds
constexpr unsigned kMostTails = 128;  ///< of such a cell; others have a warp
constexpr int kTeamThreads = 128;

/// One block per cell of the launch, up to the rounds of the clip, which task.records and task.lists then hold. Cells
/// that this does not serve are listed in `failed`.
template <int Threads, int Blocks>
__global__ void __launch_bounds__(Threads, Blocks)
    k_divide_cells(RowWindow window, MeshTask task, CellRule rule, CellList failed) {
  extern __shared__ float4 cell_pixels[];
  __shared__ CellMemory<Threads> memory;
  const std::uint32_t cell = blockIdx.x;
  const Outcome outcome = divide_cell<Threads>(window, task, rule, cell, cell_pixels, memory);
  if (outcome == Outcome::divided) {
    const Division& division = memory.division;
    const float* list = reinterpret_cast<const float*>(cell_pixels) + rule.room;
    float* left = task.lists + static_cast<std::int64_t>(cell) * rule.list;
    const unsigned tails = tails_of(memory);
    for (unsigned k = threadIdx.x; k < tails; k += Threads)
      left[k] = list[k < division.below ? k : k + division.middle_count];
    sort_middle(memory, list + division.below, left + tails);
    if (threadIdx.x != 0) return;
    task.records[cell] = record_of(memory);
    if (tails > kMostTails) add_to(task.lengthy, cell);
  } else if (threadIdx.x == 0) {
    task.records[cell] = {};
    if (outcome == Outcome::failed) add_to(failed, cell);
  }
}

/// The rounds of the cells that k_divide_cells left: by the first `warps` warps those with many tails, by the others a
/// team each. list: floats of a cell's. Cells that this does not serve are listed in `failed`.
__global__ void __launch_bounds__(kTeamThreads)
    k_clip_records(MeshTask task, unsigned cells, unsigned list, unsigned warps, CellList failed) {
  const unsigned thread = blockIdx.x * kTeamThreads + threadIdx.x;
  const auto clip = [&]<int Team>(std::integral_constant<int, Team>, unsigned cell, bool wanted) {
    const CellRecord record = task.records[cell];
    const float* tails = task.lists + static_cast<std::int64_t>(cell) * list;
    const bool active = wanted && record.finite != 0 && (record.tails > kMostTails) == (Team == 32);
    rules::CellValue value;
    const bool served = clip_cell<Team>(task, record, tails, tails + record.tails, active, value);
    if (!active || threadIdx.x % Team != 0) return;
    if (served) {
      write_value(task, cell, value);
    } else {
      add_to(failed, cell);
    }
  };
  if (thread < 32 * warps) {
    for (unsigned k = thread / 32; k < *task.lengthy.count; k += warps)
      clip(std::integral_constant<int, 32>(), task.lengthy.cells[k], true);
  } else {
    const unsigned cell = (thread - 32 * warps) / kTeam;
    clip(std::integral_constant<int, kTeam>(), min(cell, cells - 1), cell < cells);
  }
}

/// One block per cell of the launch, or, where `from` is a list of more than task.few, one after the other of its
/// cells. Cells that this does not serve are listed in `failed`.
template <int Threads, int Blocks>
__global__ void __launch_bounds__(Threads, Blocks)
    k_sift_cells(RowWindow window, MeshTask task, CellRule rule, CellList from, CellList failed) {
  extern __shared__ float4 cell_pixels[];
  __shared__ CellMemory<Threads> memory;
  const bool listed = from.count != nullptr;
  const std::uint32_t count = listed ? *from.count : gridDim.x;
  if (listed && count <= task.few) return;
  for (std::uint32_t k = blockIdx.x; k < count; k += gridDim.x) {
    const std::uint32_t cell = listed ? from.cells[k] : k;
    const Outcome outcome = divide_cell<Threads>(window, task, rule, cell, cell_pixels, memory);
    bool served = outcome != Outcome::failed;
    if (outcome == Outcome::divided) {
      const Division& division = memory.division;
      auto* middle = reinterpret_cast<float*>(cell_pixels);
      const float* list = middle + rule.room;
      sort_middle(memory, list + division.below, middle);
      __syncthreads();  // the middle is sorted
      rules::CellValue value;
      if (threadIdx.x < 32)
        served = clip_cell<32>(task, record_of(memory), PartedTails{list, division.below, division.middle_count},
                               middle, true, value);
      if (threadIdx.x == 0 && served) write_value(task, cell, value);
    }
    if (threadIdx.x == 0 && !served) add_to(failed, cell);
    if (listed) __syncthreads();  // the memory is free for the next cell
  }
}

// Threads a cell and blocks that a multiprocessor is to hold; bench/notes/mesh.md has the times of others.
constexpr int kUsualThreads = 128, kLargeThreads = 256, kHugeThreads = 512;
constexpr auto kDivideUsual = k_divide_cells<kUsualThreads, 10>;
constexpr auto kDivideLarge = k_divide_cells<kLargeThreads, 4>;  // cells of more than kUsualRoom pixels
constexpr auto kDivideHuge = k_divide_cells<kHugeThreads, 2>;    // cells of more than kLargeRoom pixels
constexpr auto kSiftUsual = k_sift_cells<kUsualThreads, 7>;
constexpr auto kSiftLarge = k_sift_cells<kLargeThreads, 2>;  // cells of more than kUsualRoom pixels
constexpr std::int64_t kUsualRoom = 8192, kLargeRoom = 16384;

template <class... Parameters, class... Arguments>
void launch_cells(cudaStream_t stream, void (*kernel)(Parameters...), int blocks, int threads, const CellRule& rule,
                  const Arguments&... arguments) {
  const auto bytes = static_cast<int>((rule.room + rule.list) * sizeof(float));
  allow_all_shared(kernel);
  kernel<<<static_cast<unsigned>(blocks), static_cast<unsigned>(threads), static_cast<std::size_t>(bytes), stream>>>(
      arguments...);
  check_launch("k_divide_cells or k_sift_cells", stream);
}

/// Of the limits that the quartiles foretell for noise, inside which pixels are taken for sure: by far the most cells,
/// and cells of skewed or coarse values.
constexpr double kSurePart = 0.9, kLessSure = 0.5;
constexpr int kLongestPart = 12;  ///< of 16, for the latter
/// Of 16, for the former. With 2, two blocks of 150 x 150 pixels fit a multiprocessor.
constexpr int first_part(std::int64_t room) { return room <= kUsualRoom ? 3 : 2; }

/// part, of 16: of a cell's pixels that may be listed.
CellRule rule_of(const MeshTask& task, std::int64_t room, int part, double sure) {
  constexpr int kLeastList = 256;
  const double reach = kSigma * task.kappa * task.bias;
  return {static_cast<int>(room), std::max(static_cast<int>(room) / 16 * part, kLeastList),
          static_cast<float>(sure * reach), static_cast<float>(2 * reach)};
}

const EarlyCode kEarly(kDivideUsual, k_clip_records, kSiftUsual);

}  // namespace

std::int64_t sift_bytes(std::int64_t room) {
  const CellRule longest = rule_of({}, room, kLongestPart, kLessSure);
  return (room + longest.list) * static_cast<std::int64_t>(sizeof(float)) +
         static_cast<std::int64_t>(room > kUsualRoom ? sizeof(CellMemory<kLargeThreads>)
                                                     : sizeof(CellMemory<kUsualThreads>));
}

std::int64_t list_floats(std::int64_t room) { return rule_of({}, room, first_part(room), kSurePart).list; }

void sift_cells(cudaStream_t stream, int multiprocessors, const RowWindow& window, const MeshTask& task,
                std::int64_t room) {
  const auto cells = static_cast<int>(task.rows * task.nx);
  const CellRule first = rule_of(task, room, first_part(room), kSurePart),
                 second = rule_of(task, room, kLongestPart, kLessSure);
  const int few = std::min(cells, 8 * multiprocessors);
  const CellList& left = task.unserved;
  static_assert(kMostRoom <= kLargeThreads * kMostPixels);
  if (room <= kUsualRoom) {
    launch_cells(stream, kDivideUsual, cells, kUsualThreads, first, window, task, first, left);
  } else if (room <= kLargeRoom) {
    launch_cells(stream, kDivideLarge, cells, kLargeThreads, first, window, task, first, left);
  } else {
    launch_cells(stream, kDivideHuge, cells, kHugeThreads, first, window, task, first, left);
  }
  constexpr int kWarps = kTeamThreads / 32, kTeams = kTeamThreads / kTeam;
  // Large cells mostly have tails for a warp.
  const int blocks = std::min((room <= kUsualRoom ? 4 : 8) * multiprocessors, (cells + kWarps - 1) / kWarps);
  k_clip_records<<<static_cast<unsigned>(blocks + (cells + kTeams - 1) / kTeams), kTeamThreads, 0, stream>>>(
      task, static_cast<unsigned>(cells), static_cast<unsigned>(first.list), static_cast<unsigned>(blocks * kWarps),
      left);
  check_launch("k_clip_records", stream);
  if (room <= kUsualRoom) {
    launch_cells(stream, kSiftUsual, few, kUsualThreads, second, window, task, second, left, task.crowded);
  } else {
    launch_cells(stream, kSiftLarge, few, kLargeThreads, second, window, task, second, left, task.crowded);
  }
}

}  // namespace reber::cuda
