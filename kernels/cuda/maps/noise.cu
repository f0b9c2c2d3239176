// SPDX-License-Identifier: BSD-3-Clause
// A block makes a patch: what is no noise is marked in bits, widened along x, then along y. Then a block has a patch
// and one dy, the patch in shared memory, and a thread the products of two rows at one dx. Answers
// core/measure/sources/measured_noise.cpp bit for bit.
#include <cuda_runtime.h>

#include "kernels/cuda/device/early_code.hpp"
#include "kernels/cuda/device/shared_memory.hpp"
#include "kernels/cuda/maps/noise.hpp"

namespace reber::cuda {
namespace {

constexpr int kThreads = 512, kWarps = kThreads / 32;
/// A patch with what may reach into it from both sides.
constexpr int kWideWords = (kNoiseSide + 2 * kMostNoiseGrow) / 32;
/// Floats side by side in a sum of products.
constexpr int kLanes = 16;
/// Zeros behind a row, which products beyond its end take; odd, so that rows of a column lie in different banks.
constexpr int kStride = kNoiseSide + kLanes + 1;
/// Offsets along x whose sums of rows stand side by side.
constexpr int kTogether = 16;

/// Rows of a patch, a bit per pixel.
struct Marks {
  std::uint32_t rows[kNoiseSide][kWideWords];
};

__device__ __forceinline__ bool bit_of(const std::uint32_t* words, int at) { return words[at / 32] >> at % 32 & 1; }

/// Marks pixels [first, last) of a row.
__device__ __forceinline__ void mark(std::uint32_t* row, int first, int last) {
  for (int word = first / 32; word * 32 < last; ++word) {
    const int from = max(first - word * 32, 0), to = min(last - word * 32, 32);
    const std::uint32_t below = to == 32 ? ~0u : (1u << to) - 1;
    atomicOr(row + word, below & ~((1u << from) - 1));
  }
}

/// S/N of the patch, and marks wherever it is too large, or in a run of an island.   x0: the first column of the marks
__device__ void mark_sources(const RowWindow& window, const BackgroundView& background, const NoiseIslands& islands,
                             const NoiseTask& task, const Rect& where, std::int64_t x0, int width, Marks& marks,
                             float* values) {
  const int lane = threadIdx.x & 31;
  for (int k = threadIdx.x / 32; k < task.ny * kWideWords; k += kWarps) {
    const int row = k / kWideWords, word = k % kWideWords, at = word * 32 + lane;
    const std::int64_t y = where.y0 + row, x = x0 + at;
    float snr = 0;
    if (at < width) {
      const MeanRms level = background_at(background, y, x);
      snr = rules::snr(rules::above_background(window_pixel(window, y, x), level.mean, false), level.rms);
      const std::int64_t own = x - where.x0;
      if (own >= 0 && own < task.nx) values[row * kNoiseSide + own] = snr;
    }
    const std::uint32_t marked = __ballot_sync(0xffffffffu, fabsf(snr) > task.limit);
    if (lane == 0) marks.rows[row][word] = marked;
  }
  __syncthreads();  // the words stand
  if (islands.runs == nullptr) return;
  for (int row = threadIdx.x / 32; row < task.ny; row += kWarps) {
    const std::int64_t y = where.y0 + row;
    const std::uint32_t end = islands.piece_begin[(y + 1) * islands.pieces];
    for (std::uint32_t k = islands.piece_begin[y * islands.pieces] + lane; k < end; k += 32) {
      const std::int64_t first = islands.runs[k].x0 - x0, last = islands.runs[k].x1 - x0;
      if (last > 0 && first < width)
        mark(marks.rows[row], first > 0 ? static_cast<int>(first) : 0, last < width ? static_cast<int>(last) : width);
    }
  }
}

/// Word `word` of a row with each mark widened by `grow` pixels to both sides.
__device__ std::uint32_t widened(const std::uint32_t* row, int word, int grow) {
  const auto at = [&](int k) { return k < 0 || k >= kWideWords ? 0u : row[k]; };
  std::uint32_t wide = row[word];
  for (int by = 1; by <= grow; ++by) {
    const int words = by / 32, bits = by % 32;
    wide |= __funnelshift_l(at(word - words - 1), at(word - words), bits);
    wide |= __funnelshift_r(at(word + words), at(word + words + 1), bits);
  }
  return wide;
}

__global__ void __launch_bounds__(kThreads)
    k_noise_patches(RowWindow window, BackgroundView background, NoiseIslands islands, NoiseTask task) {
  __shared__ Marks marks, wide;
  const Rect where = task.patches[blockIdx.x];
  const std::int64_t x0 = where.x0 > task.grow ? where.x0 - task.grow : 0;
  const std::int64_t x1 = where.x0 + task.nx + task.grow < window.nx ? where.x0 + task.nx + task.grow : window.nx;
  float* const values = task.values + static_cast<std::int64_t>(blockIdx.x) * kNoiseSide * kNoiseSide;
  std::uint32_t* const known = task.known + static_cast<std::int64_t>(blockIdx.x) * kNoiseSide * kNoiseWords;
  mark_sources(window, background, islands, task, where, x0, static_cast<int>(x1 - x0), marks, values);
  __syncthreads();  // everything is marked
  for (int k = threadIdx.x; k < task.ny * kWideWords; k += kThreads)
    wide.rows[k / kWideWords][k % kWideWords] = widened(marks.rows[k / kWideWords], k % kWideWords, task.grow);
  __syncthreads();  // rows are widened
  for (int k = threadIdx.x; k < task.ny * kWideWords; k += kThreads) {
    const int row = k / kWideWords, word = k % kWideWords;
    std::uint32_t all = 0;
    for (int v = max(row - task.grow, 0); v <= min(row + task.grow, task.ny - 1); ++v) all |= wide.rows[v][word];
    marks.rows[row][word] = all;
  }
  __syncthreads();  // columns are widened; S/N of all pixels is written
  const int lane = threadIdx.x & 31, offset = static_cast<int>(where.x0 - x0);
  for (int k = threadIdx.x / 32; k < kNoiseSide * kNoiseWords; k += kWarps) {
    const int row = k / kNoiseWords, x = k % kNoiseWords * 32 + lane;
    float* const value = values + row * kNoiseSide + x;
    const bool inside = row < task.ny && x < task.nx;
    const bool noise = inside && !bit_of(marks.rows[row], offset + x) && isfinite(*value);
    if (!noise) *value = 0;
    const std::uint32_t word = __ballot_sync(0xffffffffu, noise);
    if (lane == 0) known[k] = word;
  }
}

/// What a block keeps of its patch.
struct PatchMemory {
  float values[kNoiseSide][kStride];
  std::uint32_t known[kNoiseSide][kNoiseWords];
  float products[kTogether][kNoiseSide];  ///< of the rows of each offset
  std::uint32_t pairs[kTogether][kNoiseSide];
};

/// Sum of products of two rows from these places on; zeros stand behind them.
__device__ float products_of(const float* a, const float* b, int count) {
  float sum[kLanes] = {};
  for (int i = 0; i < count; i += kLanes) {
#pragma unroll
    for (int lane = 0; lane < kLanes; ++lane) sum[lane] += a[i + lane] * b[i + lane];
  }
#pragma unroll
  for (int half = kLanes / 2; half >= 4; half /= 2) {
#pragma unroll
    for (int lane = 0; lane < half; ++lane) sum[lane] += sum[lane + half];
  }
  return (sum[0] + sum[2]) + (sum[1] + sum[3]);
}

/// Pixels known in one row and, `by` to the right, in the other.
__device__ std::uint32_t pairs_of(const std::uint32_t* here, const std::uint32_t* there, int by) {
  const int words = by / 32, bits = by % 32;
  const auto at = [&](int k) { return k < kNoiseWords ? there[k] : 0u; };
  std::uint32_t pairs = 0;
#pragma unroll
  for (int k = 0; k < kNoiseWords; ++k)
    pairs += __popc(here[k] & __funnelshift_r(at(k + words), at(k + words + 1), bits));
  return pairs;
}

__device__ void take_patch(const NoiseTask& task, int patch, PatchMemory& memory) {
  const float* const values = task.values + static_cast<std::int64_t>(patch) * kNoiseSide * kNoiseSide;
  const std::uint32_t* const known = task.known + static_cast<std::int64_t>(patch) * kNoiseSide * kNoiseWords;
  for (int k = threadIdx.x; k < kNoiseSide * kStride; k += kThreads) {
    const int row = k / kStride, x = k % kStride;
    memory.values[row][x] = x < kNoiseSide ? values[row * kNoiseSide + x] : 0.0f;
  }
  for (int k = threadIdx.x; k < kNoiseSide * kNoiseWords; k += kThreads)
    memory.known[k / kNoiseWords][k % kNoiseWords] = known[k];
  __syncthreads();  // the patch is there
}

__global__ void __launch_bounds__(kThreads) k_noise_sums(NoiseTask task) {
  extern __shared__ float noise_memory[];
  PatchMemory& memory = *reinterpret_cast<PatchMemory*>(noise_memory);
  const int side = 2 * task.reach + 1, dy = blockIdx.y, rows = task.ny - dy;
  take_patch(task, blockIdx.x, memory);
  const std::int64_t slots = static_cast<std::int64_t>(task.reach + 1) * side;
  const std::int64_t first_slot = blockIdx.x * slots + static_cast<std::int64_t>(dy) * side;
  for (int first = 0; first < side; first += kTogether) {
    const int offsets = min(kTogether, side - first);
    for (int k = threadIdx.x; k < offsets * kNoiseSide; k += kThreads) {
      const int offset = k / kNoiseSide, y = k % kNoiseSide, dx = first + offset - task.reach;
      if (y >= rows) continue;
      const float *const a = memory.values[y], *const b = memory.values[y + dy];
      memory.products[offset][y] = dx < 0 ? products_of(a - dx, b, task.nx + dx) : products_of(a, b + dx, task.nx - dx);
      memory.pairs[offset][y] = dx < 0 ? pairs_of(memory.known[y + dy], memory.known[y], -dx)
                                       : pairs_of(memory.known[y], memory.known[y + dy], dx);
    }
    __syncthreads();  // the rows' sums are there
    if (threadIdx.x < offsets) {
      double product = 0;
      std::uint32_t pairs = 0;
      for (int y = 0; y < rows; ++y) {
        product += static_cast<double>(memory.products[threadIdx.x][y]);
        pairs += memory.pairs[threadIdx.x][y];
      }
      task.product[first_slot + first + threadIdx.x] = product;
      task.pairs[first_slot + first + threadIdx.x] = pairs;
    }
    __syncthreads();  // they are read
  }
}

__global__ void k_noise_totals(NoiseTask task, std::int64_t slots) {
  const std::int64_t slot = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (slot >= slots) return;
  double product = 0, pairs = 0;
  for (std::int64_t patch = 0; patch < task.count; ++patch) {
    product += task.product[patch * slots + slot];
    pairs += static_cast<double>(task.pairs[patch * slots + slot]);
  }
  task.all_product[slot] = product;
  task.all_pairs[slot] = pairs;
}

const EarlyCode kEarly(k_noise_patches, k_noise_sums, k_noise_totals);

}  // namespace

void sum_noise(cudaStream_t stream, const RowWindow& window, const BackgroundView& background,
               const NoiseIslands& islands, const NoiseTask& task) {
  const auto patches = static_cast<unsigned>(task.count);
  k_noise_patches<<<patches, kThreads, 0, stream>>>(window, background, islands, task);
  check_launch("k_noise_patches", stream);
  allow_shared(k_noise_sums, sizeof(PatchMemory));
  k_noise_sums<<<{patches, static_cast<unsigned>(task.reach + 1)}, kThreads, sizeof(PatchMemory), stream>>>(task);
  check_launch("k_noise_sums", stream);
  constexpr unsigned kTotalThreads = 64;
  const std::int64_t slots = static_cast<std::int64_t>(task.reach + 1) * (2 * task.reach + 1);
  k_noise_totals<<<static_cast<unsigned>((slots + kTotalThreads - 1) / kTotalThreads), kTotalThreads, 0, stream>>>(
      task, slots);
  check_launch("k_noise_totals", stream);
}

}  // namespace reber::cuda
