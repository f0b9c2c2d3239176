// SPDX-License-Identifier: BSD-3-Clause
// Mean and standard deviation in one pass. A few pixels tell which unit nearly all are whole numbers of; these are
// summed in registers without rounding, the others listed and summed one by one.
#include <cuda_runtime.h>

#include <cstddef>

#include "kernels/cuda/device/four_pixels.cuh"
#include "kernels/cuda/device/warp.cuh"
#include "kernels/cuda/statistics/moments.hpp"
#include "kernels/cuda/statistics/sift_sums.cuh"

namespace reber::cuda {
namespace {

constexpr int kThreads = 256;
constexpr int kWarps = kThreads / 32;
constexpr int kBlocksEach = 8;  ///< blocks per multiprocessor
constexpr int kPiece = 512;     ///< pixels of a row that a warp takes at once
constexpr int kSamples = 2048;
constexpr int kOddBlocks = 64;
constexpr int kLeastExponent = -80, kMostExponent = 80;
// Pixels from 2^(exponent - kTinyBits) to 2^(exponent + kTopBits) are whole numbers of coarse units. A thread sums at
// most 2^kHeadBits of them before it turns its sums into integers.
constexpr int kTopBits = 10, kHeadBits = 6, kPiecesAtOnce = (1 << kHeadBits) / (kPiece / 32);
static_assert(kTopBits + kCoarseBits + kHeadBits <= 53);

/// state->bracket.exponent: that of the middle magnitude of some pixels; what else the kernels use of the state is 0.
__global__ void __launch_bounds__(kThreads) k_choose_exponent(RowWindow window, SiftState* state) {
  __shared__ unsigned counts[256];
  static_assert(kThreads == 256);
  constexpr unsigned kWords = sizeof(SiftFound) / sizeof(unsigned);
  static_assert(kWords <= kThreads);
  if (threadIdx.x < kWords) reinterpret_cast<unsigned*>(state)[threadIdx.x] = 0;
  counts[threadIdx.x] = 0;
  __syncthreads();  // all counts are 0
  const std::int64_t pixels = window.rows * window.nx;
  for (int i = threadIdx.x; i < kSamples; i += kThreads) {
    const double place = (static_cast<double>(i) + static_cast<std::uint32_t>(i * 2654435769u) * 0x1p-32) / kSamples;
    const auto at =
        min(static_cast<long long>(place * static_cast<double>(pixels)), static_cast<long long>(pixels - 1));
    const std::uint32_t bits = __float_as_uint(window.pixels[at / window.nx * window.pitch + at % window.nx]);
    atomicAdd(counts + (bits >> 23 & 0xffu), 1u);
  }
  __syncthreads();  // all samples are counted
  if (threadIdx.x >= 32) return;
  // Without zeros and blank pixels; eight exponents a lane.
  unsigned mine[8], sum = 0;
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    const unsigned exponent = threadIdx.x * 8 + k;
    sum += mine[k] = exponent > 0 && exponent < 255 ? counts[exponent] : 0;
  }
  unsigned below = sum;
  for (int step = 1; step < 32; step *= 2) {
    const unsigned other = __shfl_up_sync(kWholeWarp, below, step);
    if (threadIdx.x >= step) below += other;
  }
  const unsigned all = __shfl_sync(kWholeWarp, below, 31);
  below -= sum;
  int exponent = 254;
#pragma unroll
  for (int k = 7; k >= 0; --k)
    if ((below + sum) * 2 > all) exponent = static_cast<int>(threadIdx.x) * 8 + k, sum -= mine[k];
  exponent = static_cast<int>(warp_min(static_cast<unsigned>(exponent)));
  if (threadIdx.x == 0) state->bracket.exponent = min(max(exponent - 126, kLeastExponent), kMostExponent);
}

__device__ __forceinline__ void make_whole(Sums& sums, double start, int exponent, WholeSums& whole) {
  // The unit of the heads is an ulp of `start`.
  const WholeSums more = whole_sums(sums, start, exponent - kCoarseBits, 2 * (exponent + kTopBits) + kHeadBits - 52);
  whole.sum += more.sum;
  whole.head += more.head;
  whole.rest += more.rest;
  sums = {0, start, 0};
}

/// Adds the block's sum of one number per thread: halves[0] takes the lower 32 bits, halves[1] the rest.
__device__ void add_block(long long value, unsigned long long* halves) {
  __shared__ long long parts[kWarps];
  value = warp_sum(value);
  if ((threadIdx.x & 31) == 0) parts[threadIdx.x / 32] = value;
  __syncthreads();  // all warps' sums are there
  if (threadIdx.x == 0) {
    rules::Int128 total = 0;
    for (const long long part : parts) total += part;
    atomicAdd(halves, static_cast<unsigned long long>(total) & 0xffffffffull);
    atomicAdd(halves + 1, static_cast<unsigned long long>(total >> 32));
  }
  __syncthreads();  // the parts are read before the next ones
}

__global__ void __launch_bounds__(kThreads, kBlocksEach / 2)
    k_sum_pixels(RowWindow window, SiftState* state, float* odd, unsigned long long odd_size) {
  const int exponent = state->bracket.exponent;
  const double start = power_of_two(2 * (exponent + kTopBits) + kHeadBits);
  const auto tiny = static_cast<float>(power_of_two(exponent - kTinyBits)),
             top = static_cast<float>(power_of_two(exponent + kTopBits));
  Sums sums{0, start, 0};
  WholeSums whole{0, 0, 0};
  unsigned plain_count = 0;
  const auto add_plain = [&](float pixel) {
    const bool plain = fabsf(pixel) >= tiny && fabsf(pixel) < top;
    add_lossless(sums, plain ? static_cast<double>(pixel) : 0.0);
    return !plain;
  };
  int taken = 0;
  walk_pieces<kPiece, kWarps>(window, add_plain, [&](unsigned others, const float* row, std::int64_t x) {
    plain_count += kPiece / 32 - __popc(others);
    for (; others != 0; others &= others - 1) {
      const float pixel = pixel_of_bit(others, row, x, window.nx);
      if (!isfinite(pixel)) continue;
      ++plain_count;
      if (pixel == 0) continue;
      const unsigned long long place = atomicAdd(&state->sifted.odd, 1ull);
      if (place < odd_size) odd[place] = pixel;
    }
    if (++taken == kPiecesAtOnce) {
      make_whole(sums, start, exponent, whole);
      taken = 0;
    }
  });
  make_whole(sums, start, exponent, whole);
  add_block(whole.sum, state->sifted.sum);
  add_block(whole.head, state->sifted.squares);
  add_block(whole.rest, state->sifted.squares_rest);
  const long long count = warp_sum(static_cast<long long>(plain_count));
  if ((threadIdx.x & 31) == 0) atomicAdd(&state->sifted.above, static_cast<unsigned long long>(count));
}

__global__ void __launch_bounds__(kThreads)
    k_sum_odd(const SiftState* state, const float* __restrict__ odd, unsigned long long odd_size, ChunkSums* chunks) {
  __shared__ ChunkSums parts[kWarps];
  const unsigned long long count = min(state->sifted.odd, odd_size);
  ChunkSums sums{};
  for (unsigned long long k = blockIdx.x * kThreads + threadIdx.x; k < count; k += kOddBlocks * kThreads)
    add_value(sums, odd[k], state->bracket.exponent);
  sums = block_sum<kThreads>(sums, parts);
  if (threadIdx.x == 0) chunks[blockIdx.x] = sums;
}

/// state->answer from all sums; max_rounds 0: no median, no extremes.
__global__ void __launch_bounds__(kOddBlocks)
    k_solve_moments(const ChunkSums* __restrict__ chunks, unsigned long long odd_size, SiftState* state) {
  __shared__ ChunkSums parts[kOddBlocks / 32];
  ChunkSums sums = block_sum<kOddBlocks>(chunks[threadIdx.x], parts);
  if (threadIdx.x != 0) return;
  const Sifted& sifted = state->sifted;
  const auto joined = [](const unsigned long long* halves) {
    return static_cast<rules::Int128>(static_cast<long long>(halves[1])) * (1ll << 32) + halves[0];
  };
  constexpr int kHeadUnit = 2 * (kTopBits + kCoarseBits) + kHeadBits - 52;
  ChunkSums plain{};
  plain.coarse = joined(sifted.sum);
  plain.coarse_squares = static_cast<rules::Uint128>(
      joined(sifted.squares) * (static_cast<rules::Int128>(1) << kHeadUnit) + joined(sifted.squares_rest));
  add(sums, plain);
  SiftAnswer answer;
  answer.finite = static_cast<std::int64_t>(sifted.above);
  answer.exact = sifted.odd <= odd_size && sums.inexact == 0;
  if (answer.finite > 0) {
    const rules::MeanStd all = mean_and_std(sums, answer.finite, state->bracket.exponent);
    answer.clip.mean = all.mean;
    answer.clip.std = all.std;
  }
  state->answer = answer;
}

}  // namespace

std::int64_t odd_chunks() { return kOddBlocks; }

void sum_pixels(cudaStream_t stream, int multiprocessors, const RowWindow& window, SiftState* state, float* odd,
                std::int64_t odd_size, ChunkSums* chunks) {
  k_choose_exponent<<<1, kThreads, 0, stream>>>(window, state);
  check_launch("k_choose_exponent", stream);
  const std::int64_t tasks = window.rows * ((window.nx + kPiece - 1) / kPiece);
  const std::int64_t fill = std::int64_t{kBlocksEach} * multiprocessors, most = (tasks + kWarps - 1) / kWarps;
  const auto room = static_cast<unsigned long long>(odd_size);
  k_sum_pixels<<<static_cast<unsigned>(fill < most ? fill : most), kThreads, 0, stream>>>(window, state, odd, room);
  check_launch("k_sum_pixels", stream);
  k_sum_odd<<<kOddBlocks, kThreads, 0, stream>>>(state, odd, room, chunks);
  check_launch("k_sum_odd", stream);
  k_solve_moments<<<1, kOddBlocks, 0, stream>>>(chunks, room, state);
  check_launch("k_solve_moments", stream);
}

}  // namespace reber::cuda
