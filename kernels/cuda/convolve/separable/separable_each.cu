// SPDX-License-Identifier: BSD-3-Clause
// Two or three separable convolutions of one image without blank pixels, of up to 33 taps each: blocks march up strips
// of columns as in separable_march.cu, and every row that they stage is filtered for each kernel in turn. The sums and
// their order are those of each kernel alone.
#include <cuda_runtime.h>

#include <algorithm>
#include <string>

#include "kernels/cuda/convolve/march/block_rows.cuh"
#include "kernels/cuda/convolve/separable/separable_each.hpp"
#include "kernels/cuda/convolve/separable/separable_filter.cuh"
#include "kernels/cuda/convolve/separable/separable_plain.cuh"
#include "kernels/cuda/device/shared_memory.hpp"

namespace reber::cuda {
namespace {

constexpr int kThreads = 256, kBlocks = 2;
constexpr int kStrip = kThreads;           ///< a thread has one column
constexpr int kBatch = 16, kTogether = 8;  ///< rows of a stage; rows that one reading of the weights serves
constexpr int kMostTaps = 33;
constexpr double kUneven = 0.15;  ///< as MarchShape has it
constexpr int kMiddlePitch = kStrip + 4, kMiddle = kBatch * kMiddlePitch;

/// How taps of a row stand in groups of four: see RingLayout.
template <int Taps>
struct RowGroups {
  static constexpr int front = (3 - Taps / 2) & 3, groups = (front + Taps + 3) / 4, reach = Taps / 2 + front;
};

/// The stage of the largest kernel, which holds what the others need.
template <int Largest>
struct EachStage {
  static constexpr int before = separable::up_to(4 * RowGroups<Largest>::groups - 1 - RowGroups<Largest>::reach, 4);
  static constexpr int width = before + RowGroups<Largest>::reach - 3 + kStrip + 4;
  static constexpr int pitch = separable::up_to(width - 4, 32) + 4;  ///< eight rows fall into different banks
  static constexpr int size = kBatch * pitch;
  using Feed = BlockRows<true, 2, kBatch, width, pitch, kThreads, kStrip / 4>;
  static constexpr int bytes = (2 * size + 2 * kMiddle) * static_cast<int>(sizeof(float));
};

/// One kernel and its output. Zeros pad the taps to the number that it is compiled for.
struct EachScale {
  float row[kMostTaps + 7] = {}, column[kMostTaps + 3] = {};
  int ky = 0, kx = 0;       ///< of the kernel itself
  int down = 0, right = 0;  ///< zeros in front of its taps
  float* out = nullptr;
  unsigned long long* blank = nullptr;
};

struct EachScales {
  EachScale of[kEachMost];
};

/// Filters a stage along x for one kernel: 16 outputs of a row per thread, eight neighbouring lanes in eight rows.
template <int Largest, int Taps>
__device__ __forceinline__ void filter_stage(const float* stage, const EachScale& scale, float* middle) {
  using Groups = RowGroups<Taps>;
  constexpr int kAcross = kStrip / separable::kOutputs;
  constexpr int kFirstTap = EachStage<Largest>::before + Groups::reach - 3;
  const int row = static_cast<int>(threadIdx.x) % 8 + 8 * (static_cast<int>(threadIdx.x) / 8 / kAcross);
  const int column = static_cast<int>(threadIdx.x) / 8 % kAcross * separable::kOutputs;
  float sums[separable::kOutputs] = {};
  separable::filter(scale.row, Groups::groups, Groups::front,
                    separable::RowPixels{stage + row * EachStage<Largest>::pitch + column + kFirstTap}, sums);
  auto* out = reinterpret_cast<float4*>(middle + row * kMiddlePitch + column);
#pragma unroll
  for (int q = 0; q < separable::kOutputs / 4; ++q)
    out[q] = {sums[4 * q], sums[4 * q + 1], sums[4 * q + 2], sums[4 * q + 3]};
}

/// Adds filtered rows, read upwards, to the outputs in the making. making[k]: the output that has had taps 0 to k.
/// done[k]: the one that is complete with row k.
template <int Taps>
__device__ __forceinline__ void add_rows(const EachScale& scale, const float* rows, float (&making)[Taps - 1],
                                         float (&done)[kTogether][1]) {
  float value[kTogether];
#pragma unroll
  for (int k = 0; k < kTogether; ++k) value[k] = rows[k * kMiddlePitch];
    // Downwards and eight outputs side by side, so that one weight serves several; making[i - 8] becomes making[i].
#pragma unroll
  for (int last = Taps + kTogether - 2; last >= 0; last -= kTogether) {
    float sum[kTogether];
#pragma unroll
    for (int c = 0; c < kTogether; ++c) sum[c] = last - c >= kTogether ? making[last - c - kTogether] : 0.0f;
#pragma unroll
    for (int k = 0; k < kTogether; ++k) {
#pragma unroll
      for (int c = 0; c < kTogether; ++c) {
        const int tap = last - c - kTogether + 1 + k;
        if (tap >= 0 && tap < Taps) sum[c] = fmaf(scale.column[tap], value[k], sum[c]);
      }
    }
#pragma unroll
    for (int c = 0; c < kTogether; ++c) {
      const int i = last - c;
      if (i < 0) continue;
      if (i < Taps - 1)
        making[i] = sum[c];
      else
        done[Taps + kTogether - 2 - i][0] = sum[c];
    }
  }
}

/// What a batch of staged rows adds to one kernel's outputs. t: row of the march that the stage begins with.
/// returns the blank outputs that this thread wrote
template <int Largest, int Taps>
__device__ __forceinline__ unsigned take_batch(const ConvolveJob& job, const MarchPiece& piece, const EachScale& scale,
                                               const float* stage, float* middle, int t, float (&making)[Taps - 1]) {
  filter_stage<Largest, Taps>(stage, scale, middle);
  __syncthreads();  // the middle is there
  const int x = piece.strip * kStrip + static_cast<int>(threadIdx.x), columns = static_cast<int>(job.in.nx) - x;
  const float* rows = middle + threadIdx.x;
  unsigned blank = 0;
#pragma unroll 1
  for (int r = 0; r < kBatch; r += kTogether, rows += kTogether * kMiddlePitch) {
    float done[kTogether][1];
    add_rows<Taps>(scale, rows, making, done);
    const int up = t + r - (Largest / 2 - Taps / 2) - (Taps - 1);  // output row, counted from the lowest
    blank += store_rows(scale.out + (piece.first + piece.rows - 1 - up) * job.out_pitch + x, job.out_pitch, up,
                        piece.rows, columns, done);
  }
  return blank;
}

template <int Taps>
__device__ __forceinline__ unsigned checked(const ConvolveJob& job, const MarchPiece& piece, const EachScale& scale,
                                            unsigned blank) {
  const bool padded = scale.ky < Taps || scale.kx < Taps;
  if (!padded || !__syncthreads_or(blank > 0)) return blank;
  return separable::repeat_plainly<kStrip, kThreads>(
      job, scale.out, piece, piece.strip * kStrip,
      {scale.row + RowGroups<Taps>::front + scale.right, scale.column + scale.down, scale.kx, scale.ky});
}

/// A, B, C: taps of the three kernels, ascending; A is 0 where there are two.
template <int A, int B, int C>
__global__ void __launch_bounds__(kThreads, kBlocks)
    k_march_each(const __grid_constant__ ConvolveJob job, const __grid_constant__ MarchGrid grid,
                 const __grid_constant__ EachScales scales) {
  using Stage = EachStage<C>;
  extern __shared__ float4 march_memory[];
  __shared__ std::uint64_t barriers[2];
  float* middles[2] = {reinterpret_cast<float*>(march_memory), reinterpret_cast<float*>(march_memory) + kMiddle};
  typename Stage::Feed feed(job, middles[0] + 2 * kMiddle, barriers);
  unsigned blank[3] = {};
  for_each_piece(grid, job.ny, [&](const MarchPiece& piece) {
    const int count = piece.rows + C - 1, x0 = piece.strip * kStrip - Stage::before;
    const int top = static_cast<int>(job.y0) + piece.first + piece.rows - 1 + C / 2;
    float a[A > 0 ? A - 1 : 1] = {}, b[B - 1] = {}, c[C - 1] = {};
    unsigned here[3] = {};
    const auto stage_batch = [&](int t, int stage) {
      if (t < count) feed.fetch(stage, top - t, x0);
      close_copies();
    };
    stage_batch(0, 0);
    int now = 0;
#pragma unroll 1
    for (int t = 0; t < count; t += kBatch, now ^= 1) {
      feed.template wait<0>(now);
      __syncthreads();  // this stage is there, the other one and both middles are free
      stage_batch(t + kBatch, now ^ 1);
      const float* stage = feed.stage(now);
      if constexpr (A > 0) here[0] += take_batch<C, A>(job, piece, scales.of[0], stage, middles[0], t, a);
      // The first kernel's middle is free for the third: all threads met once more after they had taken it.
      here[1] += take_batch<C, B>(job, piece, scales.of[1], stage, middles[1], t, b);
      here[2] += take_batch<C, C>(job, piece, scales.of[2], stage, middles[0], t, c);
    }
    __syncthreads();  // stages and middles are free for the next piece
    if constexpr (A > 0) blank[0] += checked<A>(job, piece, scales.of[0], here[0]);
    blank[1] += checked<B>(job, piece, scales.of[1], here[1]);
    blank[2] += checked<C>(job, piece, scales.of[2], here[2]);
  });
#pragma unroll
  for (int k = A > 0 ? 0 : 1; k < 3; ++k) count_warp(blank[k], scales.of[k].blank);
}

// ---- host

using EachKernel = void (*)(ConvolveJob, MarchGrid, EachScales);

struct EachVariant {
  int taps[kEachMost];  ///< ascending; 0: none
  EachKernel kernel;
  int bytes;
};

template <int A, int B, int C>
constexpr EachVariant variant() {
  return {{A, B, C}, k_march_each<A, B, C>, EachStage<C>::bytes};
}

/// The first that fits is taken.
constexpr EachVariant kVariants[] = {variant<9, 17, 33>(), variant<0, 9, 17>(), variant<0, 17, 17>(),
                                     variant<0, 17, 33>()};

template <int Taps>
void place_row(const std::vector<float>& row, EachScale& scale) {
  std::copy(row.begin(), row.end(), scale.row + RowGroups<Taps>::front + scale.right);
}

EachScale scale_of(const SeparablePart& part, int taps) {
  EachScale scale;
  scale.ky = static_cast<int>(part.column->size());
  scale.kx = static_cast<int>(part.row->size());
  scale.down = taps / 2 - scale.ky / 2;
  scale.right = taps / 2 - scale.kx / 2;
  std::copy(part.column->begin(), part.column->end(), scale.column + scale.down);
  if (taps == 9) place_row<9>(*part.row, scale);
  if (taps == 17) place_row<17>(*part.row, scale);
  if (taps == 33) place_row<33>(*part.row, scale);
  scale.out = part.job.out;
  scale.blank = part.job.blank;
  return scale;
}

void launch(cudaStream_t stream, int multiprocessors, const EachVariant& variant,
            std::span<const SeparablePart> parts) {
  const ConvolveJob& job = parts.front().job;
  EachScales scales;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const std::size_t place = kEachMost - parts.size() + k;
    scales.of[place] = scale_of(parts[k], variant.taps[place]);
  }
  allow_shared(variant.kernel, variant.bytes);
  int blocks = 0;
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, variant.kernel, kThreads,
                                                      static_cast<std::size_t>(variant.bytes)),
        "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
  const MarchGrid grid = march_grid(job.in.nx, job.ny, std::int64_t{multiprocessors} * std::max(blocks, 1),
                                    {kStrip, variant.taps[kEachMost - 1] - 1, kBatch, kUneven, true});
  variant.kernel<<<static_cast<unsigned>(grid.blocks), kThreads, static_cast<std::size_t>(variant.bytes), stream>>>(
      job, grid, scales);
  check_launch("k_march_each", stream);
}

int taps_of(const SeparablePart& part) { return static_cast<int>(std::max(part.column->size(), part.row->size())); }

bool fits(const EachVariant& variant, std::span<const SeparablePart> parts) {
  const std::size_t none = static_cast<std::size_t>(std::ranges::count(variant.taps, 0));
  if (parts.size() != kEachMost - none) return false;
  for (std::size_t k = 0; k < parts.size(); ++k)
    if (taps_of(parts[k]) > variant.taps[none + k]) return false;
  return true;
}

}  // namespace

std::size_t convolve_together(cudaStream_t stream, const DeviceInfo& device, std::span<const SeparablePart> parts) {
  for (const EachVariant& variant : kVariants) {
    for (std::size_t count = std::min(parts.size(), kEachMost); count > 1; --count) {
      if (!fits(variant, parts.first(count)) || variant.bytes > device.shared_bytes) continue;
      launch(stream, device.multiprocessors, variant, parts.first(count));
      return count;
    }
  }
  return 0;
}

}  // namespace reber::cuda
