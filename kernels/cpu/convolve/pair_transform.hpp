// SPDX-License-Identifier: BSD-3-Clause
// Circular convolution of two real tiles at a time, as the parts of one of complex numbers.
#pragma once

#include <array>
#include <cstdint>

namespace reber::cpu {

/// Rows and columns of a tile: one of these.
inline constexpr std::array<std::int64_t, 5> kPairSides{256, 512, 1024, 2048, 4096};
/// Floats of memory to work in: the rows of a pair and eight lines; and of the transform of a kernel.
constexpr std::int64_t pair_work(std::int64_t side) { return side * (2 * side + 32); }
constexpr std::int64_t pair_transfer(std::int64_t side) { return 2 * side * side; }

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
/// side^2.
///   placed: side x side weights, where they stand for a circular convolution; work: pair_work(side) floats
void transform_kernel(std::int64_t side, const float* placed, float* transfer, float* work);

/// Both tiles convolved with the kernel, in place. Always the same bits, on every processor.
///   transfer, work: aligned to 64 bytes
void convolve_pair(std::int64_t side, const TilePair& tiles, const PairResult& wanted, const float* transfer,
                   float* work);

}  // namespace reber::cpu
