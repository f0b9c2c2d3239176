// SPDX-License-Identifier: BSD-3-Clause
// Separable convolution of images without blank pixels, up to 129 taps: each block marches up a strip of columns. A
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
  static constexpr int weights = row_taps + column_taps, middle = batch * middle_pitch, stage = batch * pitch;
  static constexpr int bytes = (weights + middle + Stages * stage) * static_cast<int>(sizeof(float));
};

// H200, 16384 x 16384, in ms (bench/NOTES.md): 9 taps 0.64, 17 0.66, 25 0.82, 33 0.99, 65 2.01, 129 3.79. 65 taps
// take 1.85 with 256 threads of one column, whose registers spill. 49 and 97 are as their neighbours.
template <int Taps>
struct SeparablePolicy;
template <>
struct SeparablePolicy<9> : SeparableMarch<9, 128, 2, 8, 2, 5> {};
template <>
struct SeparablePolicy<17> : SeparableMarch<17, 128, 2, 4, 2, 5> {};
template <>
struct SeparablePolicy<25> : SeparableMarch<25, 128, 2, 8, 2, 4> {};
template <>
struct SeparablePolicy<33> : SeparableMarch<33, 128, 2, 8, 2, 4> {};
template <>
struct SeparablePolicy<49> : SeparableMarch<49, 256, 1, 8, 2, 2> {};
template <>
struct SeparablePolicy<65> : SeparableMarch<65, 128, 2, 8, 2, 2> {};
template <>
struct SeparablePolicy<97> : SeparableMarch<97, 256, 1, 16, 2, 1> {};
template <>
struct SeparablePolicy<129> : SeparableMarch<129, 256, 1, 16, 2, 1> {};

struct SeparableWeights {
  const float* row = nullptr;     ///< row_taps of the policy
  const float* column = nullptr;  ///< column_taps
  int ky = 0, kx = 0;             ///< of the kernel itself
  int down = 0, right = 0;        ///< zeros in front of its taps
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
  float taps[4];
  put_four(pixels - 4 * Phase, &window[kTurn % kSize]);
  put_four(weights + 4 * Phase, taps);
#pragma unroll
  for (int t = 0; t < 4; ++t) {
#pragma unroll
    for (int q = 0; q < kRow; ++q) sums[q] = fmaf(taps[t], window[(3 + q - t + kTurn) % kSize], sums[q]);
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
__device__ __forceinline__ void filter_rows(const float* stage, const float* weights, float* middle) {
  constexpr int kPhases = (kRow + 4) / 4, kGroups = Policy::row_taps / 4, kAcross = Policy::strip / kRow;
  const int row = threadIdx.x % 8 + 8 * (threadIdx.x / 8 / kAcross), column = threadIdx.x / 8 % kAcross * kRow;
  const float* pixels = stage + row * Policy::pitch + column + Policy::first_tap;
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
__device__ __forceinline__ void add_rows(const float* weights, const float* rows,
                                         float (&sums)[Policy::taps - 1][Policy::columns],
                                         float (&done)[Policy::together][Policy::columns]) {
  constexpr int kTaps = Policy::taps, kRows = Policy::together, kColumns = Policy::columns;
  constexpr int kChains = 8 / kColumns;  // outputs taken side by side, so that one row's value serves many
  float value[kRows][kColumns], taps[Policy::column_taps];
#pragma unroll
  for (int k = 0; k < kRows; ++k) read_columns(rows + k * Policy::middle_pitch, value[k]);
    // Downwards, so that sums[i - kRows] has not been overwritten when it becomes sums[i].
#pragma unroll
  for (int last = kTaps + kRows - 2; last >= 0; last -= kChains) {
    const int lowest = last - kChains + 1 - kRows + 1;  // tap
#pragma unroll
    for (int t = 0; t < Policy::column_taps; t += 4) {
      const bool first_time = last == kTaps + kRows - 2 || t / 4 < (lowest + kChains) / 4;
      if (t + 4 > lowest && first_time) put_four(weights + t, &taps[t]);
    }
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
        for (int q = 0; q < kColumns; ++q) sum[c][q] = fmaf(taps[tap], value[k][q], sum[c][q]);
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
__device__ __forceinline__ unsigned march(const ConvolveJob& job, const MarchPiece& piece, const float* weights,
                                          float* middle, float* stages) {
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
    filter_rows<Policy>(stages + now * Policy::stage, weights, middle);
    __syncthreads();  // the middle is there
    now = now + 1 == Policy::stages ? 0 : now + 1;
    const float* rows = middle + threadIdx.x * Policy::columns;
#pragma unroll 1
    for (int r = 0; r < kBatch; r += kTogether, rows += kTogether * Policy::middle_pitch) {
      float done[kTogether][Policy::columns];
      add_rows<Policy>(weights + Policy::row_taps, rows, sums, done);
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
                                                   const SeparableWeights& kernel, const float* weights) {
  const float* row_weights = weights + Policy::front + kernel.right;
  const float* column_weights = weights + Policy::row_taps + kernel.down;
  unsigned blank = 0;
#pragma unroll 1
  for (int i = threadIdx.x; i < piece.rows * Policy::strip; i += Policy::threads) {
    const int x = piece.strip * Policy::strip + i % Policy::strip, out_row = piece.first + i / Policy::strip;
    if (x >= job.in.nx) continue;
    float sum = 0;
#pragma unroll 1
    for (int tap = 0; tap < kernel.ky; ++tap) {
      const float* row = held_row(job.in, static_cast<int>(job.y0) + out_row + kernel.ky / 2 - tap, job.boundary);
      float along = 0;
#pragma unroll 1
      for (int j = 0; j < kernel.kx; ++j)
        along = fmaf(row_weights[j], row_value(row, x + kernel.kx / 2 - j, job.in.nx, job.boundary), along);
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
                      const __grid_constant__ SeparableWeights kernel) {
  extern __shared__ float4 march_memory[];
  auto* weights = reinterpret_cast<float*>(march_memory);
  float* middle = weights + Policy::weights;
  for (int i = threadIdx.x; i < Policy::row_taps; i += Policy::threads) weights[i] = kernel.row[i];
  for (int i = threadIdx.x; i < Policy::column_taps; i += Policy::threads)
    weights[Policy::row_taps + i] = kernel.column[i];
  unsigned blank = 0;  // the first barrier of a march covers the weights
  const bool padded = kernel.ky < Policy::taps || kernel.kx < Policy::taps;
  for_each_piece(grid, job.ny, [&](const MarchPiece& piece) {
    unsigned here = march<Policy>(job, piece, weights, middle, middle + Policy::middle);
    if (padded && __syncthreads_or(here > 0)) here = repeat_plainly<Policy>(job, piece, kernel, weights);
    blank += here;
  });
  count_warp(blank, job.blank);
}

// ---- host

template <int Taps>
class MarchConvolver final : public Convolver {
 public:
  /// with_blanks: for jobs that are not all_finite.
  MarchConvolver(Context& context, const std::vector<float>& column, const std::vector<float>& row,
                 std::unique_ptr<Convolver> with_blanks)
      : with_blanks_(std::move(with_blanks)) {
    kernel_.ky = static_cast<int>(column.size());
    kernel_.kx = static_cast<int>(row.size());
    kernel_.down = Taps / 2 - kernel_.ky / 2;
    kernel_.right = Taps / 2 - kernel_.kx / 2;
    std::vector<float> all(static_cast<std::size_t>(Policy::weights), 0.0f);
    std::copy(row.begin(), row.end(), all.begin() + Policy::front + kernel_.right);
    std::copy(column.begin(), column.end(), all.begin() + Policy::row_taps + kernel_.down);
    weights_ = upload_vector(context, all, context.stream());
    context.wait();
    kernel_.row = weights_.data();
    kernel_.column = weights_.data() + Policy::row_taps;
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
    kKernel<<<static_cast<unsigned>(grid.blocks), Policy::threads, Policy::bytes, stream>>>(job, grid, kernel_);
    check_launch("k_march_separable", stream);
  }

  [[nodiscard]] std::string description() const override {
    return "separable, rows and columns in one march, " + std::to_string(kernel_.kx) + " and " +
           std::to_string(kernel_.ky) + " taps, made for " + std::to_string(Taps) +
           " (a ring of rows where pixels are blank)";
  }

 private:
  using Policy = SeparablePolicy<Taps>;
  static constexpr auto kKernel = k_march_separable<Policy>;

  std::unique_ptr<Convolver> with_blanks_;
  DeviceBuffer<float> weights_;
  SeparableWeights kernel_;
  std::int64_t at_once_ = 1;
};

template <int Taps, int... Larger>
std::unique_ptr<Convolver> make_smallest(Context& context, const std::vector<float>& column,
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
  return taps <= 129 && (taps <= 17 || 4 * taps <= 3 * (kernel.ny + kernel.nx)) &&
         context.device().shared_bytes >= SeparablePolicy<9>::bytes &&
         context.device().shared_bytes >= SeparablePolicy<129>::bytes;
}

std::unique_ptr<Convolver> make_separable_march(Context& context, const std::vector<float>& column,
                                                const std::vector<float>& row, std::unique_ptr<Convolver> with_blanks) {
  return make_smallest<9, 17, 25, 33, 49, 65, 97, 129>(context, column, row, std::move(with_blanks));
}

}  // namespace reber::cuda
