// SPDX-License-Identifier: BSD-3-Clause
// Device code: a thread's sum and sum of squares in doubles that lose no bit, and the integers that they stand for. For
// sift_sums.cuh and cell_rounds.cuh.
#pragma once

#include "kernels/cuda/device/warp.cuh"

namespace reber::cuda {

/// 2^exponent; exponent in the range of normal doubles.
__device__ inline double power_of_two(int exponent) { return __hiloint2double((exponent + 1023) << 20, 0); }

/// Sums of one thread. square_sum - its start, a power of two, plus square_rest, is the sum of squares. Nothing is
/// rounded where all values are whole numbers of 2^(e - bits), below 2^e, the start is 2^(2 e + h), and there are at
/// most 2^h values, bits + h <= 53.
struct Sums {
  double sum, square_sum, square_rest;
};

__device__ __forceinline__ void add_lossless(Sums& sums, double value) {
  const double next = fma(value, value, sums.square_sum);
  sums.square_rest += fma(value, value, -(next - sums.square_sum));
  sums.square_sum = next;
  sums.sum += value;
}

/// The same as integers: sum in 2^unit, head of the squares in 2^head_unit, the rest of them in 2^(2 unit).
struct WholeSums {
  long long sum, head, rest;
};

__device__ __forceinline__ WholeSums whole_sums(const Sums& sums, double start, int unit, int head_unit) {
  return {static_cast<long long>(sums.sum * power_of_two(-unit)),
          static_cast<long long>((sums.square_sum - start) * power_of_two(-head_unit)),
          static_cast<long long>(sums.square_rest * power_of_two(-2 * unit))};
}

}  // namespace reber::cuda
