// SPDX-License-Identifier: BSD-3-Clause
// Planes made of planes, a row at a time.
#include "kernels/cpu/derived.hpp"

#include <algorithm>
#include <atomic>

#include "kernels/cpu/background_rows.hpp"
#include "kernels/shared/pixel_rules.hpp"

namespace reber::cpu {
namespace {

constexpr std::int64_t kRowsATask = 16;

/// A plane whose rows `fill(y, row, worker)` writes; its blank pixels are counted while they are in the cache.
template <typename Fill>
std::unique_ptr<CpuPlane> plane_of_rows(Shape shape, PixelMemory& memory, const JobThreads& threads, const Fill& fill) {
  auto plane = std::make_unique<CpuPlane>(shape, memory.take(shape.count()));
  std::atomic<std::int64_t> blank{0};
  threads.for_each_worker((shape.ny + kRowsATask - 1) / kRowsATask, [&](std::int64_t task, int worker) {
    std::int64_t count = 0;
    for (std::int64_t y = task * kRowsATask; y < std::min((task + 1) * kRowsATask, shape.ny); ++y) {
      float* row = plane->data() + y * shape.nx;
      fill(y, row, worker);
      for (std::int64_t x = 0; x < shape.nx; ++x) count += std::isfinite(row[x]) ? 0 : 1;
    }
    blank += count;
  });
  plane->set_counts(blank, 0);
  return plane;
}

}  // namespace

std::unique_ptr<CpuPlane> make_snr(const CpuPlane& plane, const CpuBackground& background, PixelMemory& memory,
                                   const JobThreads& threads) {
  const BackgroundRows rows(background);
  std::vector<BackgroundRows::Scratch> scratch(static_cast<std::size_t>(threads.threads()));
  return plane_of_rows(plane.shape(), memory, threads, [&](std::int64_t y, float* out, int worker) {
    BackgroundRows::Scratch& own = scratch[static_cast<std::size_t>(worker)];
    const float* mean = rows.mean_row(y, own);
    const float* rms = rows.rms_row(y, own);
    const float* pixel = plane.row(y);
    for (std::int64_t x = 0; x < plane.shape().nx; ++x) out[x] = rules::snr(pixel[x] - mean[x], rms[x]);
  });
}

std::unique_ptr<CpuPlane> combine_planes(PlaneRule rule, const CpuPlane& a, const CpuPlane& b, PixelMemory& memory,
                                         const JobThreads& threads) {
  return plane_of_rows(a.shape(), memory, threads, [&](std::int64_t y, float* out, int) {
    const float *from = a.row(y), *other = b.row(y);
    for (std::int64_t x = 0; x < a.shape().nx; ++x) out[x] = rules::combined(rule, from[x], other[x]);
  });
}

std::unique_ptr<CpuPlane> take_out_islands(const CpuPlane& plane, const CpuIslands& islands, std::int64_t grow,
                                           PixelMemory& memory, const JobThreads& threads) {
  const Shape shape = plane.shape();
  auto result = plane_of_rows(shape, memory, threads, [&](std::int64_t y, float* out, int) {
    std::copy_n(plane.row(y), shape.nx, out);
    if (islands.count() == 0) return;
    const std::int64_t first = std::max<std::int64_t>(y - grow, 0), last = std::min(y + grow + 1, shape.ny);
    for (std::int64_t k = islands.row_begin[first]; k < islands.row_begin[last]; ++k) {
      const std::int64_t x0 = std::max<std::int64_t>(islands.by_row[k].x0 - grow, 0);
      std::fill(out + x0, out + std::min(islands.by_row[k].x1 + grow, shape.nx), rules::blank_value());
    }
  });
  result->set_counts(result->blank(), plane.infinite());
  return result;
}

}  // namespace reber::cpu
