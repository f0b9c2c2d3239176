// SPDX-License-Identifier: BSD-3-Clause
// One pass over the runs; what lies between two is read with them where it is less than a page.
#include "kernels/shared/run_windows.hpp"

#include <algorithm>

namespace reber {

std::vector<RunWindow> windows_of_runs(std::span<const rules::Run> runs, Shape image, std::int64_t pixel_bytes) {
  constexpr std::int64_t kPage = 4096, kMostPart = 2;
  std::vector<RunWindow> windows;
  if (runs.empty()) return windows;
  const std::int64_t rows = std::int64_t{runs.back().y} - runs.front().y + 1;
  const std::int64_t most = rows * image.nx * pixel_bytes / kMostPart;
  std::int64_t bytes = 0;
  for (std::size_t k = 0; k < runs.size(); ++k) {
    const rules::Run& run = runs[k];
    const bool joins = !windows.empty() && windows.back().where.y0 == run.y &&
                       (run.x0 - windows.back().where.x0 - windows.back().where.nx) * pixel_bytes < kPage;
    if (!joins) {
      windows.push_back({{run.y, run.x0, 1, 0}, k, k});
      bytes += kPage;
    }
    RunWindow& window = windows.back();
    bytes -= window.where.nx * pixel_bytes;
    window.where.nx = run.x1 - window.where.x0;
    window.last = k + 1;
    bytes += window.where.nx * pixel_bytes;
    if (bytes > most) return {};
  }
  return windows;
}

}  // namespace reber
