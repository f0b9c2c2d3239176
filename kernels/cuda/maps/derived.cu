// SPDX-License-Identifier: BSD-3-Clause
// Single pixels of planes made of planes.
#include <cuda_runtime.h>

#include "kernels/cuda/maps/derived.hpp"

namespace reber::cuda {
namespace {

constexpr int kThreads = 256;

__global__ void __launch_bounds__(kThreads)
    k_combine_rows(PlaneRule rule, RowWindow a, RowWindow b, std::int64_t y0, std::int64_t pieces,
                   float* __restrict__ out, std::int64_t pitch, unsigned long long* blank) {
  const std::int64_t row = blockIdx.x / pieces;
  const std::int64_t x = blockIdx.x % pieces * kThreads + threadIdx.x;
  unsigned found = 0;
  if (x < a.nx) {
    const float value = rules::combined(rule, window_pixel(a, y0 + row, x), window_pixel(b, y0 + row, x));
    out[row * pitch + x] = value;
    found = isfinite(value) ? 0 : 1;
  }
  count_warp(found, blank);
}

__global__ void __launch_bounds__(kThreads)
    k_magnitude_rows(RowWindow from, std::int64_t y0, std::int64_t pieces, float* __restrict__ out, std::int64_t pitch,
                     unsigned long long* blank) {
  const std::int64_t row = blockIdx.x / pieces;
  const std::int64_t x = blockIdx.x % pieces * kThreads + threadIdx.x;
  unsigned found = 0;
  if (x < from.nx) {
    const float pixel = window_pixel(from, y0 + row, x);
    found = isfinite(pixel) ? 0 : 1;
    out[row * pitch + x] = found == 0 ? -fabsf(pixel) : rules::blank_value();
  }
  count_warp(found, blank);
}

__global__ void __launch_bounds__(kThreads)
    k_every_nth_rows(RowWindow from, std::int64_t n, std::int64_t y0, std::int64_t pieces, std::int64_t nx,
                     float* __restrict__ out, std::int64_t pitch, unsigned long long* blank) {
  const std::int64_t row = blockIdx.x / pieces, first = (n - 1) / 2;
  const std::int64_t x = blockIdx.x % pieces * kThreads + threadIdx.x;
  unsigned found = 0;
  if (x < nx) {
    const float value = window_pixel(from, (y0 + row) * n + first, x * n + first);
    out[row * pitch + x] = value;
    found = isfinite(value) ? 0 : 1;
  }
  count_warp(found, blank);
}

/// One warp per run and row within its reach. Runs write over one another's pixels with the same value.
__global__ void __launch_bounds__(kThreads)
    k_blank_runs(const rules::Run* __restrict__ runs, const std::uint32_t* __restrict__ piece_begin,
                 std::int64_t pieces, std::int64_t grow, Rect where, std::int64_t image_ny, float* out,
                 std::int64_t pitch) {
  const std::int64_t warps = static_cast<std::int64_t>(gridDim.x) * (kThreads / 32);
  const std::int64_t warp = static_cast<std::int64_t>(blockIdx.x) * (kThreads / 32) + threadIdx.x / 32;
  const std::int64_t y1 = where.y0 + where.ny, end = where.x0 + where.nx;
  const std::int64_t first = where.y0 - grow > 0 ? where.y0 - grow : 0;
  const std::int64_t last = y1 + grow < image_ny ? y1 + grow : image_ny;
  const std::int64_t begin = piece_begin[first * pieces], count = piece_begin[last * pieces] - begin,
                     reach = 2 * grow + 1;
  for (std::int64_t k = warp; k < count * reach; k += warps) {
    const rules::Run run = runs[begin + k / reach];
    const std::int64_t row = run.y - grow + k % reach - where.y0;
    if (row < 0 || row >= where.ny) continue;
    const std::int64_t x0 = run.x0 - grow > where.x0 ? run.x0 - grow : where.x0;
    const std::int64_t x1 = run.x1 + grow < end ? run.x1 + grow : end;
    for (std::int64_t x = x0 + (threadIdx.x & 31); x < x1; x += 32)
      out[row * pitch + x - where.x0] = rules::blank_value();
  }
}

}  // namespace

void combine_rows(cudaStream_t stream, PlaneRule rule, const RowWindow& a, const RowWindow& b, std::int64_t y0,
                  std::int64_t ny, float* out, std::int64_t pitch, unsigned long long* blank) {
  const std::int64_t pieces = (a.nx + kThreads - 1) / kThreads;
  k_combine_rows<<<static_cast<unsigned>(ny * pieces), kThreads, 0, stream>>>(rule, a, b, y0, pieces, out, pitch,
                                                                              blank);
  check_launch("k_combine_rows", stream);
}

void magnitude_rows(cudaStream_t stream, const RowWindow& from, std::int64_t y0, std::int64_t ny, float* out,
                    std::int64_t pitch, unsigned long long* blank) {
  const std::int64_t pieces = (from.nx + kThreads - 1) / kThreads;
  k_magnitude_rows<<<static_cast<unsigned>(ny * pieces), kThreads, 0, stream>>>(from, y0, pieces, out, pitch, blank);
  check_launch("k_magnitude_rows", stream);
}

void every_nth_rows(cudaStream_t stream, const RowWindow& from, std::int64_t n, std::int64_t y0, std::int64_t ny,
                    std::int64_t nx, float* out, std::int64_t pitch, unsigned long long* blank) {
  const std::int64_t pieces = (nx + kThreads - 1) / kThreads;
  k_every_nth_rows<<<static_cast<unsigned>(ny * pieces), kThreads, 0, stream>>>(from, n, y0, pieces, nx, out, pitch,
                                                                                blank);
  check_launch("k_every_nth_rows", stream);
}

void blank_runs(cudaStream_t stream, const CudaIslands& islands, std::int64_t grow, const Rect& where, float* out,
                std::int64_t pitch) {
  if (islands.run_count == 0) return;
  const std::int64_t tasks = islands.run_count * (2 * grow + 1);
  const std::int64_t warps = tasks < 65536 ? tasks : 65536;
  const auto blocks = static_cast<unsigned>((warps * 32 + kThreads - 1) / kThreads);
  k_blank_runs<<<blocks, kThreads, 0, stream>>>(islands.runs.data(), islands.piece_begin.data(),
                                                pieces_of(islands.shape().nx), grow, where, islands.shape().ny, out,
                                                pitch);
  check_launch("k_blank_runs", stream);
}

}  // namespace reber::cuda
