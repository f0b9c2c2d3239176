// SPDX-License-Identifier: BSD-3-Clause
// The constant that is taken out of each tile before its transform and put back after it.
#pragma once

#include <cuda_runtime_api.h>

#include "kernels/cuda/convolve/common/convolver.hpp"

namespace reber::cuda {

/// How a job's output is cut into tiles.
struct TileGrid {
  std::int32_t kernel_ny = 0, kernel_nx = 0;
  std::int32_t tile_ny = 0, tile_nx = 0;  ///< pixels that a tile reads
  std::int32_t valid_y = 0, valid_x = 0;  ///< outputs of a tile
  std::int32_t tiles_x = 0, tiles = 0;    ///< beside each other; of the job
};

/// Fills `offsets`, one for every tile: the median of five of its pixels, or 0 where that is not large against their
/// scatter. A large offset of an image then costs its transforms no precision; what it is does not matter to the
/// result, since its product with the kernel's sum is put back.
void find_offsets(cudaStream_t stream, const ConvolveJob& job, const TileGrid& grid, float* offsets);

}  // namespace reber::cuda
