// SPDX-License-Identifier: BSD-3-Clause
// A list of the pixels above the flood threshold, and the runs of islands out of it.
#include <cuda_runtime.h>

#include "kernels/cuda/islands/kept_pixels.hpp"

namespace reber::cuda {
namespace {

constexpr int kThreads = 256;
constexpr unsigned kAll = 0xffffffffu;

unsigned blocks_of(std::int64_t threads) { return static_cast<unsigned>((threads + kThreads - 1) / kThreads); }

__device__ std::int64_t warp_index() { return (static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x) / 32; }

/// Lane l has word l of a piece of 1024 pixels; 0 beyond the row.
__device__ std::uint32_t word_of(const BitMask& mask, std::int64_t y, std::int64_t piece) {
  const std::int64_t word = piece * kPieceWords + (threadIdx.x & 31);
  return word < mask.words ? mask.bits[y * mask.words + word] : 0;
}

__device__ std::uint32_t sum_of_warp(std::uint32_t value) {
  for (int half = 16; half > 0; half /= 2) value += __shfl_xor_sync(kAll, value, half);
  return value;
}

/// One warp per piece of a row. The window's columns begin with piece `first`.
__global__ void __launch_bounds__(kThreads)
    k_list_flood(RowWindow window, std::int64_t y0, std::int64_t ny, std::int64_t first, std::int64_t pieces,
                 BitMask flood, FloodList list) {
  const std::int64_t task = warp_index();
  const std::int64_t y = y0 + task / pieces, piece = first + task % pieces;
  if (y >= y0 + ny) return;
  const unsigned lane = threadIdx.x & 31;
  const std::uint32_t word = word_of(flood, y, piece), count = static_cast<std::uint32_t>(__popc(word));
  std::uint32_t before = count;
  for (unsigned step = 1; step < 32; step *= 2) {
    const std::uint32_t left = __shfl_up_sync(kAll, before, step);
    if (lane >= step) before += left;
  }
  const std::uint32_t all = __shfl_sync(kAll, before, 31);
  before -= count;
  if (all == 0) return;
  unsigned long long begin = 0;
  if (lane == 0) begin = atomicAdd(list.total, static_cast<unsigned long long>(all));
  begin = __shfl_sync(kAll, begin, 0);
  if (begin + all > list.room) return;
  if (lane == 0) list.begin[y * list.pieces + piece] = static_cast<std::uint32_t>(begin);
  const float* row = window.pixels + (y - window.first) * window.pitch + (piece - first) * kPiecePixels;
  for (int w = 0; w < kPieceWords; ++w) {
    const std::uint32_t bits = __shfl_sync(kAll, word, w), first = __shfl_sync(kAll, before, w);
    if ((bits >> lane & 1u) != 0)
      list.pixels[begin + first + static_cast<unsigned>(__popc(bits & ((1u << lane) - 1)))] = row[w * 32 + lane];
  }
}

__global__ void __launch_bounds__(kThreads)
    k_lengths_of_runs(const rules::Run* __restrict__ runs, std::int64_t count, std::uint32_t* __restrict__ lengths) {
  const std::int64_t k = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (k < count) lengths[k] = static_cast<std::uint32_t>(runs[k].x1 - runs[k].x0);
}

/// One warp per run. In the piece where it begins its first pixel stands behind those left of it; in the pieces that
/// follow it has all pixels from the first on.
__global__ void __launch_bounds__(kThreads)
    k_pick_runs(const rules::Run* __restrict__ runs, std::int64_t count, std::int64_t pieces, BitMask flood,
                FloodList list, const std::uint32_t* __restrict__ begin, float* __restrict__ pixels) {
  const std::int64_t k = warp_index();
  if (k >= count) return;
  const int lane = static_cast<int>(threadIdx.x & 31);
  const rules::Run run = runs[k];
  const std::int64_t y = run.y, first_piece = run.x0 / kPiecePixels;
  const int bit = run.x0 % kPiecePixels - lane * 32;  // place of the run's start, from this lane's word
  std::uint32_t word = word_of(flood, y, first_piece);
  if (bit <= 0) {
    word = 0;
  } else if (bit < 32) {
    word &= (1u << bit) - 1;
  }
  const std::uint32_t before = sum_of_warp(static_cast<std::uint32_t>(__popc(word)));
  for (std::int32_t x = run.x0 + lane; x < run.x1; x += 32) {
    const std::int64_t piece = x / kPiecePixels;
    const std::uint32_t at = piece == first_piece ? before + static_cast<std::uint32_t>(x - run.x0)
                                                  : static_cast<std::uint32_t>(x % kPiecePixels);
    pixels[begin[k] + static_cast<std::uint32_t>(x - run.x0)] = list.pixels[list.begin[y * pieces + piece] + at];
  }
}

}  // namespace

void list_flood(cudaStream_t stream, const RowWindow& window, std::int64_t y0, std::int64_t ny,
                std::int64_t first_piece, const BitMask& flood, const FloodList& list) {
  const std::int64_t pieces = pieces_of(window.nx);
  k_list_flood<<<blocks_of(ny * pieces * 32), kThreads, 0, stream>>>(window, y0, ny, first_piece, pieces, flood, list);
  check_launch("k_list_flood", stream);
}

void lengths_of_runs(cudaStream_t stream, const CudaIslands& islands, std::uint32_t* lengths) {
  k_lengths_of_runs<<<blocks_of(islands.run_count), kThreads, 0, stream>>>(islands.runs.data(), islands.run_count,
                                                                           lengths);
  check_launch("k_lengths_of_runs", stream);
}

void pick_runs(cudaStream_t stream, const CudaIslands& islands, const BitMask& flood, const FloodList& list,
               const std::uint32_t* begin, float* pixels) {
  k_pick_runs<<<blocks_of(islands.run_count * 32), kThreads, 0, stream>>>(
      islands.runs.data(), islands.run_count, pieces_of(islands.shape().nx), flood, list, begin, pixels);
  check_launch("k_pick_runs", stream);
}

}  // namespace reber::cuda
