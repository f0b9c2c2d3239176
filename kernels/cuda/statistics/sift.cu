// SPDX-License-Identifier: BSD-3-Clause
// The pass over the pixels: sure ones are summed in registers, without rounding, the others listed.
#include <cuda_runtime.h>

#include "kernels/cuda/device/four_pixels.cuh"
#include "kernels/cuda/statistics/list_bins.cuh"
#include "kernels/cuda/statistics/sift_sums.cuh"
#include "kernels/shared/float_keys.hpp"

namespace reber::cuda {
namespace {

constexpr int kThreads = 256;
constexpr int kWarps = kThreads / 32;
constexpr int kPiece = 512;  ///< pixels of a row that a warp takes at once
constexpr int kRoom = 512;   ///< keys that a warp collects before it writes them
constexpr unsigned kAll = 0xffffffffu;
constexpr std::uint32_t kBlankKey = 0xffffffffu;
// The exact sum of squares of a thread starts at 2^(2 exponent + kHeadBits) and must stay below twice that.
constexpr int kHeadBits = 12;
constexpr std::int64_t kMostPieces = (1 << kHeadBits) / (kPiece / 32);  ///< that a warp may take

__global__ void __launch_bounds__(kThreads) k_all_keys(RowWindow window, std::uint32_t* __restrict__ keys) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (i >= window.rows * window.nx) return;
  const float pixel = window.pixels[i / window.nx * window.pitch + i % window.nx];
  keys[i] = isfinite(pixel) ? rules::key_of(pixel) : kBlankKey;
}

/// Keys that a warp collects in shared memory. count is the same in all lanes.
struct Collected {
  std::uint32_t* room;
  unsigned count;
};

/// By a whole warp: writes what was collected to the list from place `at` on.
__device__ void write_out(Collected& keys, unsigned long long at, const Bracket& bracket, SiftState* state,
                          const SiftLists& lists) {
  __syncwarp();  // the lanes' keys are in place
  const unsigned lane = threadIdx.x & 31;
  if (at + keys.count <= lists.room) {
    for (unsigned k = lane; k < keys.count; k += 32) lists.keys[at + k] = keys.room[k];
    if (lists.counted) {
      const ListBins bins(bracket);
      for (unsigned first = 0; first < keys.count; first += 32) {
        const int bin = first + lane < keys.count ? bins.of_key(keys.room[first + lane]) : -1;
        const SameBin same(bin);
        if (same.first) atomicAdd(state->counts + bin, same.count());
      }
    }
  }
  keys.count = 0;
  __syncwarp();  // all keys are read before the next ones overwrite them
}

/// By a whole warp whose room is full.
__device__ void write_full(Collected& keys, const Bracket& bracket, SiftState* state, const SiftLists& lists) {
  unsigned long long at = 0;
  if ((threadIdx.x & 31) == 0) at = atomicAdd(&state->sifted.listed, static_cast<unsigned long long>(keys.count));
  write_out(keys, __shfl_sync(kAll, at, 0), bracket, state, lists);
}

/// By a whole block in the end. All warps come at once, and they would wait for each other's places.
__device__ void write_rest(Collected& keys, const Bracket& bracket, SiftState* state, const SiftLists& lists) {
  __shared__ unsigned counts[kWarps];
  __shared__ unsigned long long first;
  const int warp = threadIdx.x / 32;
  if ((threadIdx.x & 31) == 0) counts[warp] = keys.count;
  __syncthreads();  // all warps' counts are there
  unsigned before = 0, all = 0;
  for (int w = 0; w < kWarps; ++w) {
    if (w < warp) before += counts[w];
    all += counts[w];
  }
  if (threadIdx.x == 0) first = atomicAdd(&state->sifted.listed, static_cast<unsigned long long>(all));
  __syncthreads();  // the block's place is there
  write_out(keys, first + before, bracket, state, lists);
}

/// Sure pixels of one thread, and those of them below the middle.
struct Counts {
  unsigned sure, below;
};

__device__ void finish_sums(const Sums& sums, const Counts& counts, double start, int exponent, Sifted* sifted) {
  const int unit = exponent - kCoarseBits;
  const WholeSums whole = whole_sums(sums, start, unit, 2 * unit + 32);
  const long long sum = warp_sum(whole.sum), squares = warp_sum(whole.head), rest = warp_sum(whole.rest);
  const auto below = warp_sum<long long>(counts.below), above = warp_sum<long long>(counts.sure - counts.below);
  __shared__ long long totals[5][kWarps];
  const int warp = threadIdx.x / 32;
  if ((threadIdx.x & 31) == 0) {
    totals[0][warp] = sum, totals[1][warp] = squares, totals[2][warp] = rest;
    totals[3][warp] = below, totals[4][warp] = above;
  }
  __syncthreads();  // all warps' sums are there
  if (threadIdx.x >= 5) return;
  long long total = 0;
  for (int w = 0; w < kWarps; ++w) total += totals[threadIdx.x][w];
  switch (threadIdx.x) {
    case 0:
      add_split(sifted->sum, total);
      break;
    case 1:
      add_split(sifted->squares, total);
      break;
    case 2:
      add_split(sifted->squares_rest, total);
      break;
    case 3:
      atomicAdd(&sifted->below, static_cast<unsigned long long>(total));
      break;
    default:
      atomicAdd(&sifted->above, static_cast<unsigned long long>(total));
      break;
  }
}

__device__ __forceinline__ bool is_sure(float pixel, const Bracket& bracket) {
  return (pixel < bracket.middle_low || pixel > bracket.middle_high) && pixel >= bracket.low && pixel <= bracket.high;
}

/// Sums a pixel that is sure and not tiny.   returns whether it is anything else
__device__ __forceinline__ bool sift_pixel(float pixel, const Bracket& bracket, float tiny, Sums& sums,
                                           Counts& counts) {
  const bool sure = is_sure(pixel, bracket), plain = sure && fabsf(pixel) >= tiny;
  if (sure) ++counts.sure;
  if (sure && pixel < bracket.middle_low) ++counts.below;
  add_lossless(sums, plain ? static_cast<double>(pixel) : 0.0);
  return !plain;
}

/// By a whole warp: lists the pixels of a piece, 16 a lane, whose bits are set.
__device__ __forceinline__ void list_pixels(unsigned bits, const float* row, std::int64_t x, std::int64_t nx,
                                            const Bracket& bracket, Collected& keys, SiftState* state,
                                            const SiftLists& lists) {
  while (__any_sync(kAll, bits != 0)) {
    const float pixel = bits != 0 ? pixel_of_bit(bits, row, x, nx) : rules::blank_value();
    bits &= bits - 1;
    const bool sure = is_sure(pixel, bracket), listed = isfinite(pixel) && !sure;
    const unsigned mask = __ballot_sync(kAll, listed);
    if (listed) keys.room[keys.count + __popc(mask & ((1u << (threadIdx.x & 31)) - 1))] = rules::key_of(pixel);
    keys.count += __popc(mask);
    if (keys.count > kRoom - 32) write_full(keys, bracket, state, lists);
    if (sure && pixel != 0) {
      const unsigned long long place = atomicAdd(&state->sifted.odd, 1ull);
      if (place < lists.odd_room) lists.odd[place] = pixel;
    }
  }
}

__global__ void __launch_bounds__(kThreads) k_sift_pixels(RowWindow window, SiftState* state, SiftLists lists) {
  __shared__ std::uint32_t room[kWarps][kRoom];
  const Bracket bracket = state->bracket;
  if (!bracket.usable) return;
  const double start = power_of_two(2 * bracket.exponent + kHeadBits);
  const float tiny = ldexpf(1.0f, bracket.exponent - kTinyBits);
  Sums sums{0, start, 0};
  Counts counts{0, 0};
  Collected keys{room[threadIdx.x / 32], 0};
  walk_pieces<kPiece, kWarps>(
      window, [&](float pixel) { return sift_pixel(pixel, bracket, tiny, sums, counts); },
      [&](unsigned bits, const float* row, std::int64_t x) {
        list_pixels(bits, row, x, window.nx, bracket, keys, state, lists);
      });
  write_rest(keys, bracket, state, lists);
  finish_sums(sums, counts, start, bracket.exponent, &state->sifted);
}

}  // namespace

void all_keys(cudaStream_t stream, const RowWindow& window, std::uint32_t* keys) {
  const std::int64_t pixels = window.rows * window.nx;
  k_all_keys<<<static_cast<unsigned>((pixels + kThreads - 1) / kThreads), kThreads, 0, stream>>>(window, keys);
  check_launch("k_all_keys", stream);
}

void sift_pixels(cudaStream_t stream, int multiprocessors, const RowWindow& window, SiftState* state,
                 const SiftLists& lists) {
  const std::int64_t tasks = window.rows * ((window.nx + kPiece - 1) / kPiece);
  // Blocks that fill the card, or so many that no thread sums too many squares.
  const std::int64_t fill = std::int64_t{6} * multiprocessors, most = (tasks + kWarps - 1) / kWarps;
  const std::int64_t least = (tasks + kWarps * kMostPieces - 1) / (kWarps * kMostPieces);
  const std::int64_t blocks = fill > most ? most : (fill < least ? least : fill);
  k_sift_pixels<<<static_cast<unsigned>(blocks), kThreads, 0, stream>>>(window, state, lists);
  check_launch("k_sift_pixels", stream);
}

}  // namespace reber::cuda
