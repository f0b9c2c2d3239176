// SPDX-License-Identifier: BSD-3-Clause
// What the marching convolutions share: asynchronous copies of image rows into shared memory, rows of outputs, and how
// a block finds its part of the image.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/cuda/convolve/common/convolver.hpp"
#include "kernels/cuda/device/async_copy.cuh"

namespace reber::cuda {

/// The image as strips of columns on end, each block marching up `share` rows of that sequence.
struct MarchGrid {
  int strips = 0;
  std::int64_t share = 0;
  std::int64_t blocks = 0;
};

/// How blocks march, as march_grid needs to know it.
struct MarchShape {
  int strip = 0;       ///< columns of a block
  int repeated = 0;    ///< rows that each march reads beyond those that it makes
  int batch = 0;       ///< rows that it takes at a time
  double uneven = 0;   ///< the part of a march by which blocks that start together end apart
  bool whole = false;  ///< marches are a whole number of batches
};

/// at_once: blocks that the device runs at a time. Many short marches even out that blocks end apart, but repeat more
/// rows.
inline MarchGrid march_grid(std::int64_t nx, std::int64_t ny, std::int64_t at_once, const MarchShape& shape) {
  const std::int64_t strips = (nx + shape.strip - 1) / shape.strip, total = strips * ny;
  MarchGrid grid{static_cast<int>(strips), 0, 0};
  double best = 0;
  for (int waves = 1; waves <= 8; ++waves) {
    const std::int64_t share = std::max<std::int64_t>(16, (total + waves * at_once - 1) / (waves * at_once));
    const double cost = (waves + shape.uneven) * static_cast<double>(share + shape.repeated + shape.batch);
    if (waves > 1 && cost >= best) continue;
    best = cost;
    grid.share = share;
  }
  if (shape.whole)
    grid.share = (grid.share + shape.repeated + shape.batch - 1) / shape.batch * shape.batch - shape.repeated;
  grid.blocks = (total + grid.share - 1) / grid.share;
  return grid;
}

#ifdef __CUDACC__

/// Tells the compiler that a value is the same in all lanes of the warp: where it thinks that lanes may part, it uses
/// no uniform registers, through which a multiply-add takes its weight for nothing.
__device__ __forceinline__ int same_in_all(int value) { return __shfl_sync(0xffffffffu, value, 0); }
/// The thread's warp in its block, known to be the same in all lanes.
__device__ __forceinline__ int this_warp() { return same_in_all(static_cast<int>(threadIdx.x >> 5)); }

/// Four pixels of a row (null: none) of which some lie outside the image.
__device__ __forceinline__ void copy_edge(const ConvolveJob& job, const float* row, int x, float* to) {
#pragma unroll 1
  for (int q = 0; q < 4; ++q) {
    const int nx = static_cast<int>(job.in.nx);
    const int at = row == nullptr ? -1 : rules::boundary_index_as<int>(x + q, nx, job.boundary);
    copy4(to + q, at < 0 ? job.in.pixels : row + at, at < 0 ? 0 : 4);
  }
}

/// Row y of the image under the boundary rule; null where there is none. As window_row, in 32 bits.
__device__ __forceinline__ const float* held_row(const RowWindow& window, int y, Boundary boundary) {
  int row = y - static_cast<int>(window.first);
  if (!window.extended) row = rules::boundary_index_as<int>(y, static_cast<int>(window.ny), boundary);
  if (row < 0 || row >= static_cast<int>(window.rows)) return nullptr;
  return window.pixels + row * window.pitch;
}

/// Starts the copies of rows y, y - 1 .. y - Rows + 1 and columns x0 .. x0 + Width - 1 into the stage, row after row.
/// Main: 16-byte groups of a row that whole sets of threads take; the others are dealt out one by one.
template <int Rows, int Width, int Pitch, int Threads, int Main>
__device__ __forceinline__ void stage_rows(const ConvolveJob& job, int y, int x0, float* stage) {
  constexpr int kGroups = Width / 4, kRest = kGroups - Main, kStep = Threads / Main;
  static_assert(Threads % Main == 0 && Rows % kStep == 0 && kRest >= 0);
  const int held = y - static_cast<int>(job.in.first), nx = static_cast<int>(job.in.nx);
  const bool rows_held = held < static_cast<int>(job.in.rows) && held >= Rows - 1;
  const float* top = job.in.pixels + held * job.in.pitch;
  if (rows_held) {
    const int column = threadIdx.x % Main * 4, first = threadIdx.x / Main;
    if (x0 + column >= 0 && x0 + column + 4 <= nx) {
      const float* from = top - first * job.in.pitch + (x0 + column);
#pragma unroll
      for (int r = 0; r < Rows; r += kStep) {
        copy16(stage + (first + r) * Pitch + column, from);
        from -= kStep * job.in.pitch;
      }
    }
#pragma unroll
    for (int i0 = 0; i0 < kRest * Rows; i0 += Threads) {
      const int i = i0 + threadIdx.x, r = i % Rows, c = (Main + i / Rows) * 4, x = x0 + c;
      if (i < kRest * Rows && x >= 0 && x + 4 <= nx) copy16(stage + r * Pitch + c, top - r * job.in.pitch + x);
    }
    if (x0 >= 0 && x0 + Width <= nx) return;
  }
  // What lies outside the image, pixel by pixel: columns [0, left) and [right, end) of the stage, or all of them.
  // Beyond `end` no output needs any.
  const int left = rows_held ? max(-x0, 0) : 0, right = rows_held ? max((nx - x0) / 4 * 4, 0) : 0;
  const int end = min(Width, max(nx - x0 + 4 * kRest, left)), outside = left + max(end - max(right, left), 0);
#pragma unroll 1
  for (int i = threadIdx.x; i < outside * Rows; i += Threads) {
    const int r = i / outside, k = i % outside, c = k < left ? k : max(right, left) + k - left;
    const float* row = rows_held ? top - r * job.in.pitch : held_row(job.in, y - r, job.boundary);
    const int at = row == nullptr ? -1 : rules::boundary_index_as<int>(x0 + c, nx, job.boundary);
    copy4(stage + r * Pitch + c, at < 0 ? job.in.pixels : row + at, at < 0 ? 0 : 4);
  }
}

template <int Columns>
__device__ __forceinline__ void store_columns(float* to, const float (&values)[Columns]) {
  static_assert(Columns == 1 || Columns == 2 || Columns == 4);
  if constexpr (Columns == 4) *reinterpret_cast<float4*>(to) = {values[0], values[1], values[2], values[3]};
  if constexpr (Columns == 2) *reinterpret_cast<float2*>(to) = {values[0], values[1]};
  if constexpr (Columns == 1) *to = values[0];
}

/// Writes row k of `values` to row first + k of a march of `rows` rows, if it exists; rows go up the image, so k to
/// to - k * pitch. columns: those that exist right of `to`. The pitch is a multiple of 8: values beyond the last column
/// fall into the gap between rows.   returns the number of blank (overflown) outputs
template <int Rows, int Columns>
__device__ __forceinline__ unsigned store_rows(float* to, std::int64_t pitch, int first, int rows, int columns,
                                               const float (&values)[Rows][Columns]) {
  // Infinite or NaN if one of the values is, or if products overflow: then each value is looked at.
  float products = 0;
#pragma unroll
  for (int i = 0; i < Rows * Columns; i += 2) {
    const int j = i + 1 < Rows * Columns ? i + 1 : i;
    products = fmaf(values[i / Columns][i % Columns], values[j / Columns][j % Columns], products);
  }
  if (columns <= 0) return 0;
  unsigned blank = 0;
  if (first >= 0 && first + Rows <= rows && isfinite(products)) {
#pragma unroll
    for (int k = 0; k < Rows; ++k, to -= pitch) store_columns<Columns>(to, values[k]);
    return blank;
  }
#pragma unroll
  for (int k = 0; k < Rows; ++k, to -= pitch) {
    if (first + k < 0 || first + k >= rows) continue;
    float stored[Columns];
#pragma unroll
    for (int q = 0; q < Columns; ++q) {
      stored[q] = stored_result(values[k][q]);
      if (q < columns && !isfinite(stored[q])) ++blank;
    }
    store_columns<Columns>(to, stored);
  }
  return blank;
}

/// Part of a strip that a block marches up: `rows` outputs from output row `first` of the job on.
struct MarchPiece {
  int strip = 0, first = 0, rows = 0;
};

/// Calls body(piece) for each strip that the block's share touches.
template <typename Body>
__device__ __forceinline__ void for_each_piece(const MarchGrid& grid, std::int64_t ny, Body body) {
  std::int64_t begin = blockIdx.x * grid.share;
  const std::int64_t end = min(static_cast<long long>(begin + grid.share), static_cast<long long>(grid.strips * ny));
  while (begin < end) {
    const int strip = static_cast<int>(begin / ny), first = static_cast<int>(begin - strip * ny);
    const int rows = static_cast<int>(min(static_cast<long long>(end - begin), static_cast<long long>(ny - first)));
    begin += rows;
    body(MarchPiece{strip, first, rows});
  }
}

#endif

}  // namespace reber::cuda
