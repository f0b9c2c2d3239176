// SPDX-License-Identifier: BSD-3-Clause
// Levels halved, sampled and drawn; the rules are those of core/seam/compute/level_rules.hpp.
#include <cuda_runtime.h>

#include "kernels/cuda/maps/display.hpp"

namespace reber::cuda {
namespace {

constexpr int kThreads = 256;

unsigned blocks_for(std::int64_t threads) { return static_cast<unsigned>((threads + kThreads - 1) / kThreads); }

/// One thread per pixel of the next level; blocks of one row each along x.
__global__ void __launch_bounds__(kThreads)
    k_halve(LevelRows below, std::int64_t nx, std::int64_t pieces, float* __restrict__ mean, float* __restrict__ peak) {
  const std::int64_t y = blockIdx.x / pieces, x = blockIdx.x % pieces * kThreads + threadIdx.x;
  if (x >= nx) return;
  const std::int64_t low = 2 * y * below.pitch + 2 * x;
  const std::int64_t high = 2 * y + 1 < below.ny ? low + below.pitch : low;
  const bool two = 2 * x + 1 < below.nx;
  const float* from = below.mean;
  const float a = from[low], b = two ? from[low + 1] : levels::kBlank, c = from[high],
              d = two ? from[high + 1] : levels::kBlank;
  mean[y * nx + x] = levels::mean_of(a, b, c, d);
  if (below.peak == below.mean) {
    peak[y * nx + x] = levels::peak_of(a, b, c, d);
    return;
  }
  from = below.peak;
  peak[y * nx + x] = levels::peak_of(from[low], two ? from[low + 1] : levels::kBlank, from[high],
                                     two ? from[high + 1] : levels::kBlank);
}

__global__ void __launch_bounds__(kThreads)
    k_gather_sample(LevelRows rows, std::int64_t y0, LevelSample places, std::int64_t first, std::int64_t count,
                    std::int64_t columns, float* __restrict__ out) {
  const std::int64_t at = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (at >= count * columns) return;
  const std::int64_t row = first + at / columns, y = places.first_row() + row * places.step;
  const std::int64_t x = places.first_column(y) + at % columns * places.step;
  out[row * columns + at % columns] = x < rows.nx ? rows.mean[(y - y0) * rows.pitch + x] : levels::kBlank;
}

/// One block per cell.
__global__ void __launch_bounds__(kThreads) k_gather_heights(LevelRows level, std::int64_t cells_x, std::int64_t room_y,
                                                             std::int64_t room_x, float* __restrict__ out) {
  const std::int64_t cell = blockIdx.x;
  const PeakBlend::Samples s = PeakBlend::samples({level.ny, level.nx}, cell / cells_x, cell % cells_x);
  float* const to = out + cell * room_y * room_x;
  for (int k = threadIdx.x; k < room_y * room_x; k += kThreads) {
    const std::int64_t y = s.y0 + k / room_x * s.dy, x = s.x0 + k % room_x * s.dx;
    const std::int64_t at = y * level.pitch + x;
    to[k] = y < s.y1 && x < s.x1 ? level.peak[at] - level.mean[at] : levels::kBlank;
  }
}

__global__ void __launch_bounds__(kThreads)
    k_draw_blend(LevelRows level, const levels::Noise* __restrict__ cells, std::int64_t cells_y, std::int64_t cells_x,
                 Rect where, float* __restrict__ out) {
  const std::int64_t at = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (at >= where.ny * where.nx) return;
  const std::int64_t y = where.y0 + at / where.nx, x = where.x0 + at % where.nx, pixel = y * level.pitch + x;
  const levels::Between v = levels::between(y, level.ny, cells_y), u = levels::between(x, level.nx, cells_x);
  const levels::Noise* const low = cells + v.low * cells_x;
  const levels::Noise* const high = cells + v.high * cells_x;
  out[at] = levels::blended(level.mean[pixel], level.peak[pixel],
                            levels::noise_between(low[u.low], low[u.high], high[u.low], high[u.high], u.part, v.part));
}

/// One warp per block of pixels, its lanes side by side along the rows of the block.
__global__ void __launch_bounds__(kThreads)
    k_block_peaks(LevelRows level, int block, std::int64_t blocks_x, std::int64_t count, float* __restrict__ out) {
  const std::int64_t at = (static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x) / 32;
  if (at >= count) return;
  const std::int64_t y0 = at / blocks_x * block, x0 = at % blocks_x * block;
  const int ny = static_cast<int>(min(static_cast<std::int64_t>(block), level.ny - y0));
  const int nx = static_cast<int>(min(static_cast<std::int64_t>(block), level.nx - x0));
  const float* const from = level.mean + y0 * level.pitch + x0;
  float peak = levels::kLowest;
  for (int k = threadIdx.x % 32; k < ny * nx; k += 32)
    peak = levels::larger(peak, levels::endless_low(from[k / nx * level.pitch + k % nx]));
  for (int half = 16; half > 0; half /= 2) peak = levels::larger(peak, __shfl_xor_sync(0xffffffffu, peak, half));
  if (threadIdx.x % 32 == 0) out[at] = levels::low_blank(peak);
}

}  // namespace

void find_block_peaks(cudaStream_t stream, const LevelRows& level, std::int64_t block, float* out) {
  const std::int64_t blocks_x = (level.nx + block - 1) / block, count = (level.ny + block - 1) / block * blocks_x;
  k_block_peaks<<<blocks_for(32 * count), kThreads, 0, stream>>>(level, static_cast<int>(block), blocks_x, count, out);
  check_launch("k_block_peaks", stream);
}

void halve(cudaStream_t stream, const LevelRows& below, float* mean, float* peak) {
  const std::int64_t ny = (below.ny + 1) / 2, nx = (below.nx + 1) / 2, pieces = (nx + kThreads - 1) / kThreads;
  k_halve<<<static_cast<unsigned>(ny * pieces), kThreads, 0, stream>>>(below, nx, pieces, mean, peak);
  check_launch("k_halve", stream);
}

void gather_sample(cudaStream_t stream, const LevelRows& rows, std::int64_t y0, LevelSample places,
                   std::int64_t columns, float* out) {
  const auto row_at = [&](std::int64_t y) {  // first sampled row at or above y
    return y <= places.first_row() ? 0 : (y - places.first_row() + places.step - 1) / places.step;
  };
  const std::int64_t first = row_at(y0), count = row_at(y0 + rows.ny) - first;
  if (count <= 0) return;
  k_gather_sample<<<blocks_for(count * columns), kThreads, 0, stream>>>(rows, y0, places, first, count, columns, out);
  check_launch("k_gather_sample", stream);
}

void gather_heights(cudaStream_t stream, const LevelRows& level, std::int64_t room_y, std::int64_t room_x, float* out) {
  const std::int64_t cells_y = PeakBlend::cells_along(level.ny), cells_x = PeakBlend::cells_along(level.nx);
  k_gather_heights<<<static_cast<unsigned>(cells_y * cells_x), kThreads, 0, stream>>>(level, cells_x, room_y, room_x,
                                                                                      out);
  check_launch("k_gather_heights", stream);
}

void draw_level(cudaStream_t stream, const LevelRows& level, Reduction reduction, const levels::Noise* cells,
                const Rect& where, float* out) {
  if (where.shape().count() == 0) return;
  if (reduction != Reduction::blend) {
    const float* from = (reduction == Reduction::peak ? level.peak : level.mean) + where.y0 * level.pitch + where.x0;
    const auto width = static_cast<std::size_t>(where.nx) * sizeof(float);
    check(cudaMemcpy2DAsync(out, width, from, static_cast<std::size_t>(level.pitch) * sizeof(float), width,
                            static_cast<std::size_t>(where.ny), cudaMemcpyDeviceToDevice, stream),
          "cudaMemcpy2DAsync");
    return;
  }
  k_draw_blend<<<blocks_for(where.shape().count()), kThreads, 0, stream>>>(
      level, cells, PeakBlend::cells_along(level.ny), PeakBlend::cells_along(level.nx), where, out);
  check_launch("k_draw_blend", stream);
}

}  // namespace reber::cuda
