// SPDX-License-Identifier: BSD-3-Clause
// Kernels of the overlap-save convolution by FFT.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "core/base/shape.hpp"
#include "kernels/cuda/convolve/common/convolver.hpp"

namespace reber::cuda {

/// Tiles of ty x tx pixels (tx even), in place: rows of tx + 2 floats. A tile makes `valid` outputs.
struct FftTiles {
  std::int64_t ty = 0, tx = 0;
  std::int64_t valid_y = 0, valid_x = 0;
  std::int64_t tiles_x = 0;        ///< tiles beside each other, over the job's outputs
  const float* offsets = nullptr;  ///< of each tile, or null: constants that are taken out of it
  float sum = 0;                   ///< of the kernel's weights: what of an offset comes back

  /// Complex numbers of a tile's spectrum; twice that many floats of its pixels.
  __host__ __device__ constexpr std::int64_t spectrum() const { return ty * (tx / 2 + 1); }
};

/// Fills tiles [first, first + count) with the job's input (or its mask of finite pixels) around their outputs.
void gather_tiles(cudaStream_t stream, const ConvolveJob& job, const FftTiles& tiles, Shape kernel, std::int64_t first,
                  std::int64_t count, bool mask, float* memory);
/// Multiplies each tile's spectrum by the kernel's.
void multiply_spectra(cudaStream_t stream, const FftTiles& tiles, std::int64_t count, const float* kernel_spectrum,
                      float* memory);
/// Writes the valid part of the tiles to out, job.y0 being row 0. count_blank: these are results,
/// not sums yet to be divided; blank ones are added to job.blank.
void scatter_tiles(cudaStream_t stream, const ConvolveJob& job, const FftTiles& tiles, Shape kernel, std::int64_t first,
                   std::int64_t count, const float* memory, float* out, std::int64_t pitch, bool count_blank);
/// out = interpolate_output(out, weights, ...); weights that are rounding noise (|weight| <= noise) count as none.
void divide_by_weights(cudaStream_t stream, const ConvolveJob& job, const float* weights, std::int64_t pitch,
                       float noise);

}  // namespace reber::cuda
