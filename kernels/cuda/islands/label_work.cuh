// SPDX-License-Identifier: BSD-3-Clause
// What the phases of labelling share: the pieces of a row and their runs, union-find without locks, sums over blocks.
#pragma once

#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include "kernels/cuda/device/warp.cuh"
#include "kernels/cuda/islands/label.hpp"

namespace reber::cuda {

inline constexpr int kLabelThreads = 256;
inline constexpr int kLabelWarps = kLabelThreads / 32;
/// Blocks of one launch: as many sums as a block keeps in shared memory.
inline constexpr int kMostBlocks = 1024;
enum { kRunSums, kPlaceSums, kIslandSums, kKeptSums };
static_assert(4 * kMostBlocks == kSumsOfBlocks);
inline constexpr int kTileRows = 16;
/// Loads that a warp has under way while it counts.
inline constexpr int kAtOnce = 8;
static_assert(kLabelThreads % (kLabelWarps * kAtOnce) == 0);
inline constexpr std::uint32_t kNoPart = 0xffffffffu;
/// In areas: the part has a pixel above the seed limit.
inline constexpr unsigned long long kSeeded = 1ull << 63;

/// One lane's word of a piece of a row as it was loaded; the first lane has the word before as well.
struct RawWord {
  std::uint32_t word, before;
};

/// By a whole warp, lane l the l-th word.
__device__ __forceinline__ RawWord load_word(const BitMask& mask, std::uint32_t y, std::uint32_t piece) {
  const std::uint32_t* row = mask.bits + y * mask.words;
  const std::uint32_t lane = threadIdx.x & 31, at = piece * kPieceWords + lane;
  return {at < mask.words ? __ldg(row + at) : 0, lane == 0 && piece > 0 ? __ldg(row + at - 1) : 0};
}

/// A word and where runs start in it. The pixel left of the word may be of the same run.
struct PieceWord {
  std::uint32_t word, starts;
  bool joined_left;  ///< the pixel left of the word is set
};

__device__ __forceinline__ PieceWord piece_word(const RawWord& raw) {
  const std::uint32_t before = __shfl_up_sync(kWholeWarp, raw.word, 1);
  const std::uint32_t left = ((threadIdx.x & 31) == 0 ? raw.before : before) >> 31;
  return {raw.word, raw.word & ~(raw.word << 1 | left), left != 0};
}

/// Sum of the values of the lanes before this one; `total` gets that of all.
__device__ __forceinline__ std::uint32_t lanes_before(std::uint32_t value, std::uint32_t& total) {
  std::uint32_t sum = value;
  const unsigned lane = threadIdx.x & 31;
#pragma unroll
  for (unsigned step = 1; step < 32; step *= 2) {
    const std::uint32_t other = __shfl_up_sync(kWholeWarp, sum, step);
    if (lane >= step) sum += other;
  }
  total = __shfl_sync(kWholeWarp, sum, 31);
  return sum - value;
}

/// The same over a block, all of whose threads must come.
__device__ __forceinline__ std::uint32_t threads_before(std::uint32_t value, std::uint32_t& total) {
  __shared__ std::uint32_t warp_sums[kLabelWarps];
  std::uint32_t of_warp = 0;
  std::uint32_t before = lanes_before(value, of_warp);
  __syncthreads();  // the sums of the call before were read
  if ((threadIdx.x & 31) == 31) warp_sums[threadIdx.x / 32] = of_warp;
  __syncthreads();  // all warps' sums are there
  total = 0;
#pragma unroll
  for (int warp = 0; warp < kLabelWarps; ++warp) {
    if (warp < static_cast<int>(threadIdx.x / 32)) before += warp_sums[warp];
    total += warp_sums[warp];
  }
  return before;
}

/// How parents are read. In device memory a multiprocessor's own cache may hold old ones. That is safe: an old parent
/// is still an ancestor of the same set, and a root is taken for one only after an atomic operation confirmed it. It is
/// fast: thousands of threads go to the root of the largest island.
struct InMemory {
  static __device__ __forceinline__ std::uint32_t read(const std::uint32_t* parent) { return __ldca(parent); }
  static __device__ __forceinline__ void write(std::uint32_t* parent, std::uint32_t higher) {
    *static_cast<volatile std::uint32_t*>(parent) = higher;
  }
};
/// In shared memory both are atomic: other threads write parents meanwhile.
struct InTile {
  static __device__ __forceinline__ std::uint32_t read(std::uint32_t* parent) { return atomicOr(parent, 0u); }
  static __device__ __forceinline__ void write(std::uint32_t* parent, std::uint32_t higher) {
    atomicMin(parent, higher);
  }
};

/// Root of a node. Halve: paths are halved on the way. A parent is then only ever replaced by one of its own ancestors,
/// and a thread whose union was overtaken by that goes on with the parent that it found.
template <class Where, bool Halve>
__device__ __forceinline__ std::uint32_t root_of(std::uint32_t* parent, std::uint32_t node) {
  std::uint32_t up = Where::read(parent + node);
  while (up != node) {
    const std::uint32_t higher = Where::read(parent + up);
    if (Halve && higher != up) Where::write(parent + node, higher);
    node = up;
    up = higher;
  }
  return node;
}

/// Joins two sets, the larger root under the smaller one, without locks.
template <class Where>
__device__ __forceinline__ void unite(std::uint32_t* parent, std::uint32_t a, std::uint32_t b) {
  while (true) {
    a = root_of<Where, true>(parent, a);
    b = root_of<Where, true>(parent, b);
    if (a == b) return;
    if (a < b) {
      const std::uint32_t swapped = a;
      a = b;
      b = swapped;
    }
    const std::uint32_t old = atomicMin(parent + a, b);
    if (old == a) return;
    a = old;  // another thread has put a under `old` meanwhile: join that one
  }
}

/// Bits of a word of two neighbouring rows from which a pair of runs, one of each, is told to touch; each pair once a
/// word. `both`: the first pixel of a stretch that is set in both rows. `lower`, `upper`: this row's run starts there,
/// right of the last pixel of the other's.
struct Contacts {
  std::uint32_t both, lower, upper;
};

/// stretch_goes_on: the pair that both rows' pixels left of the word make was told by the word before.
__device__ __forceinline__ Contacts contacts_of(std::uint32_t upper, bool upper_left, std::uint32_t lower,
                                                bool lower_left, bool stretch_goes_on, bool diagonal) {
  const std::uint32_t both = upper & lower;
  const std::uint32_t upper_before = upper << 1 | (upper_left ? 1u : 0u);
  const std::uint32_t lower_before = lower << 1 | (lower_left ? 1u : 0u);
  Contacts contacts{both & ~(both << 1 | (stretch_goes_on ? 1u : 0u)), 0, 0};
  if (diagonal) {
    contacts.lower = lower & ~lower_before & upper_before & ~upper;
    contacts.upper = upper & ~upper_before & lower_before & ~lower;
  }
  return contacts;
}

/// Calls join(upper bits, lower bits) for each contact: the runs that start last among these bits are the ones that
/// touch.
template <class Join>
__device__ __forceinline__ void for_each_contact(const Contacts& contacts, const Join& join) {
  for (std::uint32_t bits = contacts.both | contacts.lower | contacts.upper; bits != 0; bits &= bits - 1) {
    const std::uint32_t upto = bits ^ (bits - 1), bit = bits & (0u - bits);
    join((contacts.lower & bit) != 0 ? upto >> 1 : upto, (contacts.upper & bit) != 0 ? upto >> 1 : upto);
  }
}

/// Blocks [0, gridDim) took equal shares of a scan, each left its sum: before[b] becomes the sum of those before b.
///   returns that of all
__device__ __forceinline__ std::uint32_t scan_blocks(const std::uint32_t* sums, std::uint32_t (&before)[kMostBlocks]) {
  std::uint32_t sum = 0;
  for (unsigned first = 0; first < gridDim.x; first += kLabelThreads) {
    const unsigned block = first + threadIdx.x;
    std::uint32_t total = 0;
    const std::uint32_t mine = threads_before(block < gridDim.x ? sums[block] : 0, total);
    if (block < gridDim.x) before[block] = sum + mine;
    sum += total;
  }
  __syncthreads();  // all of `before` is there
  return sum;
}

/// A share of `count` things for each block.
__device__ __forceinline__ std::uint32_t share_of(std::uint32_t count) { return (count + gridDim.x - 1) / gridDim.x; }

/// Counts summed up over a block's share [begin, end). count(i, k, counts): a whole warp counts things i, i + k, i + 2k
/// ... into counts; write(i, sum of those before it in the share).   returns the sum of all
template <class Count, class Write>
__device__ __forceinline__ std::uint32_t scan_share(std::uint32_t begin, std::uint32_t end, const Count& count,
                                                    const Write& write) {
  __shared__ std::uint32_t counts[kLabelThreads];
  std::uint32_t sum = 0;
  for (std::uint32_t first = begin; first < end; first += kLabelThreads) {
    // Neighbours go to different warps, so that a small share keeps them all busy.
    for (std::uint32_t k = threadIdx.x / 32; k < kLabelThreads && first + k < end; k += kLabelWarps * kAtOnce) {
      std::uint32_t some[kAtOnce];
      count(first + k, kLabelWarps, some);
#pragma unroll
      for (int j = 0; j < kAtOnce; ++j)
        if ((threadIdx.x & 31) == 0) counts[k + j * kLabelWarps] = some[j];
    }
    __syncthreads();  // the counts are there
    const std::uint32_t mine = first + threadIdx.x;
    std::uint32_t total = 0;
    const std::uint32_t before = threads_before(mine < end ? counts[threadIdx.x] : 0, total);
    if (mine < end) write(mine, sum + before);
    sum += total;
  }
  return sum;
}

}  // namespace reber::cuda
