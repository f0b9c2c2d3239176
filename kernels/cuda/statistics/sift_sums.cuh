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

__device__ inline rules::Uint128 from_lane_above(rules::Uint128 mine, int half) {
  const auto low = __shfl_down_sync(kWholeWarp, static_cast<unsigned long long>(mine), half);
  const auto high = __shfl_down_sync(kWholeWarp, static_cast<unsigned long long>(mine >> 64), half);
  return static_cast<rules::Uint128>(high) << 64 | low;
}

__device__ inline ChunkSums warp_sum(ChunkSums sums, int lanes) {
  const int lane = threadIdx.x & 31;
  // Tiny values are rare.
  const bool fine = __any_sync(kWholeWarp, sums.fine != 0 || sums.fine_squares != 0 || sums.inexact != 0) != 0;
  for (int half = lanes / 2; half > 0; half /= 2) {
    ChunkSums other{};
    other.coarse = static_cast<rules::Int128>(from_lane_above(static_cast<rules::Uint128>(sums.coarse), half));
    other.coarse_squares = from_lane_above(sums.coarse_squares, half);
    if (fine) {
      other.fine = static_cast<rules::Int128>(from_lane_above(static_cast<rules::Uint128>(sums.fine), half));
      other.fine_squares = from_lane_above(sums.fine_squares, half);
      other.inexact = __shfl_down_sync(kWholeWarp, sums.inexact, half);
    }
    // Only lanes whose sum counts may add, or they might note that it does not fit.
    if (lane < half) add(sums, other);
  }
  return sums;
}

/// The sum of all threads' sums, in thread 0. parts: room for one a warp.
template <int Threads>
__device__ inline ChunkSums block_sum(ChunkSums sums, ChunkSums* parts) {
  constexpr int kParts = Threads / 32;
  sums = warp_sum(sums, 32);
  __syncthreads();  // parts may still be read from the sum before
  if ((threadIdx.x & 31) == 0) parts[threadIdx.x / 32] = sums;
  __syncthreads();  // all parts are there
  if (threadIdx.x < 32) sums = warp_sum(threadIdx.x < kParts ? parts[threadIdx.x] : ChunkSums{}, kParts);
  return sums;
}

__device__ inline rules::MeanStd mean_and_std(const ChunkSums& sums, std::int64_t n, int exponent) {
  using Wide = rules::WideInt<4>;
  const rules::Int128 sum = sums.coarse * (1ll << (kFineBits - kCoarseBits)) + sums.fine;
  const Wide size = rules::shifted<4>(static_cast<rules::Uint128>(sum < 0 ? -sum : sum), 0);
  Wide squares = rules::shifted<4>(sums.coarse_squares, 2 * (kFineBits - kCoarseBits));
  rules::add(squares, rules::shifted<4>(sums.fine_squares, 0));
  return rules::mean_and_std(static_cast<std::uint64_t>(n), sum < 0 ? rules::negated(size) : size, squares,
                             exponent - kFineBits);
}

}  // namespace reber::cuda
