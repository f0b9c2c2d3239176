// SPDX-License-Identifier: BSD-3-Clause
// Around a convolution: the footprint of blank pixels that blanks an output, the last pass that applies it, and the
// factor that brings extreme images into the range of an FFT.
#include <cuda_runtime.h>

#include "kernels/cuda/convolve/common/blanks.hpp"
#include "kernels/cuda/convolve/common/convolver.hpp"

namespace reber::cuda {
namespace {

constexpr int kThreads = 256;
// Outputs that one thread makes from one sliding count.
constexpr int kSlide = 64;

/// Byte f, x: whether image row first + f holds a blank pixel within the kernel's reach of column x.
__global__ void __launch_bounds__(kThreads)
    k_spread_rows(ConvolveJob job, std::int64_t taps, std::int64_t first, std::int64_t rows, std::int64_t slides,
                  std::uint8_t* __restrict__ spread, std::int64_t pitch) {
  const std::int64_t task = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  const std::int64_t f = task / slides, x0 = task % slides * kSlide;
  if (f >= rows) return;
  const float* row = window_row(job.in, first + f, job.boundary);
  const std::int64_t right = taps / 2, left = taps - 1 - right;
  const auto blank = [&](std::int64_t x) { return isfinite(row_value(row, x, job.in.nx, job.boundary)) ? 0 : 1; };
  std::int64_t count = 0;
  for (std::int64_t x = x0 - left; x < x0 + right; ++x) count += blank(x);
  const std::int64_t end = min(static_cast<long long>(x0 + kSlide), static_cast<long long>(job.in.nx));
  for (std::int64_t x = x0; x < end; ++x) {
    count += blank(x + right);
    spread[f * pitch + x] = count > 0 ? 1 : 0;
    count -= blank(x - left);
  }
}

/// The same along y: byte y, x is set where rows y .. y + taps - 1 of `spread` hold one.
__global__ void __launch_bounds__(kThreads)
    k_spread_columns(const std::uint8_t* __restrict__ spread, std::int64_t taps, std::int64_t ny, std::int64_t nx,
                     std::int64_t pitch, std::int64_t pieces, std::uint8_t* __restrict__ footprint) {
  const std::int64_t y0 = blockIdx.x / pieces * kSlide;
  const std::int64_t x = blockIdx.x % pieces * kThreads + threadIdx.x;
  if (x >= nx) return;
  std::int64_t count = 0;
  for (std::int64_t f = y0; f < y0 + taps - 1; ++f) count += spread[f * pitch + x];
  const std::int64_t end = min(static_cast<long long>(y0 + kSlide), static_cast<long long>(ny));
  for (std::int64_t y = y0; y < end; ++y) {
    count += spread[(y + taps - 1) * pitch + x];
    footprint[y * pitch + x] = count > 0 ? 1 : 0;
    count -= spread[y * pitch + x];
  }
}

__global__ void __launch_bounds__(kThreads) k_blank_output(ConvolveJob job, const std::uint8_t* __restrict__ footprint,
                                                           std::int64_t pitch, bool keep, std::int64_t pieces) {
  const std::int64_t y = blockIdx.x / pieces;
  const std::int64_t x = blockIdx.x % pieces * kThreads + threadIdx.x;
  unsigned count = 0;
  if (x < job.in.nx) {
    float* to = job.out + y * job.out_pitch + x;
    const bool blank = (footprint != nullptr && footprint[y * pitch + x] != 0) ||
                       (keep && !isfinite(window_pixel(job.in, job.y0 + y, x)));
    if (blank) *to = rules::blank_value();
    count = blank || !isfinite(*to) ? 1 : 0;
  }
  count_warp(count, job.blank);
}

__global__ void __launch_bounds__(kThreads)
    k_scale_rows(RowWindow window, float factor, std::int64_t pieces, float* __restrict__ out) {
  const std::int64_t at = blockIdx.x / pieces * window.pitch;
  const std::int64_t x = blockIdx.x % pieces * kThreads + threadIdx.x;
  if (x < window.nx) out[at + x] = window.pixels[at + x] * factor;
}

__global__ void __launch_bounds__(kThreads) k_scale_output(ConvolveJob job, float factor, std::int64_t pieces) {
  const std::int64_t y = blockIdx.x / pieces;
  const std::int64_t x = blockIdx.x % pieces * kThreads + threadIdx.x;
  unsigned count = 0;
  if (x < job.in.nx) {
    float* to = job.out + y * job.out_pitch + x;
    *to = stored_result(*to * factor);
    count = isfinite(*to) ? 0 : 1;
  }
  count_warp(count, job.blank);
}

}  // namespace

void scale_rows(cudaStream_t stream, const RowWindow& window, float factor, float* out) {
  const std::int64_t pieces = (window.nx + kThreads - 1) / kThreads;
  k_scale_rows<<<static_cast<unsigned>(window.rows * pieces), kThreads, 0, stream>>>(window, factor, pieces, out);
  check_launch("k_scale_rows", stream);
}

void scale_output(cudaStream_t stream, const ConvolveJob& job, float factor) {
  check(cudaMemsetAsync(job.blank, 0, sizeof(*job.blank), stream), "cudaMemsetAsync");
  const std::int64_t pieces = (job.in.nx + kThreads - 1) / kThreads;
  k_scale_output<<<static_cast<unsigned>(job.ny * pieces), kThreads, 0, stream>>>(job, factor, pieces);
  check_launch("k_scale_output", stream);
}

void find_footprint(cudaStream_t stream, const ConvolveJob& job, Shape kernel, std::uint8_t* footprint,
                    std::int64_t pitch) {
  const std::int64_t rows = job.ny + kernel.ny - 1;
  const std::int64_t first = job.y0 - (kernel.ny - 1 - kernel.ny / 2);
  const DeviceBuffer<std::uint8_t> spread(rows * pitch, stream);
  const std::int64_t slides = (job.in.nx + kSlide - 1) / kSlide;
  k_spread_rows<<<static_cast<unsigned>((rows * slides + kThreads - 1) / kThreads), kThreads, 0, stream>>>(
      job, kernel.nx, first, rows, slides, spread.data(), pitch);
  check_launch("k_spread_rows", stream);
  const std::int64_t pieces = (job.in.nx + kThreads - 1) / kThreads;
  k_spread_columns<<<static_cast<unsigned>((job.ny + kSlide - 1) / kSlide * pieces), kThreads, 0, stream>>>(
      spread.data(), kernel.ny, job.ny, job.in.nx, pitch, pieces, footprint);
  check_launch("k_spread_columns", stream);
}

void blank_output(cudaStream_t stream, const ConvolveJob& job, const std::uint8_t* footprint, std::int64_t pitch,
                  bool keep) {
  check(cudaMemsetAsync(job.blank, 0, sizeof(*job.blank), stream), "cudaMemsetAsync");
  const std::int64_t pieces = (job.in.nx + kThreads - 1) / kThreads;
  k_blank_output<<<static_cast<unsigned>(job.ny * pieces), kThreads, 0, stream>>>(job, footprint, pitch, keep, pieces);
  check_launch("k_blank_output", stream);
}

}  // namespace reber::cuda
