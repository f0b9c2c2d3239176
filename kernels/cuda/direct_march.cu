// SPDX-License-Identifier: BSD-3-Clause
// Direct convolution with small square kernels of images without blank pixels: each warp marches up a strip of 128
// columns and keeps the rows of outputs it works on in registers. The same fused multiply-adds in the same order as
// direct.cu.
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/cuda/convolve.hpp"

namespace reber::cuda {
namespace {

constexpr int kThreads = 256;
constexpr int kStrip = 128;      ///< columns of a warp: four a lane
constexpr int kLargestSide = 9;  ///< four columns of halo on each side of a lane's own

template <int Side>
struct MarchArguments {
  ConvolveJob job;
  std::int64_t strips = 0, segment = 0;  ///< strips of a row; rows of a segment
  float weights[Side * Side] = {};
};

/// Twelve pixels of a row: a lane's four columns and four on each side.
struct Pixels12 {
  float4 left, own, right;
};

__device__ __forceinline__ Pixels12 pixels_of(const ConvolveJob& job, int y, int x, bool inner) {
  const std::int64_t held = y - job.in.first;
  const float* row =
      held >= 0 && held < job.in.rows ? job.in.pixels + held * job.in.pitch : window_row(job.in, y, job.boundary);
  if (inner && row != nullptr) {
    const auto* fours = reinterpret_cast<const float4*>(row + x);
    return {__ldg(fours - 1), __ldg(fours), __ldg(fours + 1)};
  }
  return {row_values4(row, x - 4, job.in.nx, job.boundary), row_values4(row, x, job.in.nx, job.boundary),
          row_values4(row, x + 4, job.in.nx, job.boundary)};
}

/// Writes four neighbouring outputs; the blank ones (overflown) among them.
__device__ __forceinline__ unsigned write4(const ConvolveJob& job, int y, int x, const float (&sums)[4]) {
  float values[4];
  unsigned blank = 0;
#pragma unroll
  for (int q = 0; q < 4; ++q) {
    values[q] = stored_result(sums[q]);
    if (x + q < job.in.nx && !isfinite(values[q])) ++blank;
  }
  // The pitch is a multiple of 4: columns beyond nx fall into the gap between rows.
  *reinterpret_cast<float4*>(job.out + (y - job.y0) * job.out_pitch + x) = {values[0], values[1], values[2], values[3]};
  return blank;
}

/// Adds one row of the image to the outputs in the making. sums[k]: the output that has had kernel rows 0 to k. Each
/// moves up by one, and the one that is complete comes back in done.
template <int Side>
__device__ __forceinline__ void add_row(const float (&weights)[Side * Side], const Pixels12& pixels,
                                        float (&sums)[Side - 1][4], float (&done)[4]) {
  const float window[12] = {pixels.left.x,  pixels.left.y,  pixels.left.z,  pixels.left.w,
                            pixels.own.x,   pixels.own.y,   pixels.own.z,   pixels.own.w,
                            pixels.right.x, pixels.right.y, pixels.right.z, pixels.right.w};
#pragma unroll
  for (int i = Side - 1; i >= 0; --i) {
    float sum[4] = {0, 0, 0, 0};
#pragma unroll
    for (int q = 0; q < 4; ++q) {
      if (i > 0) sum[q] = sums[i - 1][q];
    }
#pragma unroll
    for (int j = 0; j < Side; ++j) {
#pragma unroll
      for (int q = 0; q < 4; ++q) sum[q] = fmaf(weights[i * Side + j], window[4 + q + Side / 2 - j], sum[q]);
    }
#pragma unroll
    for (int q = 0; q < 4; ++q) (i == Side - 1 ? done : sums[i])[q] = sum[q];
  }
}

template <int Side>
__global__ void __launch_bounds__(kThreads, Side == 3 ? 4 : 3)
    k_convolve_march(const __grid_constant__ MarchArguments<Side> arguments) {
  const ConvolveJob& job = arguments.job;
  const auto warp = static_cast<unsigned>((blockIdx.x * kThreads + threadIdx.x) / 32);
  const auto strips = static_cast<unsigned>(arguments.strips);
  const int x = static_cast<int>(warp % strips * kStrip + (threadIdx.x & 31) * 4);
  const std::int64_t first = job.y0 + static_cast<std::int64_t>(warp / strips) * arguments.segment;
  const int y0 = static_cast<int>(first), end = static_cast<int>(job.y0 + job.ny);
  const int y1 = first < end ? min(y0 + static_cast<int>(arguments.segment), end) : y0;
  const bool inner = x >= 4 && x + 8 <= job.in.nx;
  unsigned blank = 0;
  if (y0 < y1) {
    float sums[Side - 1][4] = {};
    Pixels12 next = pixels_of(job, y1 - 1 + Side / 2, x, inner);
    // begun: the output that this row gives its first kernel row; the one Side - 1 rows below it is complete then.
    for (int begun = y1 - 1; begun + Side - 1 >= y0; --begun) {
      const Pixels12 pixels = next;
      if (begun + Side - 1 > y0) next = pixels_of(job, begun - 1 + Side / 2, x, inner);
      float done[4];
      add_row<Side>(arguments.weights, pixels, sums, done);
      if (begun + Side - 1 < y1 && x < job.in.nx) blank += write4(job, begun + Side - 1, x, done);
    }
  }
  count_warp(blank, job.blank);
}

template <int Side>
class MarchConvolver final : public Convolver {
 public:
  MarchConvolver(const Context& context, const std::vector<float>& weights, std::unique_ptr<Convolver> with_blanks)
      : with_blanks_(std::move(with_blanks)) {
    std::copy(weights.begin(), weights.end(), arguments_.weights);
    int blocks = 0;
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, k_convolve_march<Side>, kThreads, 0),
          "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
    warps_at_once_ = std::int64_t{context.device().multiprocessors} * std::max(blocks, 1) * (kThreads / 32);
  }

  void run(cudaStream_t stream, const ConvolveJob& job) const override {
    if (!job.all_finite) {
      with_blanks_->run(stream, job);
      return;
    }
    MarchArguments<Side> arguments = arguments_;
    arguments.job = job;
    arguments.strips = (job.in.nx + kStrip - 1) / kStrip;
    arguments.segment = segment_rows(arguments.strips, job.ny);
    const std::int64_t warps = arguments.strips * ((job.ny + arguments.segment - 1) / arguments.segment);
    k_convolve_march<Side>
        <<<static_cast<unsigned>((warps * 32 + kThreads - 1) / kThreads), kThreads, 0, stream>>>(arguments);
    check_launch("k_convolve_march", stream);
  }

  [[nodiscard]] std::string description() const override {
    return "direct, " + std::to_string(Side) + " x " + std::to_string(Side) +
           " weights, strips of 128 columns (tiles where pixels are blank)";
  }

 private:
  /// Long segments repeat fewer rows of halo, short ones fill the card's multiprocessors.
  [[nodiscard]] std::int64_t segment_rows(std::int64_t strips, std::int64_t ny) const {
    std::int64_t best = 16, best_cost = std::numeric_limits<std::int64_t>::max();
    for (std::int64_t rows = 16; rows <= 256; rows += 16) {
      const std::int64_t waves = (strips * ((ny + rows - 1) / rows) + warps_at_once_ - 1) / warps_at_once_;
      const std::int64_t cost = waves * (rows + Side - 1);
      if (cost < best_cost) best = rows, best_cost = cost;
    }
    return best;
  }

  std::unique_ptr<Convolver> with_blanks_;
  MarchArguments<Side> arguments_{};
  std::int64_t warps_at_once_ = 1;
};

}  // namespace

bool direct_marches(Shape kernel) {
  return kernel.ny == kernel.nx && kernel.ny % 2 == 1 && kernel.ny >= 3 && kernel.ny <= kLargestSide;
}

std::unique_ptr<Convolver> make_direct_march(const Context& context, Shape kernel, const std::vector<float>& weights,
                                             std::unique_ptr<Convolver> with_blanks) {
  switch (kernel.ny) {
    case 3:
      return std::make_unique<MarchConvolver<3>>(context, weights, std::move(with_blanks));
    case 5:
      return std::make_unique<MarchConvolver<5>>(context, weights, std::move(with_blanks));
    case 7:
      return std::make_unique<MarchConvolver<7>>(context, weights, std::move(with_blanks));
    default:
      return std::make_unique<MarchConvolver<9>>(context, weights, std::move(with_blanks));
  }
}

}  // namespace reber::cuda
