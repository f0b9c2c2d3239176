// SPDX-License-Identifier: BSD-3-Clause
// Convolution by tiles that one block transforms, multiplies and transforms back without leaving its shared memory.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <span>

#include "core/base/shape.hpp"
#include "kernels/cuda/convolve/common/convolver.hpp"

namespace reber::cuda {

/// What the blocks of one launch share.
struct TileArguments {
  ConvolveJob job;
  std::int32_t kernel_ny = 0, kernel_nx = 0;
  std::int32_t valid_y = 0, valid_x = 0;  ///< outputs of a tile
  std::int32_t tiles_x = 0, tiles = 0;    ///< tiles beside each other; of the job
  float sum = 0;                          ///< of the kernel's weights
  float weight_noise = 0;                 ///< weights of finite pixels up to this are rounding
  const float* offsets = nullptr;         ///< of each tile: constants that are taken out of it
  const float2* spectrum = nullptr;       ///< the kernel's, in the order that the blocks hold theirs
};

/// Kernels that share the forward transform of images without blank pixels.
struct TileFan {
  static constexpr int kMost = 8;
  std::int32_t count = 0;
  const float2* spectra[kMost] = {};
  float sums[kMost] = {};
  float* out[kMost] = {};
  unsigned long long* blank[kMost] = {};
  float2* kept = nullptr;  ///< a tile's spectrum for each block
};

/// One compiled tile shape.
struct TileVariant {
  std::int32_t ny = 0, nx = 0;
  int blocks = 0;  ///< on one multiprocessor
  std::int64_t shared_bytes = 0;
  /// Transforms the kernel (job.in, its weights divided by ny nx) into `spectrum`, ny x nx complex numbers.
  void (*transform_kernel)(cudaStream_t, const TileArguments&, float2* spectrum) = nullptr;
  /// Queues the convolution of all of the job's tiles.
  void (*convolve)(cudaStream_t, const TileArguments&) = nullptr;
  /// The same for every kernel of the fan, by so many blocks.
  void (*convolve_each)(cudaStream_t, const TileArguments&, const TileFan&, unsigned blocks) = nullptr;
};

/// A shape and its cost.
struct TilePolicy {
  TileVariant variant;
  double us_a_pair = 0;  ///< microseconds of one multiprocessor for two tiles
};

[[nodiscard]] std::span<const TilePolicy> tile_policies();

}  // namespace reber::cuda
