// SPDX-License-Identifier: BSD-3-Clause
// Separable convolution of images without blank pixels, 10 to 33 taps: each block marches up a strip of columns. A
// batch of rows is filtered along x from one part of shared memory into another; then each thread takes its columns of
// it, whose outputs in the making, one for each tap, stay in registers. The same sums in the same order as
// separable.cu.
#include <cuda_runtime.h>

#include <algorithm>

#include "kernels/cuda/staging.hpp"

namespace reber::cuda {
namespace {

constexpr int up_to(int n, int multiple) { return (n + multiple - 1) / multiple * multiple; }

/// Outputs that a thread makes along x at a time.
constexpr int kRow = 16;

/// One way to run kernels of up to Taps taps. Columns: of a thread. Together: rows that one reading of the column's
/// weights serves. Stages: batches of rows in shared memory. Blocks: a multiprocessor.
template <int Taps, int Threads, int Columns, int Together, int Stages, int Blocks>
struct SeparableMarch {
  static constexpr int taps = Taps, threads = Threads, columns = Columns, together = Together, stages = Stages;
  static constexpr int blocks = Blocks, strip = Threads * Columns, batch = kRow / Columns;
  // Zeros in front of the row's taps put the pixels of each four of them on a multiple of four columns.
  static constexpr int front = (3 - Taps / 2) & 3, row_taps = up_to(front + Taps, 4), column_taps = up_to(Taps, 4);
  static constexpr int reach = Taps / 2 + front;                 ///< columns right of an output that tap 0 reads
  static constexpr int before = up_to(row_taps - 1 - reach, 4);  ///< columns staged left of the first output
  static constexpr int first_tap = before + reach - 3;           ///< staged column of output 0's first four taps
  static constexpr int width = up_to(first_tap + strip + 4, 4);
  static constexpr int pitch = up_to(width - 4, 32) + 4;  ///< 4 modulo 32: eight rows fall into different banks
  static constexpr int middle_pitch = strip + 4;
  static constexpr int middle = batch * middle_pitch, stage = batch * pitch;
  static constexpr int bytes = (middle + Stages * stage) * static_cast<int>(sizeof(float));
};

// H200, 16384 x 16384, in ms, the ring of separable.cu in brackets (bench/NOTES.md): 17 taps 0.66 (0.73), 25 0.74
// (0.93), 33 0.89 (1.07). For fewer and for more the ring is faster.
template <int Taps>
struct SeparablePolicy;
template <>
struct SeparablePolicy<17> : SeparableMarch<17, 128, 2, 4, 2, 5> {};
template <>
struct SeparablePolicy<25> : SeparableMarch<25, 128, 2, 8, 2, 4> {};
template <>
struct SeparablePolicy<33> : SeparableMarch<33, 128, 2, 8, 2, 4> {};

/// A parameter of the kernel, so that weights come through uniform registers: a multiply-add then reads two operands
/// from the register file, which has two banks.
template <class Policy>
struct MarchTaps {
  float row[Policy::row_taps] = {}, column[Policy::column_taps] = {};
  int ky = 0, kx = 0;       ///< of the kernel itself
  int down = 0, right = 0;  ///< zeros in front of its taps
};

__device__ __forceinline__ void put_four(const float* from, float* to) {
  const float4 four = *reinterpret_cast<const float4*>(from);
  to[0] = four.x, to[1] = four.y, to[2] = four.z, to[3] = four.w;
}

/// Four taps. The window turns: what stood at place p stands at p + 4 for the next four taps, so that nothing is moved.
template <int Phase>
__device__ __forceinline__ void four_taps(const float* pixels, const float* weights, float (&window)[kRow + 4],
                                          float (&sums)[kRow]) {
  constexpr int kSize = kRow + 4, kTurn = 4 * kSize - 4 * Phase;
  put_four(pixels - 4 * Phase, &window[kTurn % kSize]);
#pragma unroll
  for (int t = 0; t < 4; ++t) {
#pragma unroll
    for (int q = 0; q < kRow; ++q) sums[q] = fmaf(weights[4 * Phase + t], window[(3 + q - t + kTurn) % kSize], sums[q]);
  }
}

template <int Groups, int Phase = 0>
__device__ __forceinline__ void tap_groups(const float* pixels, const float* weights, float (&window)[kRow + 4],
                                           float (&sums)[kRow]) {
  if constexpr (Phase < Groups) {
    four_taps<Phase>(pixels, weights, window, sums);
    tap_groups<Groups, Phase + 1>(pixels, weights, window, sums);
  }
}

/// Filters a stage along x. Eight neighbouring lanes take eight rows: their 16-byte reads fall into different banks.
template <class Policy>
__device__ __forceinline__ void filter_rows(const float* stage, const MarchTaps<Policy>& taps, float* middle) {
  constexpr int kPhases = (kRow + 4) / 4, kGroups = Policy::row_taps / 4, kAcross = Policy::strip / kRow;
  const int row = threadIdx.x % 8 + 8 * (threadIdx.x / 8 / kAcross), column = threadIdx.x / 8 % kAcross * kRow;
  const float *pixels = stage + row * Policy::pitch + column + Policy::first_tap, *weights = taps.row;
  float window[kRow + 4], sums[kRow] = {};
#pragma unroll
  for (int q = 4; q < kRow + 4; q += 4) put_four(pixels + q, &window[q]);
  constexpr int kTurns = kGroups / kPhases, kLooped = kTurns > 1 ? kTurns : 0;
#pragma unroll 1
  for (int turn = 0; turn < kLooped; ++turn, pixels -= 4 * kPhases, weights += 4 * kPhases)
    tap_groups<kPhases>(pixels, weights, window, sums);
  tap_groups<kGroups - kLooped * kPhases>(pixels, weights, window, sums);
  float* out = middle + row * Policy::middle_pitch + column;
#pragma unroll
  for (int q = 0; q < kRow; q += 4)
    *reinterpret_cast<float4*>(out + q) = {sums[q], sums[q + 1], sums[q + 2], sums[q + 3]};
}

template <int Columns>
__device__ __forceinline__ void read_columns(const float* from, float (&values)[Columns]) {
  if constexpr (Columns == 2) {
    const float2 pair = *reinterpret_cast<const float2*>(from);
    values[0] = pair.x, values[1] = pair.y;
  } else {
    values[0] = *from;
  }
}

/// Adds Rows filtered rows, read upwards, to the outputs in the making. sums[k]: the output that has had taps 0 to k.
/// Each moves up by Rows; done[k]: the output that is complete with row k.
template <class Policy>
__device__ __forceinline__ void add_rows(const MarchTaps<Policy>& taps, const float* rows,
                                         float (&sums)[Policy::taps - 1][Policy::columns],
                                         float (&done)[Policy::together][Policy::columns]) {
  constexpr int kTaps = Policy::taps, kRows = Policy::together, kColumns = Policy::columns;
  constexpr int kChains = 8 / kColumns;  // outputs taken side by side, so that one row's value serves many
  float value[kRows][kColumns];
#pragma unroll
  for (int k = 0; k < kRows; ++k) read_columns(rows + k * Policy::middle_pitch, value[k]);
    // Downwards, so that sums[i - kRows] has not been overwritten when it becomes sums[i].
#pragma unroll
  for (int last = kTaps + kRows - 2; last >= 0; last -= kChains) {
    float sum[kChains][kColumns];
#pragma unroll
    for (int c = 0; c < kChains; ++c) {
#pragma unroll
      for (int q = 0; q < kColumns; ++q) sum[c][q] = last - c >= kRows ? sums[last - c - kRows][q] : 0.0f;
    }
#pragma unroll
    for (int k = 0; k < kRows; ++k) {
#pragma unroll
      for (int c = 0; c < kChains; ++c) {
        const int tap = last - c - kRows + 1 + k;
        if (tap < 0 || tap >= kTaps) continue;
#pragma unroll
        for (int q = 0; q < kColumns; ++q) sum[c][q] = fmaf(taps.column[tap], value[k][q], sum[c][q]);
      }
    }
#pragma unroll
    for (int c = 0; c < kChains; ++c) {
      const int i = last - c;
      if (i < 0) continue;
#pragma unroll
      for (int q = 0; q < kColumns; ++q) {
        if (i < kTaps - 1) {
          sums[i][q] = sum[c][q];
        } else {
          done[kTaps + kRows - 2 - i][q] = sum[c][q];
        }
      }
    }
  }
}

/// Marches up one piece.   returns the blank outputs that this thread wrote
template <class Policy>
__device__ __forceinline__ unsigned march(const ConvolveJob& job, const MarchPiece& piece,
                                          const MarchTaps<Policy>& taps, float* middle, float* stages) {
  constexpr int kTaps = Policy::taps, kBatch = Policy::batch, kTogether = Policy::together;
  constexpr int kAhead = (Policy::stages - 1) * kBatch;
  const int x0 = piece.strip * Policy::strip, x = x0 + static_cast<int>(threadIdx.x) * Policy::columns;
  const int columns = static_cast<int>(job.in.nx) - x;
  const int count = piece.rows + kTaps - 1;  // rows of the image
  const int top = static_cast<int>(job.y0) + piece.first + piece.rows - 1 + kTaps / 2;
  // Where the output goes that row 0 of the march would complete.
  float* to = job.out + (piece.first + piece.rows + kTaps - 2) * job.out_pitch + x;
  float sums[kTaps - 1][Policy::columns] = {};
  unsigned blank = 0;
  int now = 0, next = 0;
#pragma unroll 1
  for (int t = -kAhead; t < count; t += kBatch) {
    if (t >= 0) {
      wait_copies<Policy::stages - 2>();
      __syncthreads();  // this stage is there, the one before it and the middle are free
    }
    if (t + kAhead < count)
      stage_rows<kBatch, Policy::width, Policy::pitch, Policy::threads, Policy::strip / 4>(
          job, top - t - kAhead, x0 - Policy::before, stages + next * Policy::stage);
    close_copies();
    next = next + 1 == Policy::stages ? 0 : next + 1;
    if (t < 0) continue;
    filter_rows<Policy>(stages + now * Policy::stage, taps, middle);
    __syncthreads();  // the middle is there
    now = now + 1 == Policy::stages ? 0 : now + 1;
    const float* rows = middle + threadIdx.x * Policy::columns;
#pragma unroll 1
    for (int r = 0; r < kBatch; r += kTogether, rows += kTogether * Policy::middle_pitch) {
      float done[kTogether][Policy::columns];
      add_rows<Policy>(taps, rows, sums, done);
      blank += store_rows(to, job.out_pitch, t + r - (kTaps - 1), piece.rows, columns, done);
      to -= kTogether * job.out_pitch;
    }
  }
  __syncthreads();  // the stages and the middle are free for the next piece
  return blank;
}

/// A piece tap by tap, for the kernel's own taps alone: where a filtered row overflowed, a zero in front of the taps or
/// behind them would blank outputs that the row does not reach.
template <class Policy>
__device__ __forceinline__ unsigned repeat_plainly(const ConvolveJob& job, const MarchPiece& piece,
                                                   const MarchTaps<Policy>& taps) {
  const float *row_weights = taps.row + Policy::front + taps.right, *column_weights = taps.column + taps.down;
  unsigned blank = 0;
#pragma unroll 1
  for (int i = threadIdx.x; i < piece.rows * Policy::strip; i += Policy::threads) {
    const int x = piece.strip * Policy::strip + i % Policy::strip, out_row = piece.first + i / Policy::strip;
    if (x >= job.in.nx) continue;
    float sum = 0;
#pragma unroll 1
    for (int tap = 0; tap < taps.ky; ++tap) {
      const float* row = held_row(job.in, static_cast<int>(job.y0) + out_row + taps.ky / 2 - tap, job.boundary);
      float along = 0;
#pragma unroll 1
      for (int j = 0; j < taps.kx; ++j)
        along = fmaf(row_weights[j], row_value(row, x + taps.kx / 2 - j, job.in.nx, job.boundary), along);
      sum = fmaf(column_weights[tap], along, sum);
    }
    const float stored = stored_result(sum);
    job.out[out_row * job.out_pitch + x] = stored;
    if (!isfinite(stored)) ++blank;
  }
  return blank;
}

template <class Policy>
__global__ void __launch_bounds__(Policy::threads, Policy::blocks)
    k_march_separable(const __grid_constant__ ConvolveJob job, const __grid_constant__ MarchGrid grid,
                      const __grid_constant__ MarchTaps<Policy> taps) {
  extern __shared__ float4 march_memory[];
  auto* middle = reinterpret_cast<float*>(march_memory);
  unsigned blank = 0;
  const bool padded = taps.ky < Policy::taps || taps.kx < Policy::taps;
  for_each_piece(grid, job.ny, [&](const MarchPiece& piece) {
    unsigned here = march<Policy>(job, piece, taps, middle, middle + Policy::middle);
    if (padded && __syncthreads_or(here > 0)) here = repeat_plainly<Policy>(job, piece, taps);
    blank += here;
  });
  count_warp(blank, job.blank);
}

// ---- host

template <int Taps>
class MarchConvolver final : public Convolver {
 public:
  /// with_blanks: for jobs that are not all_finite.
  MarchConvolver(const Context& context, const std::vector<float>& column, const std::vector<float>& row,
                 std::unique_ptr<Convolver> with_blanks)
      : with_blanks_(std::move(with_blanks)) {
    taps_.ky = static_cast<int>(column.size());
    taps_.kx = static_cast<int>(row.size());
    taps_.down = Taps / 2 - taps_.ky / 2;
    taps_.right = Taps / 2 - taps_.kx / 2;
    std::copy(row.begin(), row.end(), taps_.row + Policy::front + taps_.right);
    std::copy(column.begin(), column.end(), taps_.column + taps_.down);
    int blocks = 0;
    check(cudaFuncSetAttribute(kKernel, cudaFuncAttributeMaxDynamicSharedMemorySize, Policy::bytes),
          "cudaFuncSetAttribute");
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kKernel, Policy::threads, Policy::bytes),
          "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
    at_once_ = std::int64_t{context.device().multiprocessors} * std::max(blocks, 1);
  }

  void run(cudaStream_t stream, const ConvolveJob& job) const override {
    if (!job.all_finite) {
      with_blanks_->run(stream, job);
      return;
    }
    const MarchGrid grid = march_grid(job.in.nx, job.ny, Policy::strip, at_once_, Taps - 1 + Policy::batch);
    kKernel<<<static_cast<unsigned>(grid.blocks), Policy::threads, Policy::bytes, stream>>>(job, grid, taps_);
    check_launch("k_march_separable", stream);
  }

  [[nodiscard]] std::string description() const override {
    return "separable, rows and columns in one march, " + std::to_string(taps_.kx) + " and " +
           std::to_string(taps_.ky) + " taps, made for " + std::to_string(Taps) +
           " (a ring of rows where pixels are blank)";
  }

 private:
  using Policy = SeparablePolicy<Taps>;
  static constexpr auto kKernel = k_march_separable<Policy>;

  std::unique_ptr<Convolver> with_blanks_;
  MarchTaps<Policy> taps_;
  std::int64_t at_once_ = 1;
};

template <int Taps, int... Larger>
std::unique_ptr<Convolver> make_smallest(const Context& context, const std::vector<float>& column,
                                         const std::vector<float>& row, std::unique_ptr<Convolver> with_blanks) {
  if constexpr (sizeof...(Larger) > 0) {
    if (std::max(column.size(), row.size()) > Taps)
      return make_smallest<Larger...>(context, column, row, std::move(with_blanks));
  }
  return std::make_unique<MarchConvolver<Taps>>(context, column, row, std::move(with_blanks));
}

}  // namespace

bool separable_marches(const Context& context, Shape kernel) {
  // 16 taps across, 1 along x cost little more than 16 and 16; beyond that, zeros cost what taps cost.
  const std::int64_t taps = std::max(kernel.ny, kernel.nx);
  return taps > 9 && taps <= 33 && (taps <= 17 || 4 * taps <= 3 * (kernel.ny + kernel.nx)) &&
         context.device().shared_bytes >= SeparablePolicy<33>::bytes;
}

std::unique_ptr<Convolver> make_separable_march(const Context& context, const std::vector<float>& column,
                                                const std::vector<float>& row, std::unique_ptr<Convolver> with_blanks) {
  return make_smallest<17, 25, 33>(context, column, row, std::move(with_blanks));
}

}  // namespace reber::cuda
