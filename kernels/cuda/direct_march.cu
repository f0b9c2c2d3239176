// SPDX-License-Identifier: BSD-3-Clause
// Direct convolution with small square kernels of images without blank pixels: each warp marches up a strip of 128
// columns and keeps the rows of outputs it works on in registers. The same fused multiply-adds in the same order as direct.cu.
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

/// Where the strip meets the image's edge.
__device__ __noinline__ Pixels12 edge_pixels(const float* row, std::int64_t x, std::int64_t nx, Boundary boundary) {
  return {row_values4(row, x - 4, nx, boundary), row_values4(row, x, nx, boundary),
          row_values4(row, x + 4, nx, boundary)};
}

__device__ __forceinline__ Pixels12 pixels_of(const ConvolveJob& job, std::int64_t y, std::int64_t x, bool inner) {
  const std::int64_t held = y - job.in.first;
  const float* row = held >= 0 && held < job.in.rows ? job.in.pixels + held * job.in.pitch
                                                     : window_row(job.in, y, job.boundary);
  if (!inner || row == nullptr) return edge_pixels(row, x, job.in.nx, job.boundary);
  const auto* fours = reinterpret_cast<const float4*>(row + x);
  return {__ldg(fours - 1), __ldg(fours), __ldg(fours + 1)};
}

/// Writes four neighbouring outputs; the blank ones (overflown) among them.
__device__ __forceinline__ unsigned write4(const ConvolveJob& job, std::int64_t y, std::int64_t x,
                                           const float (&sums)[4]) {
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

/// Row n of the march, counted from the bottom, n = Phase modulo Side: adds kernel row i to the output i rows further on.
template <int Side, int Phase>
__device__ __forceinline__ void add_row(const float (&weights)[Side * Side], const Pixels12& pixels,
                                        float (&sums)[Side][4]) {
  const float window[12] = {pixels.left.x,  pixels.left.y,  pixels.left.z,  pixels.left.w,
                            pixels.own.x,   pixels.own.y,   pixels.own.z,   pixels.own.w,
                            pixels.right.x, pixels.right.y, pixels.right.z, pixels.right.w};
#pragma unroll
  for (int i = 0; i < Side; ++i) {
    float(&sum)[4] = sums[(Phase - i + Side) % Side];
#pragma unroll
    for (int j = 0; j < Side; ++j) {
#pragma unroll
      for (int q = 0; q < 4; ++q) {
        const float before = i == 0 && j == 0 ? 0.0f : sum[q];
        sum[q] = fmaf(weights[i * Side + j], window[4 + q + Side / 2 - j], before);
      }
    }
  }
}

/// One warp's march over output rows [y0, y1).
template <int Side>
struct March {
  const MarchArguments<Side>& arguments;
  std::int64_t x, y0, y1;
  bool inner;
  Pixels12 next;
  float sums[Side][4];
  unsigned blank;

  /// Rows n = first + Phase ... first + Side - 1.
  template <int Phase>
  __device__ __forceinline__ void rows(int first) {
    if constexpr (Phase < Side) {
      const ConvolveJob& job = arguments.job;
      const std::int64_t top = y1 - 1 - (first + Phase);  // output row that tap row 0 begins
      if (top + Side - 1 < y0) return;
      const Pixels12 pixels = next;
      if (top + Side - 1 > y0) next = pixels_of(job, top - 1 + Side / 2, x, inner);
      add_row<Side, Phase>(arguments.weights, pixels, sums);
      // Kernel row Side - 1 has just completed the output that was begun Side - 1 rows ago.
      const std::int64_t done = top + Side - 1;
      if (done < y1 && x < job.in.nx) blank += write4(job, done, x, sums[(Phase + 1) % Side]);
      rows<Phase + 1>(first);
    }
  }
};

template <int Side>
__global__ void __launch_bounds__(kThreads) k_convolve_march(const __grid_constant__ MarchArguments<Side> arguments) {
  const ConvolveJob& job = arguments.job;
  const std::int64_t warp = (std::int64_t{blockIdx.x} * kThreads + threadIdx.x) / 32;
  March<Side> march{arguments};
  march.x = warp % arguments.strips * kStrip + (threadIdx.x & 31) * 4;
  march.y0 = job.y0 + warp / arguments.strips * arguments.segment;
  march.y1 = min(static_cast<long long>(march.y0 + arguments.segment), static_cast<long long>(job.y0 + job.ny));
  march.inner = march.x >= 4 && march.x + 8 <= job.in.nx;
  march.blank = 0;
  if (march.y0 < march.y1) {
    march.next = pixels_of(job, march.y1 - 1 + Side / 2, march.x, march.inner);
    const int rows = static_cast<int>(march.y1 - march.y0) + Side - 1;
    for (int n = 0; n < rows; n += Side) march.template rows<0>(n);
  }
  count_warp(march.blank, job.blank);
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
    k_convolve_march<Side><<<static_cast<unsigned>((warps * 32 + kThreads - 1) / kThreads), kThreads, 0, stream>>>(
        arguments);
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
    case 3: return std::make_unique<MarchConvolver<3>>(context, weights, std::move(with_blanks));
    case 5: return std::make_unique<MarchConvolver<5>>(context, weights, std::move(with_blanks));
    case 7: return std::make_unique<MarchConvolver<7>>(context, weights, std::move(with_blanks));
    default: return std::make_unique<MarchConvolver<9>>(context, weights, std::move(with_blanks));
  }
}

}  // namespace reber::cuda
