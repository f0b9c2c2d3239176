// SPDX-License-Identifier: BSD-3-Clause
// Device code for exact sums of pixels of a list, in integers. For sift.cu, sift_solve.cu and moments.cu.
#pragma once

#include "kernels/cuda/device/lossless_sums.cuh"
#include "kernels/cuda/statistics/sift.hpp"

namespace reber::cuda {

inline constexpr double kBrightest = 0x1p58;  ///< in coarse units: 1024 squares of such fit into 128 bits

__device__ inline void add_split(unsigned long long* halves, long long value) {
  atomicAdd(halves, static_cast<unsigned long long>(value) & 0xffffffffull);
  atomicAdd(halves + 1, static_cast<unsigned long long>(value >> 32));
}

__device__ inline void add(ChunkSums& sums, const ChunkSums& other) {
  sums.coarse += other.coarse;
  sums.fine += other.fine;
  sums.coarse_squares += other.coarse_squares;
  sums.fine_squares += other.fine_squares;
  sums.inexact |= other.inexact | (sums.coarse_squares < other.coarse_squares ? 1u : 0u) |
                  (sums.fine_squares < other.fine_squares ? 1u : 0u);
}

__device__ inline void add_value(ChunkSums& sums, float pixel, int exponent) {
  const double value = pixel, size = fabs(value);
  if (size < power_of_two(exponent - kTinyBits)) {
    const double scaled = value * power_of_two(kFineBits - exponent);
    const long long whole = __double2ll_rn(scaled);
    sums.inexact |= static_cast<double>(whole) != scaled ? 1u : 0u;
    sums.fine += whole;
    sums.fine_squares += static_cast<rules::Uint128>(static_cast<rules::Int128>(whole) * whole);
  } else {
    double scaled = value * power_of_two(kCoarseBits - exponent);
    sums.inexact |= !(fabs(scaled) < kBrightest) ? 1u : 0u;
    scaled = fmin(fmax(scaled, -kBrightest), kBrightest);
    const long long whole = __double2ll_rn(scaled);
    sums.coarse += whole;
    sums.coarse_squares += static_cast<rules::Uint128>(static_cast<rules::Int128>(whole) * whole);
  }
}

/// Sum over the warp modulo 2^128, in each lane: by parts of 27 bits, 32 of which fit into a word.
__device__ inline rules::Uint128 sum_of_lanes(rules::Uint128 mine) {
  constexpr int kBits = 27;
  rules::Uint128 total = 0;
#pragma unroll
  for (int shift = 0; shift < 128; shift += kBits)
    total += static_cast<rules::Uint128>(warp_sum(static_cast<std::uint32_t>(mine >> shift) & ((1u << kBits) - 1)))
             << shift;
  return total;
}

/// The sum of all lanes' sums, in each of them.
__device__ inline ChunkSums warp_sum(ChunkSums sums) {
  constexpr int kMostSquares = 128 - 6;  // bits: 32 of that size leave one for what is added to them
  const auto any = [](bool mine) { return __any_sync(kWholeWarp, mine ? 1 : 0) != 0; };
  sums.coarse = static_cast<rules::Int128>(sum_of_lanes(static_cast<rules::Uint128>(sums.coarse)));
  const bool large = any((sums.coarse_squares | sums.fine_squares) >> kMostSquares != 0);
  sums.coarse_squares = sum_of_lanes(sums.coarse_squares);
  // Tiny values are rare.
  if (any(sums.fine_squares != 0)) {
    sums.fine = static_cast<rules::Int128>(sum_of_lanes(static_cast<rules::Uint128>(sums.fine)));
    sums.fine_squares = sum_of_lanes(sums.fine_squares);
  }
  sums.inexact = any(large || sums.inexact != 0) ? 1u : 0u;
  return sums;
}

/// The sum of all threads' sums, in thread 0. parts: room for one a warp.
template <int Threads>
__device__ inline ChunkSums block_sum(ChunkSums sums, ChunkSums* parts) {
  constexpr int kParts = Threads / 32;
  const bool some =
      __any_sync(kWholeWarp, sums.coarse_squares != 0 || sums.fine_squares != 0 || sums.inexact != 0) != 0;
  if (some) sums = warp_sum(sums);
  // Parts may still be read from the sum before.
  if (__syncthreads_or(some && threadIdx.x >= 32 ? 1 : 0) == 0) return sums;
  if ((threadIdx.x & 31) == 0) parts[threadIdx.x / 32] = sums;
  __syncthreads();  // all parts are there
  if (threadIdx.x < 32) sums = warp_sum(threadIdx.x < kParts ? parts[threadIdx.x] : ChunkSums{});
  return sums;
}

}  // namespace reber::cuda
