// SPDX-License-Identifier: BSD-3-Clause
// Gather, product and scatter around the transforms. Answers kernels/cpu/convolve/fft.cpp.
#include "kernels/cuda/convolve/fft/fft.hpp"

namespace reber::cuda {
namespace {

constexpr int kThreads = 256;
constexpr int kPairs = 128, kRows = 2;  // a block: 128 pairs of pixels of 2 rows

__global__ void __launch_bounds__(kThreads)
    k_gather_tiles(ConvolveJob job, FftTiles tiles, Shape kernel, std::int64_t first, bool mask, std::int64_t pieces,
                   float* __restrict__ memory) {
  const std::int64_t pair = blockIdx.x % pieces * kPairs + threadIdx.x;
  const std::int64_t row = blockIdx.x / pieces * kRows + threadIdx.y;
  if (pair >= tiles.tx / 2 || row >= tiles.ty) return;
  const std::int64_t tile = first + blockIdx.y;
  const std::int64_t y = job.y0 + tile / tiles.tiles_x * tiles.valid_y - (kernel.ny - 1 - kernel.ny / 2) + row;
  const std::int64_t x = tile % tiles.tiles_x * tiles.valid_x - (kernel.nx - 1 - kernel.nx / 2) + 2 * pair;
  float2 values = {0, 0};
  // Pixels that no output of this job needs stay 0.
  if (y < job.y0 + job.ny + kernel.ny / 2 && x < job.in.nx + kernel.nx / 2) {
    bool blank_seen = false;
    const float* from = window_row(job.in, y, job.boundary);
    const float offset = tiles.offsets != nullptr ? __ldg(tiles.offsets + tile) : 0.0f;
    values.x = convolved(row_value(from, x, job.in.nx, job.boundary), mask, blank_seen) - offset;
    values.y = convolved(row_value(from, x + 1, job.in.nx, job.boundary), mask, blank_seen) - offset;
  }
  float* to = memory + (blockIdx.y * tiles.ty + row) * (tiles.tx + 2) + 2 * pair;
  *reinterpret_cast<float2*>(to) = values;
}

__device__ __forceinline__ float2 product(float2 a, float2 b) {
  return {fmaf(a.x, b.x, -(a.y * b.y)), fmaf(a.x, b.y, a.y * b.x)};
}

/// Each thread multiplies two complex numbers by two of the kernel: ty is even, so a spectrum has an even number.
__global__ void __launch_bounds__(kThreads)
    k_multiply_spectra(std::int64_t pairs, const float4* __restrict__ kernel_spectrum, float4* __restrict__ memory) {
  const std::int64_t at = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (at >= pairs) return;
  const float4 k = __ldg(kernel_spectrum + at);
  float4* to = memory + blockIdx.y * pairs + at;
  const float4 v = *to;
  const float2 a = product({v.x, v.y}, {k.x, k.y}), b = product({v.z, v.w}, {k.z, k.w});
  *to = {a.x, a.y, b.x, b.y};
}

__global__ void __launch_bounds__(kThreads)
    k_scatter_tiles(ConvolveJob job, FftTiles tiles, Shape kernel, std::int64_t first, std::int64_t pieces,
                    const float* __restrict__ memory, float* __restrict__ out, std::int64_t pitch, bool count_blank) {
  const std::int64_t tile = first + blockIdx.y;
  const std::int64_t dx = blockIdx.x % pieces * kThreads + threadIdx.x;
  const std::int64_t dy = blockIdx.x / pieces;
  const std::int64_t y = tile / tiles.tiles_x * tiles.valid_y + dy;  // counted from job.y0
  const std::int64_t x = tile % tiles.tiles_x * tiles.valid_x + dx;
  unsigned blank = 0;
  if (dx < tiles.valid_x && y < job.ny && x < job.in.nx) {
    float value = memory[(blockIdx.y * tiles.ty + kernel.ny - 1 + dy) * (tiles.tx + 2) + kernel.nx - 1 + dx];
    if (tiles.offsets != nullptr) value += __ldg(tiles.offsets + tile) * tiles.sum;
    if (count_blank) value = stored_result(value);
    out[y * pitch + x] = value;
    blank = isfinite(value) ? 0 : 1;
  }
  if (count_blank) count_warp(blank, job.blank);
}

__global__ void __launch_bounds__(kThreads) k_divide_by_weights(ConvolveJob job, const float* __restrict__ weights,
                                                                std::int64_t pitch, float noise, std::int64_t pieces) {
  const std::int64_t y = blockIdx.x / pieces;
  const std::int64_t x = blockIdx.x % pieces * kThreads + threadIdx.x;
  unsigned blank = 0;
  if (x < job.in.nx) {
    float* to = job.out + y * job.out_pitch + x;
    const float raw = weights[y * pitch + x];
    const float weight = fabsf(raw) > noise ? raw : 0.0f;
    const float value = stored_result(rules::interpolate_output(*to, weight, job.total, job.min_weight));
    *to = value;
    blank = isfinite(value) ? 0 : 1;
  }
  count_warp(blank, job.blank);
}

}  // namespace

void gather_tiles(cudaStream_t stream, const ConvolveJob& job, const FftTiles& tiles, Shape kernel, std::int64_t first,
                  std::int64_t count, bool mask, float* memory) {
  const std::int64_t pieces = (tiles.tx / 2 + kPairs - 1) / kPairs;
  const dim3 grid(static_cast<unsigned>(pieces * ((tiles.ty + kRows - 1) / kRows)), static_cast<unsigned>(count));
  k_gather_tiles<<<grid, dim3(kPairs, kRows), 0, stream>>>(job, tiles, kernel, first, mask, pieces, memory);
  check_launch("k_gather_tiles", stream);
}

void multiply_spectra(cudaStream_t stream, const FftTiles& tiles, std::int64_t count, const float* kernel_spectrum,
                      float* memory) {
  const std::int64_t pairs = tiles.spectrum() / 2;
  const dim3 grid(static_cast<unsigned>((pairs + kThreads - 1) / kThreads), static_cast<unsigned>(count));
  k_multiply_spectra<<<grid, kThreads, 0, stream>>>(pairs, reinterpret_cast<const float4*>(kernel_spectrum),
                                                    reinterpret_cast<float4*>(memory));
  check_launch("k_multiply_spectra", stream);
}

void scatter_tiles(cudaStream_t stream, const ConvolveJob& job, const FftTiles& tiles, Shape kernel, std::int64_t first,
                   std::int64_t count, const float* memory, float* out, std::int64_t pitch, bool count_blank) {
  const std::int64_t pieces = (tiles.valid_x + kThreads - 1) / kThreads;
  const dim3 grid(static_cast<unsigned>(pieces * tiles.valid_y), static_cast<unsigned>(count));
  k_scatter_tiles<<<grid, kThreads, 0, stream>>>(job, tiles, kernel, first, pieces, memory, out, pitch, count_blank);
  check_launch("k_scatter_tiles", stream);
}

void divide_by_weights(cudaStream_t stream, const ConvolveJob& job, const float* weights, std::int64_t pitch,
                       float noise) {
  const std::int64_t pieces = (job.in.nx + kThreads - 1) / kThreads;
  k_divide_by_weights<<<static_cast<unsigned>(job.ny * pieces), kThreads, 0, stream>>>(job, weights, pitch, noise,
                                                                                       pieces);
  check_launch("k_divide_by_weights", stream);
}

}  // namespace reber::cuda
