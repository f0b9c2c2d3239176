// SPDX-License-Identifier: BSD-3-Clause
// Circular convolution of two real tiles at a time, as the parts of one of complex numbers that fits a core's cache.
#pragma once

#include <cstdint>

namespace reber::cpu {

/// Rows and columns of a tile.
inline constexpr std::int64_t kPairSide = 256;
/// Floats of memory to work in, and of the transform of a kernel.
inline constexpr std::int64_t kPairWork = kPairSide * (2 * kPairSide + 16), kPairTransfer = 2 * kPairSide * kPairSide;

/// Pixels of both tiles; rows are `stride` floats apart.
struct TilePair {
  float *left, *right;
  std::int64_t stride;
};
/// What is wanted of each: the first `rows` rows and `columns` columns, a multiple of 8; what is beyond is not written.
struct PairResult {
  std::int64_t rows, columns;
};

/// The transform of a kernel on a tile, as convolve_pair() takes it. Not normalised: there and back multiplies by
/// kPairSide^2.
///   placed: kPairSide x kPairSide weights, where they stand for a circular convolution; work: kPairWork floats
void transform_kernel(const float* placed, float* transfer, float* work);

/// Both tiles convolved with the kernel, in place. Always the same bits, on every processor.
///   transfer, work: aligned to 64 bytes
void convolve_pair(const TilePair& tiles, const PairResult& wanted, const float* transfer, float* work);

}  // namespace reber::cpu
