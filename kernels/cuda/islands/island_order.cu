// SPDX-License-Identifier: BSD-3-Clause
// Runs sorted by island: few of them in one kernel of one block, many by the whole card.
#include <cub/block/block_radix_sort.cuh>

#include <bit>

#include "kernels/cuda/device/early_code.hpp"
#include "kernels/cuda/device/shared_memory.hpp"
#include "kernels/cuda/device/sort_scan.hpp"
#include "kernels/cuda/islands/island_order.hpp"

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

/// One block, `Each` runs a thread: a sort by the whole card is some eight launches, which take longer than this.
constexpr int kFewThreads = 1024, kRunBits = 14;
/// Counts are read twice in place of being kept, or sixteen runs a thread would spill.
template <int Each>
using FewSort = cub::BlockRadixSort<std::uint32_t, kFewThreads, Each, cub::NullType, 4, false>;

template <int Each>
__global__ void __launch_bounds__(kFewThreads)
    k_order_few(const std::uint32_t* __restrict__ labels, int count, int islands, int bits,
                std::uint64_t* __restrict__ by_island, std::uint32_t* __restrict__ begin) {
  using Sort = FewSort<Each>;
  static_assert(kFewThreads * Each <= 1 << kRunBits);
  extern __shared__ __align__(16) char memory[];
  std::uint32_t keys[Each];
  const int first = static_cast<int>(threadIdx.x) * Each;
#pragma unroll
  for (int i = 0; i < Each; ++i) {
    // What is not there stays behind the others: no label is larger, and equal ones keep their order.
    const std::uint32_t label = first + i < count ? labels[first + i] : (1u << bits) - 1;
    keys[i] = label << kRunBits | static_cast<std::uint32_t>(first + i);
  }
  Sort(*reinterpret_cast<typename Sort::TempStorage*>(memory)).SortBlockedToStriped(keys, kRunBits, kRunBits + bits);
#pragma unroll
  for (int i = 0; i < Each; ++i) {
    const int k = i * kFewThreads + static_cast<int>(threadIdx.x);
    if (k < count) by_island[k] = key_of(keys[i] >> kRunBits, keys[i] & ((1u << kRunBits) - 1));
  }
  __syncthreads();  // the block's writes are there for its reads
  for (int k = static_cast<int>(threadIdx.x); k < count; k += kFewThreads)
    note_begin(begin, k, static_cast<std::uint32_t>(by_island[k] >> 32),
               k > 0 ? static_cast<std::uint32_t>(by_island[k - 1] >> 32) : 0);
  if (threadIdx.x == 0) begin[islands] = static_cast<std::uint32_t>(count);
}

/// Whether the runs are few enough for one block.
template <int Each>
bool order_few(cudaStream_t stream, const CudaIslands& islands, int bits, const IslandOrder& order) {
  if (islands.run_count > kFewThreads * Each) return false;
  constexpr int kBytes = sizeof(typename FewSort<Each>::TempStorage);
  if constexpr (kBytes > 48 << 10) allow_shared(k_order_few<Each>, kBytes);
  k_order_few<Each><<<1, kFewThreads, kBytes, stream>>>(islands.labels.data(), static_cast<int>(islands.run_count),
                                                        static_cast<int>(islands.islands), bits, order.by_island.data(),
                                                        order.island_begin.data());
  check_launch("k_order_few", stream);
  return true;
}

const EarlyCode kEarly(k_order_few<8>);

}  // namespace

IslandOrder order_by_island(cudaStream_t stream, const CudaIslands& islands) {
  const std::int64_t count = islands.run_count;
  IslandOrder order{{count, stream}, {islands.islands + 1, stream}};
  const int bits = std::bit_width(static_cast<std::uint64_t>(islands.islands));
  if (order_few<8>(stream, islands, bits, order) || order_few<16>(stream, islands, bits, order)) return order;
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
