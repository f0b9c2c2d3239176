// SPDX-License-Identifier: BSD-3-Clause
// Threshold to bit masks: the one pass over the pixels that labelling makes.
#include <cuda_runtime.h>

#include <cfloat>
#include <cmath>

#include "kernels/cuda/device/early_code.hpp"
#include "kernels/cuda/islands/mask.hpp"
#include "kernels/shared/float_keys.hpp"

namespace reber::cuda {
namespace {

// A block makes 1024 columns (4 a thread) of 16 rows: the columns' nodes and weights stay in registers, and the nodes
// of a row, already interpolated along y, in shared memory. Four rows at a time, so that four loads per thread are
// under way.
constexpr int kThreads = 256;
constexpr int kColumns = kThreads * 4;
constexpr int kRows = 16;
constexpr int kTogether = 4;
constexpr int kStagers = kThreads / kTogether;  ///< threads that stage one row's nodes
constexpr int kStagedNodes = kColumns + 2;
constexpr unsigned kAll = 0xffffffffu;

/// Four neighbouring columns between the staged nodes of a row. Where cells are at least four columns wide, they lie
/// between three nodes, of which `second` says which two; else every column's nodes are looked up.
struct Columns {
  int nodes[3];
  bool narrow;
  bool second[4];
  float weight[4];
  std::int64_t x;
};

__device__ __forceinline__ Columns columns_at(const BackgroundView& background, std::int64_t x, std::int64_t last_x,
                                              std::int32_t first_node, int staged) {
  Columns columns;
  columns.x = x;
  const std::int32_t node = background.col_node[x <= last_x ? x : last_x];
  std::int32_t last = node;
#pragma unroll
  for (int q = 0; q < 4; ++q) {
    const std::int64_t at = x + q <= last_x ? x + q : last_x;
    last = background.col_node[at];
    columns.second[q] = last != node;
    columns.weight[q] = background.col_weight[at];
  }
  columns.narrow = last - node > 1;
#pragma unroll
  for (int k = 0; k < 3; ++k) columns.nodes[k] = min(node - first_node + k, staged - 1);
  return columns;
}

/// Mean or rms of four pixels: from the map where there is one, else between the staged nodes.
__device__ __forceinline__ void four_values(const BackgroundView& background, const RowWindow& map, std::int64_t y,
                                            std::int64_t last_x, const float* staged, std::int32_t first_node,
                                            const Columns& columns, float (&values)[4]) {
  if (map.pixels != nullptr) {
#pragma unroll
    for (int q = 0; q < 4; ++q)
      values[q] = columns.x + q <= last_x ? window_pixel(map, y, columns.x + q) : rules::blank_value();
  } else if (columns.narrow) {
#pragma unroll
    for (int q = 0; q < 4; ++q) {
      const std::int32_t node = background.col_node[columns.x + q <= last_x ? columns.x + q : last_x];
      values[q] = rules::lerp(staged[node - first_node], staged[next_node(node, background.gnx) - first_node],
                              columns.weight[q]);
    }
  } else {
    const float nodes[3] = {staged[columns.nodes[0]], staged[columns.nodes[1]], staged[columns.nodes[2]]};
#pragma unroll
    for (int q = 0; q < 4; ++q)
      values[q] = rules::lerp(columns.second[q] ? nodes[1] : nodes[0], columns.second[q] ? nodes[2] : nodes[1],
                              columns.weight[q]);
  }
}

/// Four bits of each of eight lanes become a word in each of them.
__device__ __forceinline__ std::uint32_t join_nibbles(unsigned nibble) {
  std::uint32_t word = nibble << (4 * (threadIdx.x & 7));
  for (int step = 1; step < 8; step *= 2) word |= __shfl_xor_sync(kAll, word, step);
  return word;
}

/// Limits of S/N.
struct Limits {
  float flood, seed;
};

/// Interpolates the nodes of rows y, y + 1, ... along y, for the columns of a block.
__device__ __forceinline__ void stage_nodes(const BackgroundView& background, std::int64_t y, std::int64_t end_y,
                                            std::int32_t first_node, int nodes,
                                            float (&mean_lines)[kTogether][kStagedNodes],
                                            float (&rms_lines)[kTogether][kStagedNodes]) {
  const int line = threadIdx.x / kStagers;
  const std::int64_t row = y + line;
  if (row >= end_y) return;
  const std::int64_t above = background.row_node[row], below = next_node(background.row_node[row], background.gny);
  const float weight = background.row_weight[row];
  for (int n = threadIdx.x % kStagers; n < nodes; n += kStagers) {
    const std::int64_t at = above * background.gnx + first_node + n;
    const std::int64_t under = below * background.gnx + first_node + n;
    if (background.mean_map.pixels == nullptr)
      mean_lines[line][n] = rules::lerp(background.mean_nodes[at], background.mean_nodes[under], weight);
    if (background.rms_map.pixels == nullptr)
      rms_lines[line][n] = rules::lerp(background.rms_nodes[at], background.rms_nodes[under], weight);
  }
}

__device__ __forceinline__ float4 load_four(const float* row, std::int64_t x, std::int64_t nx) {
  if (x + 3 < nx) return __ldg(reinterpret_cast<const float4*>(row + x));
  const float blank = rules::blank_value();
  return {x < nx ? row[x] : blank, x + 1 < nx ? row[x + 1] : blank, x + 2 < nx ? row[x + 2] : blank, blank};
}

/// Bits of four pixels: S/N above the flood limit in the lower four, above the seed limit in the next four. The
/// quotient decides, but nearly everywhere the sign of above - limit x rms tells what it would say: one rounding of it
/// and one of the quotient are less than kClose of `above`; kLeast keeps away from quotients that could underflow.
template <bool Negative>
__device__ __forceinline__ unsigned threshold_four(const float4& four, const float (&mean)[4], const float (&rms)[4],
                                                   const Limits& limits) {
  constexpr float kClose = 4e-7f, kLeast = 1e-30f, kMostRms = 1e7f;
  const float pixels[4] = {four.x, four.y, four.z, four.w};
  unsigned bits = 0;
  bool unclear = false;
#pragma unroll
  for (int q = 0; q < 4; ++q) {
    const float above = rules::above_background(pixels[q], mean[q], Negative);
    const float flood = fmaf(-limits.flood, rms[q], above), seed = fmaf(-limits.seed, rms[q], above);
    if (flood > 0) bits |= 1u << q;
    if (seed > 0) bits |= 16u << q;
    unclear |=
        fminf(fabsf(flood), fabsf(seed)) <= fmaf(kClose, fabsf(above), kLeast) || !(rms[q] > 0 && rms[q] <= kMostRms);
  }
  if (!unclear) return bits;
  bits = 0;
#pragma unroll
  for (int q = 0; q < 4; ++q) {
    const float ratio = rules::snr(rules::above_background(pixels[q], mean[q], Negative), rms[q]);
    bits |= (ratio > limits.flood ? 1u << q : 0u) | (ratio > limits.seed ? 16u << q : 0u);
  }
  return bits;
}

template <bool Negative>
__global__ void __launch_bounds__(kThreads)
    k_threshold_mask(RowWindow window, BackgroundView background, std::int64_t y0, std::int64_t ny, std::int64_t pieces,
                     Limits limits, BitMask flood, BitMask seed) {
  __shared__ float mean_lines[kTogether][kStagedNodes], rms_lines[kTogether][kStagedNodes];
  const std::int64_t nx = window.nx;
  const std::int64_t block_x = blockIdx.x % pieces * kColumns;
  const std::int64_t x = block_x + threadIdx.x * 4;
  const std::int64_t first_y = y0 + blockIdx.x / pieces * kRows;
  const std::int64_t end_y = min(static_cast<long long>(first_y + kRows), static_cast<long long>(y0 + ny));
  const std::int64_t last_x = min(static_cast<long long>(block_x + kColumns), static_cast<long long>(nx)) - 1;
  const std::int32_t first_node = background.col_node[block_x];
  const int nodes = next_node(background.col_node[last_x], background.gnx) - first_node + 1;
  const Columns columns = columns_at(background, x, last_x, first_node, nodes);
  for (std::int64_t y = first_y; y < end_y; y += kTogether) {
    float4 four[kTogether];
#pragma unroll
    for (int line = 0; line < kTogether; ++line)
      if (y + line < end_y) four[line] = load_four(window.pixels + (y + line - window.first) * window.pitch, x, nx);
    stage_nodes(background, y, end_y, first_node, nodes, mean_lines, rms_lines);
    __syncthreads();  // the rows' nodes are staged
#pragma unroll
    for (int line = 0; line < kTogether; ++line) {
      if (y + line >= end_y) break;
      float mean[4], rms[4];
      four_values(background, background.mean_map, y + line, last_x, mean_lines[line], first_node, columns, mean);
      four_values(background, background.rms_map, y + line, last_x, rms_lines[line], first_node, columns, rms);
      const unsigned bits = threshold_four<Negative>(four[line], mean, rms, limits);
      const std::uint32_t flood_word = join_nibbles(bits & 15u), seed_word = join_nibbles(bits >> 4);
      if ((threadIdx.x & 7) == 0 && x < nx) {
        flood.bits[(y + line) * flood.words + x / 32] = flood_word;
        seed.bits[(y + line) * seed.words + x / 32] = seed_word;
      }
    }
    __syncthreads();  // the staged nodes are about to be overwritten
  }
}

/// Pixels from these on, or where `negative` up to these, exceed a limit above a constant background.
struct Bounds {
  float flood, seed;
};

/// S/N rises with the pixel, or falls where `negative`: the first float to exceed the limit is found by halving.
float bound_of(float limit, float mean, float rms, bool negative) {
  const auto exceeds = [&](std::uint32_t step) {  // 0: the float least likely to
    const std::uint32_t key = negative ? rules::key_of(FLT_MAX) - step : rules::key_of(-FLT_MAX) + step;
    return rules::snr(rules::above_background(rules::value_of(key), mean, negative), rms) > limit;
  };
  const std::uint32_t steps = rules::key_of(FLT_MAX) - rules::key_of(-FLT_MAX);
  if (!exceeds(steps)) return negative ? -HUGE_VALF : HUGE_VALF;
  std::uint32_t below = 0, above = steps;
  if (exceeds(0)) above = 0;
  while (above - below > 1) {
    const std::uint32_t middle = below + (above - below) / 2;
    (exceeds(middle) ? above : below) = middle;
  }
  return rules::value_of(negative ? rules::key_of(FLT_MAX) - above : rules::key_of(-FLT_MAX) + above);
}

/// A warp 1024 columns of a row; lane l keeps the l-th word.
__global__ void __launch_bounds__(kThreads)
    k_threshold_constant(RowWindow window, std::int64_t y0, std::int64_t ny, std::int64_t pieces, Bounds bounds,
                         bool negative, BitMask flood, BitMask seed) {
  const std::int64_t task = (static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x) / 32;
  const int lane = threadIdx.x & 31;
  const std::int64_t y = y0 + task / pieces, x0 = task % pieces * 1024;
  if (y >= y0 + ny) return;
  const float* row = window.pixels + (y - window.first) * window.pitch;
  const float sign = negative ? -1.0f : 1.0f;
  const float flood_bound = sign * bounds.flood, seed_bound = sign * bounds.seed;
  std::uint32_t flood_word = 0, seed_word = 0;
  constexpr int kAhead = 8;
  for (int first = 0; first < 32; first += kAhead) {
    float pixels[kAhead];
#pragma unroll
    for (int k = 0; k < kAhead; ++k) {
      const std::int64_t x = x0 + (first + k) * 32 + lane;
      pixels[k] = x < window.nx ? __ldg(row + x) : rules::blank_value();
    }
#pragma unroll
    for (int k = 0; k < kAhead; ++k) {
      const std::uint32_t flood_bits = __ballot_sync(kAll, sign * pixels[k] >= flood_bound);
      const std::uint32_t seed_bits = __ballot_sync(kAll, sign * pixels[k] >= seed_bound);
      if (lane == first + k) {
        flood_word = flood_bits;
        seed_word = seed_bits;
      }
    }
  }
  const std::int64_t word = x0 / 32 + lane;
  if (word >= flood.words) return;
  flood.bits[y * flood.words + word] = flood_word;
  seed.bits[y * seed.words + word] = seed_word;
}

const EarlyCode kEarly(k_threshold_mask<false>);

}  // namespace

void threshold_mask(cudaStream_t stream, const RowWindow& window, const BackgroundView& background, std::int64_t y0,
                    std::int64_t ny, const DetectOptions& options, BitMask flood, BitMask seed) {
  const Limits limits{static_cast<float>(options.flood), static_cast<float>(options.seed)};
  if (background.constant) {
    const float mean = background.constant_mean, rms = background.constant_rms;
    const Bounds bounds{bound_of(limits.flood, mean, rms, options.negative),
                        bound_of(limits.seed, mean, rms, options.negative)};
    const std::int64_t pieces = (window.nx + 1023) / 1024, warps = ny * pieces;
    k_threshold_constant<<<static_cast<unsigned>((warps * 32 + kThreads - 1) / kThreads), kThreads, 0, stream>>>(
        window, y0, ny, pieces, bounds, options.negative, flood, seed);
    check_launch("k_threshold_constant", stream);
    return;
  }
  const std::int64_t pieces = (window.nx + kColumns - 1) / kColumns;
  const std::int64_t blocks = pieces * ((ny + kRows - 1) / kRows);
  const auto kernel = options.negative ? k_threshold_mask<true> : k_threshold_mask<false>;
  kernel<<<static_cast<unsigned>(blocks), kThreads, 0, stream>>>(window, background, y0, ny, pieces, limits, flood,
                                                                 seed);
  check_launch("k_threshold_mask", stream);
}

}  // namespace reber::cuda
