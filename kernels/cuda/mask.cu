// SPDX-License-Identifier: BSD-3-Clause
// Threshold to bit masks: the one pass over the pixels that labelling makes.
#include <cuda_runtime.h>

#include "kernels/cuda/label.hpp"

namespace reber::cuda {
namespace {

// A block makes 1024 columns (4 a thread) of 16 rows: the columns' nodes and weights stay in registers, and the nodes
// of a row, already interpolated along y, in shared memory.
constexpr int kThreads = 256;
constexpr int kColumns = kThreads * 4;
constexpr int kRows = 16;
constexpr int kStagedNodes = kColumns + 2;
constexpr unsigned kAll = 0xffffffffu;

struct Column {
  int node;  ///< in the staged part of the row
  int next;
  float weight;
};

/// Mean or rms of four pixels: from the map where there is one, else between the staged nodes.
__device__ __forceinline__ void four_values(const RowWindow& map, std::int64_t y, std::int64_t x, std::int64_t nx,
                                            const float* staged, const Column (&columns)[4], float (&values)[4]) {
#pragma unroll
  for (int q = 0; q < 4; ++q) {
    if (map.pixels != nullptr) {
      values[q] = x + q < nx ? window_pixel(map, y, x + q) : rules::blank_value();
    } else {
      values[q] = rules::lerp(staged[columns[q].node], staged[columns[q].next], columns[q].weight);
    }
  }
}

/// Four bits of each of eight lanes become a word in each of them.
__device__ __forceinline__ std::uint32_t join_nibbles(unsigned nibble) {
  std::uint32_t word = nibble << (4 * (threadIdx.x & 7));
  for (int step = 1; step < 8; step *= 2) word |= __shfl_xor_sync(kAll, word, step);
  return word;
}

__global__ void __launch_bounds__(kThreads)
    k_threshold_mask(RowWindow window, BackgroundView background, std::int64_t y0, std::int64_t ny, std::int64_t pieces,
                     float flood_limit, float seed_limit, bool negative, BitMask flood, BitMask seed) {
  __shared__ float mean_line[kStagedNodes], rms_line[kStagedNodes];
  const std::int64_t nx = window.nx;
  const std::int64_t block_x = blockIdx.x % pieces * kColumns;
  const std::int64_t x = block_x + threadIdx.x * 4;
  const std::int64_t first_y = y0 + blockIdx.x / pieces * kRows;
  const std::int64_t end_y = min(static_cast<long long>(first_y + kRows), static_cast<long long>(y0 + ny));
  const std::int64_t last_x = min(static_cast<long long>(block_x + kColumns), static_cast<long long>(nx)) - 1;
  const std::int32_t first_node = background.col_node[block_x];
  const int nodes = next_node(background.col_node[last_x], background.gnx) - first_node + 1;
  Column columns[4];
#pragma unroll
  for (int q = 0; q < 4; ++q) {
    const std::int64_t at = x + q < nx ? x + q : last_x;
    const std::int32_t node = background.col_node[at];
    columns[q] = {node - first_node, next_node(node, background.gnx) - first_node, background.col_weight[at]};
  }
  for (std::int64_t y = first_y; y < end_y; ++y) {
    const std::int64_t above = background.row_node[y], below = next_node(background.row_node[y], background.gny);
    const float weight = background.row_weight[y];
    for (int n = threadIdx.x; n < nodes; n += kThreads) {
      const std::int64_t at = above * background.gnx + first_node + n;
      const std::int64_t under = below * background.gnx + first_node + n;
      if (background.mean_map.pixels == nullptr)
        mean_line[n] = rules::lerp(background.mean_nodes[at], background.mean_nodes[under], weight);
      if (background.rms_map.pixels == nullptr)
        rms_line[n] = rules::lerp(background.rms_nodes[at], background.rms_nodes[under], weight);
    }
    __syncthreads();  // the row's nodes are staged
    float mean[4], rms[4];
    four_values(background.mean_map, y, x, nx, mean_line, columns, mean);
    four_values(background.rms_map, y, x, nx, rms_line, columns, rms);
    const float* row = window.pixels + (y - window.first) * window.pitch;
    float pixels[4];
    if (x + 3 < nx) {
      const float4 four = __ldg(reinterpret_cast<const float4*>(row + x));
      pixels[0] = four.x, pixels[1] = four.y, pixels[2] = four.z, pixels[3] = four.w;
    } else {
#pragma unroll
      for (int q = 0; q < 4; ++q) pixels[q] = x + q < nx ? row[x + q] : rules::blank_value();
    }
    unsigned flood_bits = 0, seed_bits = 0;
#pragma unroll
    for (int q = 0; q < 4; ++q) {
      const float ratio = rules::snr(rules::above_background(pixels[q], mean[q], negative), rms[q]);
      flood_bits |= (ratio > flood_limit ? 1u : 0u) << q;
      seed_bits |= (ratio > seed_limit ? 1u : 0u) << q;
    }
    const std::uint32_t flood_word = join_nibbles(flood_bits), seed_word = join_nibbles(seed_bits);
    if ((threadIdx.x & 7) == 0 && x < nx) {
      flood.bits[y * flood.words + x / 32] = flood_word;
      seed.bits[y * seed.words + x / 32] = seed_word;
    }
    __syncthreads();  // the staged nodes are about to be overwritten
  }
}

}  // namespace

void threshold_mask(cudaStream_t stream, const RowWindow& window, const BackgroundView& background, std::int64_t y0,
                    std::int64_t ny, const DetectOptions& options, BitMask flood, BitMask seed) {
  const std::int64_t pieces = (window.nx + kColumns - 1) / kColumns;
  const std::int64_t blocks = pieces * ((ny + kRows - 1) / kRows);
  k_threshold_mask<<<static_cast<unsigned>(blocks), kThreads, 0, stream>>>(
      window, background, y0, ny, pieces, static_cast<float>(options.flood), static_cast<float>(options.seed),
      options.negative, flood, seed);
  check_launch("k_threshold_mask", stream);
}

}  // namespace reber::cuda
