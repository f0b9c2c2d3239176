// SPDX-License-Identifier: BSD-3-Clause
// Rows of blocks side by side: first the peaks of columns, by vectors, then those of blocks.
#include "kernels/cpu/block_peaks.hpp"

#include <algorithm>
#include <cstddef>

#include "core/show/display/level_rules.hpp"
#include "kernels/cpu/simd.hpp"

namespace reber::cpu {
namespace {

/// Each of the peaks and the pixel below it, whichever is larger; whole vectors, of which the last may hold pixels of
/// the next row.
void raise(const float* row, std::vector<float>& peaks) {
  const Floats lowest = all(levels::kLowest);
  for (std::size_t x = 0; x < peaks.size(); x += kLanes) {
    const Floats peak = load(&peaks[x]), pixels = load(row + x), value = where(finite(pixels), pixels, lowest);
    store(&peaks[x], where(peak < value, value, peak));
  }
}

}  // namespace

std::optional<std::vector<float>> block_peaks_of(const CpuPlane& plane, std::int64_t block, const JobThreads& threads) {
  if (!plane.resident()) return std::nullopt;
  const Shape shape = plane.shape();
  const std::int64_t nx = (shape.nx + block - 1) / block, ny = (shape.ny + block - 1) / block;
  const auto columns = static_cast<std::size_t>((shape.nx + kLanes - 1) / kLanes * kLanes);
  std::vector<float> found(static_cast<std::size_t>(nx * ny));
  std::vector<std::vector<float>> of_worker(static_cast<std::size_t>(threads.threads()));
  threads.for_each_worker(ny, [&](std::int64_t j, int worker) {
    std::vector<float>& peaks = of_worker[static_cast<std::size_t>(worker)];
    peaks.assign(columns, levels::kLowest);
    for (std::int64_t y = j * block; y < std::min((j + 1) * block, shape.ny); ++y) raise(plane.row(y), peaks);
    for (std::int64_t i = 0; i < nx; ++i) {
      float peak = levels::kLowest;
      for (std::int64_t x = i * block; x < std::min((i + 1) * block, shape.nx); ++x)
        peak = levels::larger(peak, peaks[static_cast<std::size_t>(x)]);
      found[static_cast<std::size_t>(j * nx + i)] = levels::low_blank(peak);
    }
  });
  return found;
}

}  // namespace reber::cpu
