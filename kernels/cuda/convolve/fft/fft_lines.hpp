// SPDX-License-Identifier: BSD-3-Clause
// Convolution by tiles too large for one block, in three kernels a batch: rows, columns with the product, rows back.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/cuda/convolve/common/convolver.hpp"

namespace reber::cuda {

/// What the kernels of one batch share. Tiles 2p and 2p + 1 of the job are the real and imaginary part of pair p.
struct LineArguments {
  ConvolveJob job;
  std::int32_t kernel_ny = 0, kernel_nx = 0;
  std::int32_t valid_y = 0, valid_x = 0;  ///< outputs of a tile
  std::int32_t tiles_x = 0, tiles = 0;    ///< tiles beside each other; of the job
  std::int32_t first = 0, pairs = 0;      ///< pairs of this batch
  bool mask = false;                      ///< the input is 1 where a pixel is finite
  bool count_blank = false;               ///< these are results, not sums yet to be divided
  float sum = 0;                          ///< of the kernel's weights
  const float* offsets = nullptr;         ///< of each tile of the job, or null: constants that are taken out of it
  float* out = nullptr;                   ///< where output row job.y0 goes
  std::int64_t out_pitch = 0;
  float2* memory = nullptr;           ///< pairs x ny x nx complex numbers
  const float2* spectrum = nullptr;   ///< the kernel's, in the order that the columns' kernel meets it
  const float2* row_roots = nullptr;  ///< those of LineVariant
  const float2* column_roots = nullptr;
};

/// Kernels that share one forward transform: their spectra, and where their products go, transformed back along columns
/// as LineArguments::memory holds them.
struct LineFan {
  static constexpr int kMost = 8;
  std::int32_t count = 0;
  const float2* spectra[kMost] = {};  ///< in the order of the threads: LineVariant::order
  float2* memory[kMost] = {};
  float2* kept = nullptr;  ///< LineVariant::kept per column of each pair: the columns' spectra, in that order
};

/// The kernels of one length of transform.
struct LineVariant {
  std::int32_t length = 0;
  std::int64_t shared_bytes = 0;  ///< most that a block of any of them needs
  std::vector<float2> (*row_roots)() = nullptr;
  std::vector<float2> (*column_roots)() = nullptr;
  void (*rows)(cudaStream_t, const LineArguments&, std::int32_t tile_ny) = nullptr;
  void (*rows_back)(cudaStream_t, const LineArguments&, std::int32_t tile_ny) = nullptr;
  /// Columns of this length, rows of tile_nx. If `make` is not null: store the spectrum of pair 0 in it, do not
  /// multiply.
  void (*columns)(cudaStream_t, const LineArguments&, std::int32_t tile_nx, float2* make) = nullptr;
  /// The same for every kernel of the fan.
  void (*columns_each)(cudaStream_t, const LineArguments&, std::int32_t tile_nx, const LineFan&) = nullptr;
  /// Brings a kernel's spectrum into the order in which the threads of columns_each take it: `kept` numbers per column.
  void (*order)(cudaStream_t, const float2* spectrum, std::int32_t tile_nx, float2* ordered) = nullptr;
  std::int32_t kept = 0;
};

/// A length and its cost: picoseconds of the whole card for a point of a pair of tiles, launches apart. Rows back are
/// those of outputs alone.
struct LinePolicy {
  LineVariant line;
  double ps_rows = 0, ps_rows_back = 0, ps_columns = 0;
};

[[nodiscard]] std::span<const LinePolicy> line_policies();

}  // namespace reber::cuda
