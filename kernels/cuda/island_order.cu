// SPDX-License-Identifier: BSD-3-Clause
// Runs sorted by island: few of them in one kernel of one block, many by the whole card.
#include <cub/block/block_radix_sort.cuh>

#include <bit>

#include "kernels/cuda/label.hpp"
#include "kernels/cuda/sort_scan.hpp"

namespace reber::cuda {
namespace {

constexpr int kThreads = 256;

unsigned blocks_of(std::int64_t count) { return static_cast<unsigned>((count + kThreads - 1) / kThreads); }
__device__ std::int64_t thread_index() { return static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x; }

__device__ std::uint64_t key_of(std::uint32_t label, std::uint32_t run) {
  return static_cast<std::uint64_t>(label) << 32 | run;
}

/// Entry k of the sorted ones, label and label before: where islands begin.
__device__ void note_begin(std::uint32_t* begin, std::int64_t k, std::uint32_t label, std::uint32_t before) {
  if (k == 0 || before != label) begin[label - 1] = static_cast<std::uint32_t>(k);
}

__global__ void __launch_bounds__(kThreads)
    k_island_keys(const std::uint32_t* __restrict__ labels, std::int64_t count, std::uint64_t* __restrict__ keys) {
  const std::int64_t run = thread_index();
  if (run < count) keys[run] = key_of(labels[run], static_cast<std::uint32_t>(run));
}

__global__ void __launch_bounds__(kThreads)
    k_find_islands_begin(const std::uint64_t* __restrict__ by_island, std::int64_t count, std::int64_t islands,
                         std::uint32_t* __restrict__ begin) {
  const std::int64_t k = thread_index();
  if (k >= count) return;
  note_begin(begin, k, static_cast<std::uint32_t>(by_island[k] >> 32),
             k > 0 ? static_cast<std::uint32_t>(by_island[k - 1] >> 32) : 0);
  if (k == count - 1) begin[islands] = static_cast<std::uint32_t>(count);
}

/// One block: a sort by the whole card is some eight launches, which take longer than this.
constexpr int kFewThreads = 1024, kFewEach = 8, kFewRuns = kFewThreads * kFewEach;

__global__ void __launch_bounds__(kFewThreads)
    k_order_few(const std::uint32_t* __restrict__ labels, int count, int islands, int bits,
                std::uint64_t* __restrict__ by_island, std::uint32_t* __restrict__ begin) {
  using Sort = cub::BlockRadixSort<std::uint32_t, kFewThreads, kFewEach, std::uint32_t>;
  __shared__ typename Sort::TempStorage memory;
  std::uint32_t label[kFewEach], run[kFewEach];
  const int first = static_cast<int>(threadIdx.x) * kFewEach;
#pragma unroll
  for (int i = 0; i < kFewEach; ++i) {
    // What is not there stays behind the others: no label is larger, and equal ones keep their order.
    label[i] = first + i < count ? labels[first + i] : (1u << bits) - 1;
    run[i] = static_cast<std::uint32_t>(first + i);
  }
  Sort(memory).SortBlockedToStriped(label, run, 0, bits);
#pragma unroll
  for (int i = 0; i < kFewEach; ++i) {
    const int k = i * kFewThreads + static_cast<int>(threadIdx.x);
    if (k < count) by_island[k] = key_of(label[i], run[i]);
  }
  __syncthreads();  // the block's writes are there for its reads
#pragma unroll
  for (int i = 0; i < kFewEach; ++i) {
    const int k = i * kFewThreads + static_cast<int>(threadIdx.x);
    if (k < count) note_begin(begin, k, label[i], k > 0 ? static_cast<std::uint32_t>(by_island[k - 1] >> 32) : 0);
  }
  if (threadIdx.x == 0) begin[islands] = static_cast<std::uint32_t>(count);
}

}  // namespace

IslandOrder order_by_island(cudaStream_t stream, const CudaIslands& islands) {
  const std::int64_t count = islands.run_count;
  IslandOrder order{{count, stream}, {islands.islands + 1, stream}};
  const int bits = std::bit_width(static_cast<std::uint64_t>(islands.islands));
  if (count <= kFewRuns) {
    k_order_few<<<1, kFewThreads, 0, stream>>>(islands.labels.data(), static_cast<int>(count),
                                               static_cast<int>(islands.islands), bits, order.by_island.data(),
                                               order.island_begin.data());
    check_launch("k_order_few", stream);
    return order;
  }
  k_island_keys<<<blocks_of(count), kThreads, 0, stream>>>(islands.labels.data(), count, order.by_island.data());
  check_launch("k_island_keys", stream);
  DeviceBuffer<std::uint64_t> other(count, stream);
  if (sort_keys(stream, order.by_island.data(), other.data(), count, 32, 32 + bits) == other.data())
    std::swap(order.by_island, other);
  k_find_islands_begin<<<blocks_of(count), kThreads, 0, stream>>>(order.by_island.data(), count, islands.islands,
                                                                  order.island_begin.data());
  check_launch("k_find_islands_begin", stream);
  return order;
}

}  // namespace reber::cuda
