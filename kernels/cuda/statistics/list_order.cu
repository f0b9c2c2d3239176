// SPDX-License-Identifier: BSD-3-Clause
// Keys go to their bins, then each to its rank there. Bins are small: a key is compared with all others of its own.
#include <cuda_runtime.h>

#include "kernels/cuda/device/raii.hpp"
#include "kernels/cuda/device/warp.cuh"
#include "kernels/cuda/statistics/list_bins.cuh"
#include "kernels/cuda/statistics/list_order.hpp"

namespace reber::cuda {
namespace {

constexpr int kGroupThreads = 1024, kGroupWarps = kGroupThreads / 32, kRankThreads = 256;
constexpr int kBinsEach = kListBins / kGroupThreads;
static_assert(kListBins % kGroupThreads == 0 && kBinsEach % 2 == 0);
/// Keys of a bin: as many comparisons for each of them.
constexpr unsigned kMostInBin = 2048;

__device__ bool is_listed(const SiftState& state, const SiftLists& lists) {
  return state.bracket.usable && state.sifted.listed <= lists.room;
}

/// By a whole block: begins[] of all bins.   returns whether a bin is crowded
__device__ bool sum_counts(const unsigned* counts, unsigned (&begins)[kListBins]) {
  __shared__ unsigned warp_sums[kGroupWarps];
  const unsigned lane = threadIdx.x & 31, warp = threadIdx.x / 32;
  unsigned mine[kBinsEach], sum = 0, most = 0;
  const uint2* pairs = reinterpret_cast<const uint2*>(counts) + threadIdx.x * (kBinsEach / 2);
#pragma unroll
  for (int k = 0; k < kBinsEach / 2; ++k) {
    const uint2 pair = __ldg(pairs + k);
    mine[2 * k] = pair.x, mine[2 * k + 1] = pair.y;
    sum += pair.x + pair.y;
    most = max(most, max(pair.x, pair.y));
  }
  unsigned before = sum;
  for (unsigned step = 1; step < 32; step *= 2) {
    const unsigned other = __shfl_up_sync(kWholeWarp, before, step);
    if (lane >= step) before += other;
  }
  if (lane == 31) warp_sums[warp] = before;
  const bool crowded = __syncthreads_or(most > kMostInBin ? 1 : 0) != 0;  // all warps' sums are there
  before += warp_sum(lane < warp ? warp_sums[lane] : 0u) - sum;
#pragma unroll
  for (int k = 0; k < kBinsEach; ++k) {
    begins[threadIdx.x * kBinsEach + k] = before;
    before += mine[k];
  }
  __syncthreads();  // all begins are there
  return crowded;
}

__global__ void __launch_bounds__(kGroupThreads)
    k_group_keys(SiftLists lists, std::uint32_t* __restrict__ grouped, SiftState* state) {
  __shared__ unsigned begins[kListBins];
  if (!is_listed(*state, lists)) return;
  if (sum_counts(state->counts, begins)) {
    if (blockIdx.x == 0 && threadIdx.x == 0) state->crowded = 1;
    return;
  }
  const auto listed = static_cast<unsigned>(state->sifted.listed);
  const ListBins bins(state->bracket);
  for (unsigned first = (blockIdx.x * kGroupThreads + threadIdx.x) & ~31u; first < listed;
       first += gridDim.x * kGroupThreads) {
    const unsigned k = first + (threadIdx.x & 31);
    const std::uint32_t key = k < listed ? lists.keys[k] : 0;
    const int bin = k < listed ? bins.of_key(key) : -1;
    const SameBin same(bin);
    unsigned before = 0;
    if (same.first) before = atomicAdd(state->filled + bin, same.count());
    before = __shfl_sync(kWholeWarp, before, same.leader());
    if (k < listed) grouped[begins[bin] + before + same.rank()] = key;
  }
  if (blockIdx.x != 0) return;
  for (int bin = threadIdx.x; bin < kListBins; bin += kGroupThreads) state->begins[bin] = begins[bin];
  if (threadIdx.x == 0) state->begins[kListBins] = listed;
}

/// How many of keys[first, last) are below `limit`; keys: at a multiple of 16 bytes.
__device__ __forceinline__ unsigned count_below(const std::uint32_t* __restrict__ keys, unsigned first, unsigned last,
                                                std::uint32_t limit) {
  unsigned count = 0;
  for (; first < last && first % 4 != 0; ++first) count += keys[first] < limit ? 1u : 0u;
#pragma unroll 4
  for (; first + 4 <= last; first += 4) {
    const uint4 four = *reinterpret_cast<const uint4*>(keys + first);
    count += (four.x < limit ? 1u : 0u) + (four.y < limit ? 1u : 0u) + (four.z < limit ? 1u : 0u) +
             (four.w < limit ? 1u : 0u);
  }
  for (; first < last; ++first) count += keys[first] < limit ? 1u : 0u;
  return count;
}

__global__ void __launch_bounds__(kRankThreads)
    k_rank_keys(SiftLists lists, const std::uint32_t* __restrict__ grouped, const SiftState* state) {
  if (!is_listed(*state, lists) || state->crowded != 0) return;
  const auto listed = static_cast<unsigned>(state->sifted.listed);
  const ListBins bins(state->bracket);
  for (unsigned k = blockIdx.x * kRankThreads + threadIdx.x; k < listed; k += gridDim.x * kRankThreads) {
    const std::uint32_t key = grouped[k];
    const int bin = bins.of_key(key);
    const unsigned begin = state->begins[bin], end = state->begins[bin + 1];
    // Equal ones keep their order.
    lists.keys[begin + count_below(grouped, begin, k, key + 1) + count_below(grouped, k, end, key)] = key;
  }
}

}  // namespace

void order_list(cudaStream_t stream, int multiprocessors, const SiftLists& lists, std::uint32_t* grouped,
                SiftState* state) {
  k_group_keys<<<static_cast<unsigned>(multiprocessors), kGroupThreads, 0, stream>>>(lists, grouped, state);
  check_launch("k_group_keys", stream);
  k_rank_keys<<<static_cast<unsigned>(8 * multiprocessors), kRankThreads, 0, stream>>>(lists, grouped, state);
  check_launch("k_rank_keys", stream);
}

}  // namespace reber::cuda
