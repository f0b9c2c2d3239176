// SPDX-License-Identifier: BSD-3-Clause
// The pass that lists the pixels about the median, and the choice from the list.
#include <cuda_runtime.h>

#include <cfloat>

#include "kernels/cuda/device/four_pixels.cuh"
#include "kernels/cuda/device/last_block.cuh"
#include "kernels/cuda/device/warp.cuh"
#include "kernels/cuda/statistics/median.hpp"
#include "kernels/shared/float_keys.hpp"

namespace reber::cuda {
namespace {

constexpr int kThreads = 256;
constexpr int kWarps = kThreads / 32;
constexpr int kPiece = 512;     ///< pixels of a row that a warp takes at once
constexpr int kRoom = 512;      ///< keys that a warp collects before it writes them
constexpr int kBlocksEach = 8;  ///< blocks per multiprocessor

/// Keys that a warp collects in shared memory. count is the same in all lanes.
struct KeyRoom {
  std::uint32_t* keys;
  unsigned count;
};

struct KeyList {
  std::uint32_t* keys;
  unsigned long long room;
};

/// By a whole warp: appends what was collected to the list.
__device__ void append(KeyRoom& collected, MedianState* state, const KeyList& list) {
  __syncwarp();  // the lanes' keys are in place
  const unsigned lane = threadIdx.x & 31;
  unsigned long long at = 0;
  if (lane == 0) at = atomicAdd(&state->listed, static_cast<unsigned long long>(collected.count));
  at = __shfl_sync(kWholeWarp, at, 0);
  if (at + collected.count <= list.room)
    for (unsigned k = lane; k < collected.count; k += 32) list.keys[at + k] = collected.keys[k];
  collected.count = 0;
  __syncwarp();  // all keys are read before the next ones overwrite them
}

/// By a whole warp: collects the pixels of a piece, 16 a lane, whose bits are set.
__device__ __forceinline__ void collect(unsigned bits, const float* row, std::int64_t x, KeyRoom& collected,
                                        MedianState* state, const KeyList& list) {
  while (__any_sync(kWholeWarp, bits != 0)) {
    const bool mine = bits != 0;
    const unsigned mask = __ballot_sync(kWholeWarp, mine);
    if (mine) {
      const int at = __ffs(static_cast<int>(bits)) - 1;
      bits &= bits - 1;
      collected.keys[collected.count + __popc(mask & ((1u << (threadIdx.x & 31)) - 1))] =
          rules::key_of(__ldg(row + x + at / 4 * 128 + at % 4));
    }
    collected.count += __popc(mask);
    if (collected.count > kRoom - 32) append(collected, state, list);
  }
}

/// What a thread finds besides the list.
struct Found {
  unsigned below = 0;
  float smallest = FLT_MAX, largest = -FLT_MAX;
};

/// Adds a block's findings to the state.
template <bool Extremes>
__device__ void keep_found(const Found& found, MedianState* state) {
  __shared__ unsigned below, smallest, largest;
  if (threadIdx.x == 0) below = smallest = largest = 0;
  __syncthreads();  // all are 0
  const unsigned warp_below = warp_sum(found.below);
  if ((threadIdx.x & 31) == 0) atomicAdd(&below, warp_below);
  if constexpr (Extremes) {
    const unsigned least = warp_max(~rules::key_of(found.smallest)), most = warp_max(rules::key_of(found.largest));
    if ((threadIdx.x & 31) == 0) {
      atomicMax(&smallest, least);
      atomicMax(&largest, most);
    }
  }
  __syncthreads();  // all warps have added theirs
  if (threadIdx.x != 0) return;
  atomicAdd(&state->below, static_cast<unsigned long long>(below));
  if constexpr (Extremes) {
    atomicMax(&state->smallest, smallest);
    atomicMax(&state->largest, largest);
  }
}

template <bool Extremes>
__global__ void __launch_bounds__(kThreads, kBlocksEach / 2)
    k_list_middle(RowWindow window, MedianState* state, KeyList list) {
  __shared__ std::uint32_t room[kWarps][kRoom];
  if (!state->bracket.usable) return;
  const float low = state->bracket.middle_low, high = state->bracket.middle_high;
  KeyRoom collected{room[threadIdx.x / 32], 0};
  Found found;
  const auto look = [&](float pixel) {
    const bool below = pixel < low;
    if (below) ++found.below;
    if constexpr (Extremes) {  // a blank pixel loses against any number
      found.smallest = fminf(found.smallest, pixel);
      found.largest = fmaxf(found.largest, pixel);
    }
    return !below && pixel <= high;
  };
  walk_pieces<kPiece, kWarps>(window, look, [&](unsigned bits, const float* row, std::int64_t x) {
    collect(bits, row, x, collected, state, list);
  });
  append(collected, state, list);
  keep_found<Extremes>(found, state);
}

/// Upper bits of a key that are known once so many digits are.
__device__ std::uint32_t known_bits(int digits) {
  return digits == 0 ? 0u : digits * kDigitBits >= 32 ? 0xffffffffu : ~0u << (32 - digits * kDigitBits);
}
__device__ int digit_shift(int digit) { return max(32 - (digit + 1) * kDigitBits, 0); }
/// Values of a digit: the last one has what bits are left.
__device__ unsigned digit_of(std::uint32_t key, int digit) { return (key & ~known_bits(digit)) >> digit_shift(digit); }

/// By the last block: the digit of the value that has `rank` before it among those that share the digits known, and its
/// rank among those that share this one, too.
__device__ void choose_digit(int digit, unsigned long long rank, MedianState* state) {
  constexpr int kShare = kDigitValues / kThreads;
  static_assert(kShare == 8);
  __shared__ unsigned long long sums[kWarps];
  const uint4* counts = reinterpret_cast<const uint4*>(state->counts[digit]) + threadIdx.x * 2;
  const uint4 lower = __ldcg(counts), upper = __ldcg(counts + 1);
  const unsigned mine[kShare] = {lower.x, lower.y, lower.z, lower.w, upper.x, upper.y, upper.z, upper.w};
  unsigned long long sum = 0;
#pragma unroll
  for (const unsigned count : mine) sum += count;
  unsigned long long before = sum;
  for (int step = 1; step < 32; step *= 2) {
    const unsigned long long other = __shfl_up_sync(kWholeWarp, before, step);
    if (static_cast<int>(threadIdx.x & 31) >= step) before += other;
  }
  if ((threadIdx.x & 31) == 31) sums[threadIdx.x / 32] = before;
  __syncthreads();  // all warps' sums are there
  for (unsigned warp = 0; warp < threadIdx.x / 32; ++warp) before += sums[warp];
  before -= sum;
  if (rank < before || rank - before >= sum) return;
  rank -= before;
  unsigned value = 0;
#pragma unroll
  for (const unsigned count : mine) {
    if (rank < count) break;
    rank -= count;
    ++value;
  }
  state->key |= (threadIdx.x * kShare + value) << digit_shift(digit);
  state->rank = rank;
}

/// Counts a digit of those keys of the list that share the digits known, and chooses its value.
__global__ void __launch_bounds__(kThreads)
    k_choose_digit(int digit, unsigned long long finite, MedianState* state, const std::uint32_t* __restrict__ list,
                   unsigned long long room) {
  __shared__ unsigned counts[kDigitValues];
  const unsigned long long listed = state->listed, wanted = finite / 2;
  const bool inside =
      state->bracket.usable && listed <= room && wanted >= state->below && wanted < state->below + listed;
  if (!inside) {
    if (digit == 0 && blockIdx.x == 0 && threadIdx.x == 0) state->rank = kNoRank;
    return;
  }
  for (int k = threadIdx.x; k < kDigitValues; k += kThreads) counts[k] = 0;
  __syncthreads();  // all counts are 0
  const std::uint32_t known = known_bits(digit), key = digit == 0 ? 0 : state->key;
  for (unsigned long long k = blockIdx.x * kThreads + threadIdx.x; k < listed; k += gridDim.x * kThreads)
    if (const std::uint32_t mine = list[k]; (mine & known) == key) atomicAdd(counts + digit_of(mine, digit), 1u);
  __syncthreads();  // all of the block's keys are counted
  for (int k = threadIdx.x; k < kDigitValues; k += kThreads)
    if (counts[k] != 0) atomicAdd(state->counts[digit] + k, counts[k]);
  const unsigned long long rank = digit == 0 ? wanted - state->below : state->rank;
  if (is_last_block(state->done + digit)) choose_digit(digit, rank, state);
}

/// state->lower_key: the value before the upper middle one in order, where their number is even.
__global__ void __launch_bounds__(kThreads)
    k_choose_lower(unsigned long long finite, MedianState* state, const std::uint32_t* __restrict__ list) {
  if (state->rank == kNoRank) return;
  const std::uint32_t key = state->key;
  if (finite % 2 != 0 || state->rank > 0) {
    if (blockIdx.x == 0 && threadIdx.x == 0) state->lower_key = key;
    return;
  }
  std::uint32_t lower = 0;
  for (unsigned long long k = blockIdx.x * kThreads + threadIdx.x; k < state->listed; k += gridDim.x * kThreads)
    if (list[k] < key) lower = max(lower, list[k]);
  lower = warp_max(lower);
  if ((threadIdx.x & 31) == 0 && lower != 0) atomicMax(&state->lower_key, lower);
}

}  // namespace

void list_middle(cudaStream_t stream, int multiprocessors, const RowWindow& window, bool extremes, MedianState* state,
                 std::uint32_t* list, std::int64_t room) {
  const std::int64_t tasks = window.rows * ((window.nx + kPiece - 1) / kPiece);
  const std::int64_t fill = std::int64_t{kBlocksEach} * multiprocessors, most = (tasks + kWarps - 1) / kWarps;
  const auto blocks = static_cast<unsigned>(fill < most ? fill : most);
  const KeyList keys{list, static_cast<unsigned long long>(room)};
  if (extremes) {
    k_list_middle<true><<<blocks, kThreads, 0, stream>>>(window, state, keys);
  } else {
    k_list_middle<false><<<blocks, kThreads, 0, stream>>>(window, state, keys);
  }
  check_launch("k_list_middle", stream);
}

void select_middle(cudaStream_t stream, int multiprocessors, std::int64_t finite, MedianState* state,
                   const std::uint32_t* list, std::int64_t room) {
  const auto blocks = static_cast<unsigned>(4 * multiprocessors);
  const auto count = static_cast<unsigned long long>(finite), size = static_cast<unsigned long long>(room);
  for (int digit = 0; digit < kDigits; ++digit) {
    k_choose_digit<<<blocks, kThreads, 0, stream>>>(digit, count, state, list, size);
    check_launch("k_choose_digit", stream);
  }
  k_choose_lower<<<blocks, kThreads, 0, stream>>>(count, state, list);
  check_launch("k_choose_lower", stream);
}

}  // namespace reber::cuda
