// SPDX-License-Identifier: BSD-3-Clause
// Mean, rms and S/N of single pixels.
#include <cuda_runtime.h>

#include "kernels/cuda/device/four_pixels.cuh"
#include "kernels/cuda/maps/render.hpp"

namespace reber::cuda {
namespace {

constexpr int kThreads = 256;
// A block makes 1024 columns (4 a thread) of 16 rows: the columns' nodes and weights stay in registers, and the nodes
// of all rows, already interpolated along y, in shared memory. Four rows at a time, so that four loads per thread are
// under way.
constexpr int kColumns = kThreads * 4;
constexpr int kRows = 16;
constexpr int kTogether = 4;
constexpr int kBlocks = 4;  ///< blocks per multiprocessor
/// Nodes that lie about a block's columns where cells are kWideCell columns apart.
constexpr int kMostNodes = kColumns / kWideCell + 2;

__global__ void __launch_bounds__(kThreads)
    k_render_rows(MapKind kind, RowWindow window, BackgroundView background, std::int64_t y0, std::int64_t pieces,
                  float* __restrict__ out, std::int64_t pitch, unsigned long long* blank) {
  const std::int64_t row = blockIdx.x / pieces;
  const std::int64_t x = blockIdx.x % pieces * kThreads + threadIdx.x;
  unsigned found = 0;
  if (x < window.nx) {
    const MeanRms level = background_at(background, y0 + row, x);
    float value = kind == MapKind::mean ? level.mean : level.rms;
    if (kind == MapKind::snr)
      value = rules::snr(rules::above_background(window_pixel(window, y0 + row, x), level.mean, false), level.rms);
    out[row * pitch + x] = value;
    found = isfinite(value) ? 0 : 1;
  }
  if (blank != nullptr) count_warp(found, blank);
}

/// Mean and rms at the nodes of a block's rows.
struct RowNodes {
  float2 rows[kRows][kMostNodes];
};

/// Interpolates the nodes of `rows` rows from y on along y.
__device__ __forceinline__ void stage_nodes(const BackgroundView& background, std::int64_t y, int rows,
                                            std::int32_t first_node, int nodes, RowNodes& staged) {
  for (int k = threadIdx.x; k < rows * nodes; k += kThreads) {
    const int row = k / nodes, n = k % nodes;
    const std::int32_t node = background.row_node[y + row], next = next_node(node, background.gny);
    const std::int64_t at = static_cast<std::int64_t>(node) * background.gnx + first_node + n;
    const std::int64_t under = static_cast<std::int64_t>(next) * background.gnx + first_node + n;
    const float weight = background.row_weight[y + row];
    staged.rows[row][n] = {rules::lerp(background.mean_nodes[at], background.mean_nodes[under], weight),
                           rules::lerp(background.rms_nodes[at], background.rms_nodes[under], weight)};
  }
}

/// Four columns between the staged nodes: from nodes[0] to nodes[1], or, where `second`, from there to nodes[2].
struct Columns {
  int nodes[3];
  bool second[4];
  float weight[4];
};

__device__ __forceinline__ Columns columns_at(const BackgroundView& background, std::int64_t x, std::int64_t nx,
                                              std::int32_t first_node, int nodes) {
  Columns columns;
  const std::int32_t node = background.col_node[min(static_cast<long long>(x), static_cast<long long>(nx - 1))];
#pragma unroll
  for (int q = 0; q < 4; ++q) {
    const std::int64_t at = min(static_cast<long long>(x + q), static_cast<long long>(nx - 1));
    columns.second[q] = background.col_node[at] != node;
    columns.weight[q] = background.col_weight[at];
  }
#pragma unroll
  for (int k = 0; k < 3; ++k) columns.nodes[k] = min(node - first_node + k, nodes - 1);
  return columns;
}

__device__ __forceinline__ float4 snr_of_four(const float4& pixels, const float2* staged, const Columns& columns) {
  const float2 nodes[3] = {staged[columns.nodes[0]], staged[columns.nodes[1]], staged[columns.nodes[2]]};
  const float four[4] = {pixels.x, pixels.y, pixels.z, pixels.w};
  float values[4];
#pragma unroll
  for (int q = 0; q < 4; ++q) {
    const float2 left = columns.second[q] ? nodes[1] : nodes[0], right = columns.second[q] ? nodes[2] : nodes[1];
    const float mean = rules::lerp(left.x, right.x, columns.weight[q]);
    const float rms = rules::lerp(left.y, right.y, columns.weight[q]);
    values[q] = rules::snr(rules::above_background(four[q], mean, false), rms);
  }
  return {values[0], values[1], values[2], values[3]};
}

/// Writes four pixels, as far as the row goes.   returns how many of them are blank
__device__ __forceinline__ unsigned write_four(float* row, std::int64_t x, std::int64_t nx, const float4& four) {
  const float values[4] = {four.x, four.y, four.z, four.w};
  unsigned blank = 0;
#pragma unroll
  for (int q = 0; q < 4; ++q) blank += x + q < nx && !isfinite(values[q]) ? 1 : 0;
  if (x + 3 < nx) {
    *reinterpret_cast<float4*>(row + x) = four;
    return blank;
  }
#pragma unroll
  for (int q = 0; q < 3; ++q)
    if (x + q < nx) row[x + q] = values[q];
  return blank;
}

/// S/N above a mesh of wide cells.
__global__ void __launch_bounds__(kThreads, kBlocks)
    k_snr_rows(RowWindow window, BackgroundView background, std::int64_t y0, std::int64_t ny, std::int64_t pieces,
               float* __restrict__ out, std::int64_t pitch, unsigned long long* blank) {
  __shared__ RowNodes staged;
  const std::int64_t nx = window.nx;
  const std::int64_t block_x = blockIdx.x % pieces * kColumns, x = block_x + threadIdx.x * 4;
  const std::int64_t first_y = blockIdx.x / pieces * kRows;
  const int rows = static_cast<int>(min(static_cast<long long>(kRows), static_cast<long long>(ny - first_y)));
  const std::int64_t last_x = min(static_cast<long long>(block_x + kColumns), static_cast<long long>(nx)) - 1;
  const std::int32_t first_node = background.col_node[block_x];
  const int nodes = next_node(background.col_node[last_x], background.gnx) - first_node + 1;
  stage_nodes(background, y0 + first_y, rows, first_node, nodes, staged);
  const Columns columns = columns_at(background, x, nx, first_node, nodes);
  __syncthreads();  // the rows' nodes are staged
  const float* from = window.pixels + (y0 + first_y - window.first) * window.pitch;
  float* to = out + first_y * pitch;
  unsigned found = 0;
#pragma unroll 1
  for (int row = 0; row < rows; row += kTogether) {
    float4 four[kTogether];
#pragma unroll
    for (int line = 0; line < kTogether; ++line)
      if (row + line < rows) four[line] = load_four(from + (row + line) * window.pitch, x, nx);
#pragma unroll
    for (int line = 0; line < kTogether; ++line)
      if (row + line < rows)
        found +=
            write_four(to + (row + line) * pitch, x, nx, snr_of_four(four[line], staged.rows[row + line], columns));
  }
  if (blank != nullptr) count_warp(found, blank);
}

}  // namespace

void render_rows(cudaStream_t stream, MapKind kind, const RowWindow& window, const BackgroundView& background,
                 std::int64_t y0, std::int64_t ny, float* out, std::int64_t pitch, unsigned long long* blank) {
  if (kind == MapKind::snr && background.wide_cells) {
    const std::int64_t pieces = (window.nx + kColumns - 1) / kColumns, blocks = pieces * ((ny + kRows - 1) / kRows);
    k_snr_rows<<<static_cast<unsigned>(blocks), kThreads, 0, stream>>>(window, background, y0, ny, pieces, out, pitch,
                                                                       blank);
    check_launch("k_snr_rows", stream);
    return;
  }
  const std::int64_t pieces = (window.nx + kThreads - 1) / kThreads;
  k_render_rows<<<static_cast<unsigned>(ny * pieces), kThreads, 0, stream>>>(kind, window, background, y0, pieces, out,
                                                                             pitch, blank);
  check_launch("k_render_rows", stream);
}

}  // namespace reber::cuda
